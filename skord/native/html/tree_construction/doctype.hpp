// What stands in a doctype, and whether it asks for quirks mode.

#pragma once

#include <string_view>

namespace skord::html {

struct Doctype {
  size_t name_start = 0, name_size = 0;  // in the text
  bool is_quirky = true;
};

// Args: the text between `<!doctype` and `>`, and whether the page ends in it.
Doctype read_doctype_parts(std::string_view text, bool is_cut);

}  // namespace skord::html
