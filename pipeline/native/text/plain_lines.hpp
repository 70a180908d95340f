// The lines of a page's Markdown in their plain form: `pipeline.markdown.plain_lines`.

#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace skord {

// What is left to do of a line.
enum class Rest { prose, row, entities };

struct UnfinishedLine {
  size_t number;
  std::string before, text;  // what stands before the text in its plain form, and the text
  Rest rest;
};

struct PlainPage {
  std::vector<std::string> lines;  // empty where a line is not finished
  std::vector<UnfinishedLine> unfinished;
  std::vector<std::pair<size_t, size_t>> code;  // blocks without fences: first line, line after
};

// Whether a text, not all ASCII, is of decimal digits.
using IsNumber = std::function<bool(std::string_view)>;

PlainPage plain_page(std::string_view markdown, const IsNumber &is_number);

// A line of a table in HTML without its tags.
std::string without_tags(std::string_view text);

inline bool starts_with(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

}  // namespace skord
