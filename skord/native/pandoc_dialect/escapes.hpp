// Pieces of text as Markdown: escapes, code and pictures, as pandoc 2.9.2.1 writes them.
//
// That version leaves the writing to libcmark (0.29, `commonmark.c` and `render.c`), whose rules
// for which characters get a backslash these are.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "pandoc_dialect/inlines.hpp"

namespace skord::pandoc_dialect {

// The marks of links at the start of a text: how many bytes.
size_t size_of_marks(std::string_view text);
size_t place_of_mark(std::string_view text, size_t at);  // of the first from there on, or npos
inline bool has_marks(std::string_view text) { return place_of_mark(text, 0) != text.npos; }
inline constexpr size_t kMarkSize = 3;
std::string without_marks(std::string_view text);

// A link's text between marks, blanks at its ends outside of them; `start` is the first mark.
std::string marked_link(std::string_view text, std::string_view start);

// Markup's text as it is meant; a parser's own output holds no other entities.
void append_unescaped(std::string &out, std::string_view text);
std::string unescaped(std::string_view text);

// A backslash before each character that could mean something; at the start of a line also
// before what a list begins with.
void append_escaped(std::string &out, std::string_view text, bool is_start);

// Text between the fewest backticks in a row that it does not hold.
std::string code_span(std::string_view text);

// The fence of a block of code: longer than any run of backticks in it.
std::string fence_of(std::string_view text);

// Raised or lowered text in digits and signs of its own; none where it has no such.
std::optional<std::string> script(std::string_view text, Style style);

// An image from the attributes of its tag, each with a blank before it, as markup has them.
Inline image_of(std::string_view attributes, std::string_view base);

// An address as seen from a page, as Python's `urllib.parse.urljoin` (3.11) joins it (RFC 3986, section 5).
// `base` is an absolute address; `address` as it is where it cannot be joined.
std::string url_joined(std::string_view base, std::string_view address);

// An address as Markdown has it between parentheses.
void append_address(std::string &out, std::string_view source);

// The value that follows `start`, such as ` class="`, up to the next quote.
std::optional<std::string_view> value_after(std::string_view attributes, std::string_view start);

}  // namespace skord::pandoc_dialect
