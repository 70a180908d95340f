#include "markdown/plain_lines.hpp"

#include <algorithm>
#include <utility>

#include "html/references.hpp"
#include "markdown/prose.hpp"
#include "page_text/lines_of.hpp"
#include "text/parts.hpp"
#include "text/unicode.hpp"
#include "text/utf8.hpp"

namespace skord {

namespace {

constexpr std::string_view kQuote = "> ", kCodeIndent = "    ", kBullets = "-*+";
constexpr size_t kMostDigits = 9, kLeastNumberIndent = 4;
constexpr size_t kLead = 2;  // blanks before a bullet

bool is_indent(std::string_view text) { return text.find_first_not_of(' ') == text.npos; }

// Whether a text is of decimal digits, of any script.
bool is_number(std::string_view text) {
  while (!text.empty()) {
    const Character sign = first_character(text);
    if (!is_decimal(sign.code)) return false;
    text.remove_prefix(sign.size);
  }
  return true;
}

// Whether more may have to be done of a line of prose than to take the blanks from its ends.
bool is_marked(std::string_view text) {
  for (const std::string_view mark : {"\\", "*", "~~"}) {
    if (contains(text, mark)) return true;
  }
  const bool is_sign = text[0] == '#' || text[0] == '-';
  return starts_with(text, "<!--") || (is_sign && text.find_first_not_of(text[0]) == text.npos);
}

// What holds lines: "> " or blanks; so many stand before a line of it, and in the plain form.
struct Holder {
  bool is_quote;
  size_t width, indent;
};

// The mark of an item, and how far it and the blanks after it reach.
struct Mark {
  std::string text;
  size_t size = 0;
  Holder holder{};
};

class Reader {
 public:
  explicit Reader(std::vector<std::string> &lines) : lines_(lines) {}

  // Blocks of code without fences get some where empty lines stand around them.
  void end() {
    for (const auto &[start, end] : code_) {
      if (start == 0 || end + 1 >= lines_.size()) continue;
      std::string &before = lines_[start - 1], &after = lines_[end];
      const std::string both = before + after;
      if (both.find_first_not_of("> ") != both.npos) continue;
      const std::string fence = fence_around(start, end);
      before.append(fence);
      after.append(fence);
    }
  }

  void take(std::string_view line) {
    before_.clear();
    lines_.emplace_back();
    if (line.empty()) return;
    std::string_view text = within(line);
    if (!fence_.empty()) return take_fenced(text);
    if (is_indent(text)) return finish(right_stripped(before_));
    if (tables_ == 0 && starts_with(text, kCodeIndent)) return take_code(text);
    is_code_ = false;
    write_waiting();
    if (tables_ == 0) {
      const size_t start = before_.size();
      text = write_marks(text);
      const std::string_view marks = std::string_view(before_).substr(start);
      if (is_indent(text) && !marks.empty() && marks != kQuote) {
        waiting_ = marks_;
        return;
      }
    }
    take_text(text);
  }

 private:
  void finish(std::string_view line) { lines_.back() = line; }

  // Longer than the fences that the code itself holds, as a course on Markdown does.
  std::string fence_around(size_t start, size_t end) const {
    size_t size = 3;
    for (size_t at = start; at < end; ++at) {
      const size_t first = lines_[at].find_first_not_of("> ");
      if (first == std::string::npos || lines_[at][first] != '`') continue;
      const size_t last = std::min(lines_[at].find_first_not_of('`', first), lines_[at].size());
      size = std::max(size, last - first + 1);
    }
    return std::string(size, '`');
  }

  // What is left of a line without text is the mark of a quotation.
  void add_text(std::string_view text) {
    if (!text.empty()) return finish(before_.append(text));
    if (stripped(before_) == ">") finish(before_.substr(0, before_.find_last_not_of(' ') + 1));
  }

  void take_fenced(std::string_view text) {
    const std::string_view inner = stripped(text);
    if (starts_with(inner, fence_) && inner.find_first_not_of(fence_[0]) == inner.npos) {
      fence_.clear();
    }
    finish(right_stripped(before_.append(text)));
  }

  void take_code(std::string_view text) {
    const size_t number = lines_.size() - 1;
    if (!is_code_) code_.emplace_back(number, number);
    code_.back().second = number + 1;
    is_code_ = true;
    finish(before_.append(right_stripped(text.substr(kCodeIndent.size()))));
  }

  // What stands before a line's text goes to `before_`; the text is left.
  std::string_view within(std::string_view line) {
    for (size_t depth = 0; depth < holders_.size(); ++depth) {
      const Holder &holder = holders_[depth];
      if (holder.is_quote && (starts_with(line, kQuote) || line == ">")) {
        line.remove_prefix(std::min(line.size(), kQuote.size()));
      } else if (!holder.is_quote && line.size() >= holder.width &&
                 is_indent(line.substr(0, holder.width))) {
        line.remove_prefix(holder.width);
      } else if (!is_indent(line)) {
        if (fence_.empty() && tables_ == 0) holders_.resize(depth);
        return line;
      } else {
        before_.resize(right_stripped(before_).size());
        return {};
      }
      write_holder(holder);
    }
    return line;
  }

  void write_holder(const Holder &holder) {
    if (holder.is_quote) before_.append(kQuote);
    else before_.append(holder.indent, ' ');
  }

  // The marks of items that have begun without text, but of those that have ended without any.
  void write_waiting() {
    std::string mark;
    for (const auto &[text, depth] : std::exchange(waiting_, {})) {
      if (depth <= holders_.size()) mark.append(text);
    }
    if (mark.empty()) return;
    const size_t indent = before_.size() - (before_.find_last_not_of(' ') + 1);
    const bool is_number = !is_in(kBullets, mark[0]);
    const size_t wanted = std::max(num_chars(mark), is_number ? kLeastNumberIndent : 0);
    const size_t width = std::min(indent, wanted);
    if (width > 0) before_.replace(before_.size() - width, width, mark);
  }

  // Marks of items and quotations that begin here go to `before_`; the rest is left.
  std::string_view write_marks(std::string_view text) {
    marks_.clear();
    while (true) {
      if (starts_with(text, kQuote) || text == ">") {
        before_.append(kQuote);
        holders_.push_back({true, 0, 0});
        marks_.clear();
        text.remove_prefix(std::min(text.size(), kQuote.size()));
        continue;
      }
      Mark mark = item_mark(text);
      if (mark.size == 0) mark = number_mark(text);
      if (mark.size == 0) return text;
      before_.append(mark.text).push_back(' ');
      holders_.push_back(mark.holder);
      marks_.emplace_back(mark.text + ' ', holders_.size());
      text.remove_prefix(mark.size);
    }
  }

  Mark item_mark(std::string_view text) const {
    const size_t lead = starts_with(text, "  ") ? kLead : 0, end = end_of_mark(text, lead + 1);
    if (end == 0 || !is_in(kBullets, text[lead])) return {};
    return {std::string(1, text[lead]), end, {false, lead + 2, 2}};
  }

  Mark number_mark(std::string_view text) const {
    size_t at = 0, digits = 0;
    bool is_ascii = true;
    for (; at < text.size() && digits <= kMostDigits; ++at, ++digits) {
      if (is_ascii_digit(text[at])) continue;
      if (static_cast<uint8_t>(text[at]) < 0x80) break;
      is_ascii = false;
      while (at + 1 < text.size() && continues(text[at + 1])) ++at;
    }
    if (digits == 0 || digits > kMostDigits || at == text.size()) return {};
    const size_t end = end_of_mark(text, at + 1);
    if (end == 0 || (text[at] != '.' && text[at] != ')')) return {};
    if (!is_ascii && !is_number(text.substr(0, at))) return {};
    const size_t width = digits + end - at;
    return {std::string(text.substr(0, at + 1)), end,
            {false, std::max(width, kLeastNumberIndent), std::max(digits + 2, kLeastNumberIndent)}};
  }

  // Where the blanks end that must stand behind a mark, unless it ends the line; else 0.
  static size_t end_of_mark(std::string_view text, size_t at) {
    if (at == text.size()) return at;
    if (at > text.size() || text[at] != ' ') return 0;
    const size_t end = std::min(text.find_first_not_of(' ', at), text.size());
    // A list may begin in the line; the blanks before its first bullet stand before the others, too.
    const bool is_list = text.size() > end + 1 && text[end + 1] == ' ' && is_in(kBullets, text[end]);
    return is_list && end > at + kLead ? end - kLead : end;
  }

  void take_text(std::string_view text) {
    if (tables_ != 0 || starts_with(text, "<table")) return take_html(text);
    if (is_fence(text)) return finish(before_.append(right_stripped(text)));
    if (text.size() > 1 && text[0] == '|' && text.back() == '|') return add_text(plain_row(text));
    const std::string_view inner = without_edges(text);
    if (inner.empty() || is_marked(inner)) return add_text(plain_prose(text));
    const bool is_break = ends_with(text, "  ");
    add_text(inner);
    if (is_break) lines_.back().append("  ");
  }

  bool is_fence(std::string_view text) {
    fence_ = text.substr(0, fence_size(text));
    return !fence_.empty();
  }

  void take_html(std::string_view text) {
    for (size_t at = text.find('<'); at != text.npos; at = text.find('<', at + 1)) {
      const std::string_view tag = text.substr(at);
      tables_ += starts_with(tag, "<table ") || starts_with(tag, "<table>");
      tables_ -= starts_with(tag, "</table>");
    }
    const std::string plain = html::unescaped(without_tags(text));
    add_text(without_edges(plain));
  }

  std::vector<std::string> &lines_;
  std::vector<std::pair<size_t, size_t>> code_;  // without fences: first line, line after
  std::vector<Holder> holders_;
  std::string before_, fence_;
  std::vector<std::pair<std::string, size_t>> marks_, waiting_;  // of items, behind quotations; their depth
  int tables_ = 0;
  bool is_code_ = false;
};

}  // namespace

std::vector<std::string> plain_page(std::string_view markdown) {
  std::vector<std::string> lines;
  Reader reader(lines);
  for_each_part(markdown, '\n', [&](std::string_view line) { reader.take(line); });
  reader.end();
  return lines;
}

}  // namespace skord
