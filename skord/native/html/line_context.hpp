// Where in a page's HTML each line of its Markdown stood.

#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "page.hpp"

namespace skord::html {

// The columns of `LineContext` in skord/html/line_context.py.
struct LineContext {
  std::vector<std::string_view> elements;  // of the page's words, which have to live on
  std::vector<int32_t> parents, lines;
  std::vector<uint8_t> links, controls;
};

// Args: the words of a page, and Markdown in plain form that any converter made of it.
LineContext line_context(const PageWords &page, std::string_view markdown);

}  // namespace skord::html
