// A cleaned page to Markdown, in the dialect of pandoc 2.9.2.1.
//
// The markup is read from its first tag to its last as that version's HTML reader reads it, and
// written as its writer writes, but for what docs/explanation/markdown.md lists.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "html/page.hpp"

namespace skord::pandoc_dialect {

// Why there is no Markdown. Cleaned pages are never so: cleaning sees to it.
enum class Decline {
  none,
  columns,  // a table with more columns or fields than any reader could follow
  nesting,  // lists, quotations, tables or styles deeper than any reader could follow
};

// A half-open range of characters (code points) of the Markdown.
struct LinkSpan {
  size_t start, end;
};

struct Result {
  std::string markdown;  // ends in one line break, or is empty
  std::vector<LinkSpan> links;  // what was the text of links, in rising order
  Decline decline = Decline::none;  // otherwise the others are empty
};

// UTF-8 in and out. `cleaned` is as `html.cleaning` writes it, marks of links included. By the address in
// `<head><base href="…"></head>` at its start those of images become absolute.
Result convert(std::string_view cleaned);

// Around the text of links, while they are written: between the two of cleaned markup, one that goes on
// with a link behind a tag within it.
using html::kLinkEnd;
using html::kLinkStart;
inline constexpr std::string_view kLinkGoesOn = "\xEF\xB7\x91";

}  // namespace skord::pandoc_dialect
