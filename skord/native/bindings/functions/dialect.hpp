// A page's Markdown as Python sees it.

#pragma once

#include "bindings/bindings.hpp"
#include "pandoc_dialect/convert.hpp"

namespace skord {

// Markdown, ranges of links, and the reason for declining or "".
PyObject *markdown_of(const pandoc_dialect::Result &result);

}  // namespace skord
