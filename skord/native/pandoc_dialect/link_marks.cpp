#include "pandoc_dialect/link_marks.hpp"

#include <algorithm>

#include "pandoc_dialect/escapes.hpp"
#include "text/unicode.hpp"
#include "text/utf8.hpp"

namespace skord::pandoc_dialect {

namespace {

class Taker {
 public:
  // A piece of text, up to the next mark or the end.
  void take_text(std::string_view text) {
    before_ = text;
    place_ += num_chars(text);
  }

  void take_mark(std::string_view mark) {
    if (mark == kLinkEnd) {
      if (is_open_ && start_ < place_) spans_.push_back({start_, place_});
      is_open_ = false;
    } else if (is_open_) {
      return;
    } else {
      const bool goes_on = mark == kLinkGoesOn && !spans_.empty() &&
                           before_.find_first_not_of(' ') == before_.npos;
      start_ = goes_on ? spans_.back().start : place_;
      if (goes_on) spans_.pop_back();
      is_open_ = true;
    }
  }

  std::vector<LinkSpan> take_spans() { return std::move(spans_); }

 private:
  std::vector<LinkSpan> spans_;
  std::string_view before_;
  size_t start_ = 0, place_ = 0;
  bool is_open_ = false;
};

}  // namespace

std::vector<LinkSpan> take_marks_out(std::string &text) {
  if (!has_marks(text)) return {};
  Taker taker;
  std::string out;
  out.reserve(text.size());
  const std::string_view all = text;
  size_t done = 0;
  for (size_t at = all.find('\xEF'); at != all.npos; at = all.find('\xEF', at)) {
    const std::string_view mark = all.substr(at, kLinkStart.size());
    if (mark != kLinkStart && mark != kLinkGoesOn && mark != kLinkEnd) {
      ++at;
      continue;
    }
    taker.take_text(all.substr(done, at - done));
    out.append(all.substr(done, at - done));
    taker.take_mark(mark);
    at = done = at + mark.size();
  }
  out.append(all.substr(done));
  text = std::move(out);
  return taker.take_spans();
}

}  // namespace skord::pandoc_dialect
