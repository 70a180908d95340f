// Where in a page's HTML each line of its Markdown stood.

#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "page.hpp"

namespace skord::html {

// The columns of `LineContext` in pipeline/html/line_context.py.
struct LineContext {
  std::vector<std::string_view> elements;  // of the page's words, which have to live on
  std::vector<int32_t> parents, lines;
  std::vector<uint8_t> links;
};

// Args: the lines of a page's Markdown in their plain form.
LineContext context_of_lines(const PageWords &page, const std::vector<std::string_view> &lines);

}  // namespace skord::html
