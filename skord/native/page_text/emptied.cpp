#include <algorithm>

#include "page_text/kept_text.hpp"
#include "text/parts.hpp"
#include "text/unicode.hpp"

namespace skord {

namespace {

// Soft hyphen, joiners, marks of direction.
bool is_unseen(uint32_t code) {
  return code == 0xAD || (code >= 0x200B && code <= 0x200F) || code == 0x2060 || code == 0xFEFF;
}

bool says_nothing(std::string_view text, std::string_view signs) {
  while (!text.empty()) {
    const Character sign = first_character(text);
    const bool is_sign = sign.code < 0x80 && signs.find(text[0]) != signs.npos;
    if (!is_sign && !is_space(sign.code) && !is_unseen(sign.code)) return false;
    text.remove_prefix(sign.size);
  }
  return true;
}

// The text of a heading, however deep; nothing of other lines.
std::string_view title_of(std::string_view line) {
  if (!starts_with(line, "#")) return {};
  return line.substr(std::min(line.find_first_not_of('#'), line.size()));
}

// What is left of a text, whose places are told in ascending order of what stood there before.
class Shortened {
 public:
  explicit Shortened(const Text &whole) : whole_(whole), image_(whole.images.begin()) {}

  void keep(size_t end) {
    place_images(end, [&](size_t at) { return text_.text.size() + at - done_; });
    text_.text.append(whole_.text, done_, end - done_);
    done_ = end;
  }

  // Places in what goes, its end included, come to lie where it went.
  void replace(size_t end, std::string_view by) {
    place_images(end, [&](size_t) { return text_.text.size(); });
    text_.text.append(by);
    done_ = end;
  }

  Text take() {
    keep(whole_.text.size());
    return std::move(text_);
  }

  size_t done() const { return done_; }

 private:
  template <class Place>
  void place_images(size_t end, Place place) {
    for (; image_ != whole_.images.end() && image_->first <= end; ++image_) {
      text_.images.emplace_back(place(image_->first), image_->second);
    }
  }

  const Text &whole_;
  Images::const_iterator image_;
  Text text_;
  size_t done_ = 0;
};

size_t without_blanks_at_end(std::string_view text) { return right_stripped(text).size(); }

// The end of the line feeds that begin at `start`, and of lines of blanks between them.
size_t end_of_feeds(std::string_view text, size_t start) {
  size_t end = start + 1;
  for (size_t at = end; at < text.size();) {
    const Character sign = first_character(text.substr(at));
    if (!is_space(sign.code)) break;
    at += sign.size;
    if (sign.code == '\n') end = at;
  }
  return end;
}

Text without_emptied(const Text &text) {
  Shortened left(text);
  for (const auto &[start, end] : emptied_spans(text.text)) {
    left.keep(start);
    left.replace(end, {});
  }
  return left.take();
}

}  // namespace

std::vector<std::pair<size_t, size_t>> emptied_spans(std::string_view text) {
  std::vector<std::pair<size_t, size_t>> spans;
  const Lines lines = lines_of(text);
  const std::vector<bool> is_code = code_lines(lines);
  std::string_view heading;
  bool in_table = false, is_empty = false, was_quoted = false;
  size_t table = 0;  // where it began
  std::vector<std::pair<size_t, size_t>> bare;  // lines of nothing but the mark of a quotation
  for (size_t number = 0; number < lines.size(); ++number) {
    const std::string_view line = lines[number];
    const size_t at = size_t(line.data() - text.data());
    const std::string_view inner = stripped(line);
    const bool is_quoted = starts_with(inner, ">");
    if (is_quoted && !is_code[number] && inner.find_first_not_of("> ") == inner.npos) {
      bare.emplace_back(at, std::min(at + line.size() + 1, text.size()));
      continue;
    }
    // Between two lines of a quotation one of them parts paragraphs.
    const size_t parts = was_quoted && is_quoted ? 1 : 0;
    for (size_t one = std::min(parts, bare.size()); one < bare.size(); ++one) spans.push_back(bare[one]);
    bare.clear();
    was_quoted = is_quoted;
    if (starts_with(inner, "|") && !is_code[number]) {
      if (!in_table) {
        in_table = is_empty = true;
        table = at;
      }
      is_empty = is_empty && says_nothing(line, "-:|");
      continue;
    }
    if (in_table && is_empty) spans.emplace_back(table, at);
    else if (in_table) heading = {};
    in_table = false;
    const std::string_view title = is_code[number] ? std::string_view() : title_of(line);
    if (inner.empty()) continue;
    if (says_nothing(inner, "") || (!title.empty() && title == heading)) {
      spans.emplace_back(at, std::min(at + line.size() + 1, text.size()));
    } else {
      heading = title;
    }
  }
  if (in_table && is_empty) spans.emplace_back(table, bare.empty() ? text.size() : bare[0].first);
  spans.insert(spans.end(), bare.begin(), bare.end());
  return spans;
}

// Where blocks of code begin and end, without the last line feed.
static std::vector<std::pair<size_t, size_t>> code_spans(std::string_view text) {
  std::vector<std::pair<size_t, size_t>> spans;
  if (text.find("```") == text.npos && text.find("~~~") == text.npos) return spans;
  const Lines lines = lines_of(text);
  for (const auto &[first, behind] : fenced_blocks(lines)) {
    const std::string_view last = lines[behind - 1];
    spans.emplace_back(lines[first].data() - text.data(), last.data() + last.size() - text.data());
  }
  return spans;
}

Text folded(const Text &text) {
  const Text whole = without_emptied(text);
  const std::string_view all = whole.text;
  Shortened left(whole);
  const auto code = code_spans(all);
  auto block = code.begin();
  for (size_t start = all.find('\n'); start != all.npos; start = all.find('\n', left.done())) {
    while (block != code.end() && block->second <= start) ++block;
    if (block != code.end() && block->first < start) {  // blank lines of code mean something
      left.keep(block->second);
      continue;
    }
    left.keep(left.done() + without_blanks_at_end(all.substr(left.done(), start - left.done())));
    const size_t end = end_of_feeds(all, start);
    const auto feeds = std::count(all.begin() + ptrdiff_t(start), all.begin() + ptrdiff_t(end), '\n');
    left.replace(end, std::string_view("\n\n").substr(0, size_t(feeds)));
  }
  Text result = left.take();
  result.text.resize(without_blanks_at_end(result.text));
  const size_t lead = std::min(result.text.find_first_not_of('\n'), result.text.size());
  result.text.erase(0, lead);
  for (auto &[at, address] : result.images) at = std::min(at - std::min(at, lead), result.text.size());
  return result;
}

}  // namespace skord
