// MathML as TeX.

#pragma once

#include <string>
#include <string_view>

#include "html/tree.hpp"

namespace skord::html {

// The TeX of a `<math>` element: what its annotation or `alttext` says, else what its markup
// (MathML Core and MathML 3, chapter 3) amounts to.
std::string tex_of_math(const Node *math);

// TeX without delimiters, comments and what only sets its size: `$x$`, `{\displaystyle x}`.
std::string tidy_tex(std::string_view tex);

}  // namespace skord::html
