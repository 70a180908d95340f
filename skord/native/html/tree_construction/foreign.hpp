// SVG and MathML in a page.

#pragma once

#include "html/tree.hpp"

namespace skord::html {

// Gives an element of SVG or MathML, and its attributes, the capitals that their names have.
void adjust_names(Node *node);

// Where HTML, or text alone, may stand in foreign content (WHATWG HTML 13.2.6).
bool is_html_point(const Node *node);
bool is_mathml_text_point(const Node *node);

// Elements that end the search of some end tags (13.2.4.2, "special").
bool is_special(const Node *node);

}  // namespace skord::html
