#include <algorithm>
#include <vector>

#include "markdown/backticks.hpp"
#include "markdown/formulas.hpp"
#include "markdown/prose.hpp"
#include "text/unicode.hpp"

namespace skord {

namespace {

constexpr size_t kNear = 1'000;  // characters behind a mark in which its partner is looked for

struct Mark {
  size_t start, end;
};

// Finds stars and pairs of tildes that are neither escaped nor in code or an address.
class MarkFinder {
 public:
  explicit MarkFinder(std::string_view text) : text_(text), backticks_(text) {}

  bool next(Mark &mark) {
    while (at_ < text_.size()) {
      at_ = text_.find_first_of("`\\]*~$", at_);
      if (at_ == text_.npos) return false;
      const size_t start = at_;
      if (const size_t size = size_of_formula(text_.substr(start))) {
        at_ += size;
        continue;
      }
      switch (text_[start]) {
        case '`':
          at_ = after_code(start);
          break;
        case '\\':
          at_ = start + 1 < text_.size()
                    ? start + 1 + first_character(text_.substr(start + 1)).size
                    : text_.size();
          break;
        case ']':
          at_ = after_address(start);
          break;
        case '$':
          ++at_;
          break;
        case '*':
          at_ = std::min(text_.find_first_not_of('*', start), text_.size());
          mark = {start, at_};
          return true;
        default:
          at_ = start + 1;
          if (text_.substr(start, 2) != "~~") break;
          mark = {start, ++at_};
          return true;
      }
    }
    return false;
  }

 private:
  size_t after_code(size_t start) const {
    if (start > 0 && text_[start - 1] == '\\') return start + 1;
    const size_t end = std::min(text_.find_first_not_of('`', start), text_.size());
    const size_t after = backticks_.end_of_code(end, end - start);
    return after == text_.npos ? start + 1 : after;
  }

  size_t after_address(size_t start) const {
    if (text_.substr(start, 2) != "](") return start + 1;
    size_t at = start + 2;
    while (at < text_.size()) {
      const Character sign = first_character(text_.substr(at));
      if (sign.code == ')' || is_space(sign.code)) break;
      at += sign.size;
    }
    return at;
  }

  std::string_view text_;
  Backticks backticks_;
  size_t at_ = 0;
};

// Whether an odd number of marks of two stars follows soon.
bool has_partner(std::string_view text) {
  size_t end = 0;
  for (size_t count = 0; count < kNear && end < text.size(); ++count) {
    end += first_character(text.substr(end)).size;
  }
  text = text.substr(0, end);
  size_t number = 0;
  for (size_t at = text.find("**"); at != text.npos; at = text.find("**", at + 2)) ++number;
  return number % 2 == 1;
}

// Whether one mark stands for two styles and the other for one of them.
bool is_one_of_three(std::string_view one, std::string_view other) {
  return (one == "***" || other == "***") && one != other && one != "~~" && other != "~~";
}

class Pairing {
 public:
  explicit Pairing(std::string_view text) : text_(text) {}

  std::string result() {
    MarkFinder finder(text_);
    for (Mark mark{}; finder.next(mark);) take(mark);
    for (const Open &open : open_) pieces_[open.piece] = {};
    std::string plain;
    for (const std::string_view piece : pieces_) plain.append(piece);
    plain.append(text_.substr(done_));
    if (plain == text_) return plain;
    const auto both_blank = [](char one, char other) { return one == ' ' && other == ' '; };
    plain.erase(std::unique(plain.begin(), plain.end(), both_blank), plain.end());
    plain.resize(plain.find_last_not_of(' ') + 1);
    return plain.substr(std::min(plain.find_first_not_of(' '), plain.size()));
  }

 private:
  // A mark that waits for its partner, and whether anything but blanks stands behind it that
  // will stay; other open marks do not count before they are closed.
  struct Open {
    size_t piece;
    bool has_text;
  };

  void take(const Mark &mark) {
    const std::string_view before = text_.substr(done_, mark.start - done_);
    if (!without_edges(before).empty()) add_text();
    pieces_.push_back(before);
    pieces_.push_back(text_.substr(mark.start, mark.end - mark.start));
    done_ = mark.end;
    const size_t at = pieces_.size() - 1;
    const std::string_view sign = pieces_[at];
    if (sign.size() > 3) return take_many(at);
    if (open_.empty()) return open(at);
    const Open last = open_.back();
    std::string_view &other = pieces_[last.piece];
    if (is_one_of_three(other, sign)) {
      other = pieces_[at] = std::min(other, sign);
      close(true);
    } else if (other == sign) {
      if (!last.has_text) other = pieces_[at] = {};
      close(last.has_text);
    } else {
      open(at);
    }
  }

  // Some stars that mark nothing, and perhaps a mark that begins after them.
  void take_many(size_t at) {
    const std::string_view after = text_.substr(done_);
    const bool begins = !after.empty() && !is_space(first_character(after).code) &&
                        has_partner(after);
    pieces_[at] = begins ? std::string_view("**") : std::string_view();
    if (begins) open(at);
  }

  void open(size_t at) { open_.push_back({at, false}); }

  void close(bool stays) {
    open_.pop_back();
    if (stays) add_text();
  }

  void add_text() {
    if (!open_.empty()) open_.back().has_text = true;
  }

  std::string_view text_;
  std::vector<std::string_view> pieces_;
  std::vector<Open> open_;
  size_t done_ = 0;
};

}  // namespace

std::string with_paired_marks(std::string_view text) { return Pairing(text).result(); }

}  // namespace skord
