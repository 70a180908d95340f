// The names of a page's headings, by which HTML refers to them.

#pragma once

#include <string>
#include <unordered_map>

#include "pandoc_dialect/blocks.hpp"

namespace skord::pandoc_dialect {

// For each heading a name of its own, made of its text.
std::unordered_map<const Block *, std::string> heading_names(const Blocks &page);

}  // namespace skord::pandoc_dialect
