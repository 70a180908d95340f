#include "page_text/lines_of.hpp"

#include <algorithm>

#include "text/parts.hpp"
#include "text/unicode.hpp"

namespace skord {

namespace {

struct Fence {
  std::string_view run;  // of backticks or tildes; empty for none
  size_t end = 0;
};

Fence fence_of(std::string_view line) {
  const size_t start = after_holders(line);
  if (start >= line.size() || (line[start] != '`' && line[start] != '~')) return {};
  const size_t end = std::min(line.find_first_not_of(line[start], start), line.size());
  if (end - start < 3 || (line[start] == '`' && line.find('`', end) != line.npos)) return {};
  return {line.substr(start, end - start), end};
}

bool may_be_fence(std::string_view line) {
  return contains(line, "```") || contains(line, "~~~");
}

}  // namespace

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
    const std::string_view line = lines[number];
    const Fence fence = may_be_fence(line) ? fence_of(line) : Fence{};
    if (fence.run.empty()) continue;
    if (opened.empty()) {
      opened = fence.run;
      start = number;
    } else if (starts_with(fence.run, opened) && is_blank(line.substr(fence.end))) {
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
