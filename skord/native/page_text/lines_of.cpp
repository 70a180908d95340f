#include "page_text/lines_of.hpp"

#include <algorithm>

#include "text/parts.hpp"
#include "text/unicode.hpp"

namespace skord {

namespace {

bool may_be_fence(std::string_view line) {
  return contains(line, "```") || contains(line, "~~~");
}

}  // namespace

size_t fence_size(std::string_view text) {
  if (!starts_with(text, "```") && !starts_with(text, "~~~")) return 0;
  const size_t size = std::min(text.find_first_not_of(text[0]), text.size());
  return text[0] == '`' && contains(text.substr(size), "`") ? 0 : size;
}

Lines lines_of(std::string_view text) {
  Lines lines;
  for_each_part(text, '\n', [&](std::string_view line) { lines.push_back(line); });
  return lines;
}

bool is_blank(std::string_view line) { return stripped(line).empty(); }

bool has_no_word(std::string_view text) {
  while (!text.empty()) {
    const Character sign = first_character(text);
    if (is_word(sign.code)) return false;
    text.remove_prefix(sign.size);
  }
  return true;
}

size_t mark_size(std::string_view line, size_t at) {
  if (at >= line.size()) return 0;
  if (line[at] == '-' || line[at] == '*' || line[at] == '+') return 1;
  size_t end = at;
  while (end < line.size()) {
    const Character sign = first_character(line.substr(end));
    if (!is_decimal(sign.code)) break;
    end += sign.size;
  }
  const bool is_number = end > at && end < line.size() && (line[end] == '.' || line[end] == ')');
  return is_number ? end + 1 - at : 0;
}

size_t heading_level(std::string_view line) {
  const size_t level = line.find_first_not_of('#');
  return level <= 6 && line[level] == ' ' ? level : 0;
}

size_t after_holders(std::string_view line) {
  const auto after = [&](std::string_view signs, size_t at) {
    return std::min(line.find_first_not_of(signs, at), line.size());
  };
  size_t at = after(" >", 0);
  while (const size_t size = mark_size(line, at)) {
    const size_t blanks = after(" ", at + size);
    if (blanks == at + size) break;
    at = after(" >", blanks);
  }
  return at;
}

std::vector<std::pair<size_t, size_t>> fenced_blocks(const Lines &lines) {
  std::vector<std::pair<size_t, size_t>> blocks;
  std::string_view opened;
  size_t start = 0;
  for (size_t number = 0; number < lines.size(); ++number) {
    std::string_view line = lines[number];
    if (!may_be_fence(line)) continue;
    line.remove_prefix(after_holders(line));
    const size_t size = fence_size(line);
    if (size == 0) continue;
    if (opened.empty()) {
      opened = line.substr(0, size);
      start = number;
    } else if (starts_with(line.substr(0, size), opened) && is_blank(line.substr(size))) {
      blocks.emplace_back(start, number + 1);
      opened = {};
    }
  }
  return blocks;
}

std::vector<bool> code_lines(const Lines &lines) {
  std::vector<bool> is_code(lines.size());
  for (const auto &[start, end] : fenced_blocks(lines)) {
    std::fill(is_code.begin() + std::ptrdiff_t(start), is_code.begin() + std::ptrdiff_t(end), true);
  }
  return is_code;
}

}  // namespace skord
