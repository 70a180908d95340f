// Which characters of a page's Markdown were the text of links.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pandoc_dialect/convert.hpp"

namespace skord::pandoc_dialect {

// Takes the marks out of a text; the ranges that stood between them, in their order.
std::vector<LinkSpan> take_marks_out(std::string &text);

}  // namespace skord::pandoc_dialect
