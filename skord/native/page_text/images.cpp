#include <algorithm>
#include <unordered_map>

#include "markdown/backticks.hpp"
#include "page_text/kept_text.hpp"
#include "text/parts.hpp"
#include "text/unicode.hpp"

namespace skord {

namespace {

// Where the bracket closes behind whose opening `at` lies; another pair may stand in it, within
// which a backslash escapes only where `escapes_inside`. npos where it does not close.
size_t closing_of(std::string_view text, size_t at, char open, char close, bool escapes_inside) {
  bool is_nested = false;
  while (at < text.size()) {
    if (text[at] == '\\' && (escapes_inside || !is_nested)) {
      if (at + 1 == text.size()) break;
      at += 1 + first_character(text.substr(at + 1)).size;
      continue;
    }
    if (text[at] == open) {
      if (is_nested) break;
      is_nested = true;
    } else if (text[at] == close) {
      if (!is_nested) return at;
      is_nested = false;
    }
    ++at;
  }
  return text.npos;
}

// Size of "![", a text in which brackets may nest once, and "](" that begin here; 0 for none.
size_t size_to_address(std::string_view text) {
  if (!starts_with(text, "![")) return 0;
  const size_t end = closing_of(text, 2, '[', ']', true);
  return end != text.npos && text.substr(end, 2) == "](" ? end + 2 : 0;
}

// Where the address behind each parenthesis ends: at the closing parenthesis, or at a blank if all
// opened since are closed; parentheses inside it may nest.
std::unordered_map<size_t, size_t> ends_of_addresses(std::string_view line) {
  std::unordered_map<size_t, size_t> ends;
  std::vector<size_t> opened;
  for (size_t at = 0; at < line.size();) {
    const Character sign = first_character(line.substr(at));
    if (sign.code == '\\' && at + 1 < line.size()) {
      at += 1 + first_character(line.substr(at + 1)).size;
      continue;
    }
    if (sign.code == '(') {
      opened.push_back(at);
    } else if (!opened.empty() && sign.code == ')') {
      ends[opened.back()] = at;
      opened.pop_back();
    } else if (!opened.empty() && is_space(sign.code)) {
      ends[opened.back()] = at;
      opened.clear();
    }
    at += sign.size;
  }
  return ends;
}

size_t after_blanks(std::string_view line, size_t at) {
  return line.size() - left_stripped(line.substr(std::min(at, line.size()))).size();
}

// The end of an image behind its address: a title, perhaps, and ")"; 0 where that is not there.
size_t end_of_title(std::string_view line, size_t address_end) {
  size_t at = after_blanks(line, address_end);
  if (at > address_end && at < line.size() && (line[at] == '"' || line[at] == '\'')) {
    const char quote = line[at];
    for (++at; at < line.size() && line[at] != quote; ++at) {
      // What is escaped is no end; the bytes behind its first are none anyway.
      at += line[at] == '\\';
    }
    at = after_blanks(line, at + 1);
  }
  return at < line.size() && line[at] == ')' ? at + 1 : 0;
}

std::string unescaped_address(std::string_view address) {
  std::string plain;
  for (size_t at = 0; at < address.size(); ++at) {
    const bool escapes = address[at] == '\\' && at + 1 < address.size() && is_ascii_punctuation(address[at + 1]);
    plain.push_back(address[escapes ? ++at : at]);
  }
  return plain;
}

bool is_only_holders(std::string_view text) {
  const size_t at = after_holders(text);
  return is_blank(text.substr(at + mark_size(text, at)));
}

// One line without its images, and their columns in what is left.
Text line_without_images(std::string_view line) {
  Text left;
  const Backticks backticks(line);
  const auto ends = ends_of_addresses(line);
  size_t done = 0;
  for (size_t at = 0; at < line.size();) {
    const bool is_escaped = at > 0 && line[at - 1] == '\\';
    if (const size_t code = is_escaped ? 0 : backticks.size_of_code(at)) {
      at += code;
      continue;
    }
    // Pairs of backslashes escape nothing but one another.
    size_t start = at;
    while (!is_escaped && starts_with(line.substr(start), "\\\\")) start += 2;
    const size_t size = is_escaped ? 0 : size_to_address(line.substr(start));
    if (size == 0) {
      ++at;
      continue;
    }
    at = start + size;
    if (start < done) continue;
    std::string_view address = line.substr(at);
    size_t end = starts_with(address, "<") ? address.find_first_of("<>", 1) : address.npos;
    if (end != address.npos && address[end] == '>') {
      address = address.substr(1, end - 1);
      end += at + 1;
    } else if (const auto found = ends.find(at - 1); found != ends.end()) {
      end = found->second;
      address = line.substr(at, end - at);
    } else {
      continue;
    }
    const size_t after = end_of_title(line, end);
    if (after == 0) continue;
    left.text.append(line.substr(done, start - done));
    done = after;
    // The blank before the image serves for the one after it too.
    if (left.text.empty() || is_space(last_character(left.text).code)) {
      done = std::min(line.find_first_not_of(' ', done), line.size());
    }
    left.images.emplace_back(left.text.size(), unescaped_address(address));
  }
  left.text.append(line.substr(done));
  if (left.images.empty() || !is_only_holders(left.text)) return left;
  left.text.clear();
  for (auto &image : left.images) image.first = 0;
  return left;
}

}  // namespace

size_t picture_size(std::string_view text) {
  const size_t start = size_to_address(text);
  if (start == 0) return 0;
  const size_t end = closing_of(text, start, '(', ')', false);
  return end == text.npos ? 0 : end + 1;
}

Text without_images(std::string_view markdown) {
  if (markdown.find("![") == markdown.npos) return {std::string(markdown), {}};
  Text left;
  const Lines lines = lines_of(markdown);
  const std::vector<bool> is_code = code_lines(lines);
  for (size_t number = 0; number < lines.size(); ++number) {
    if (number > 0) left.text.push_back('\n');
    if (is_code[number] || lines[number].find("![") == lines[number].npos) {
      left.text.append(lines[number]);
      continue;
    }
    Text line = line_without_images(lines[number]);
    for (auto &[column, address] : line.images) {
      left.images.emplace_back(left.text.size() + column, std::move(address));
    }
    left.text.append(line.text);
  }
  return left;
}

}  // namespace skord
