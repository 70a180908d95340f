// What bytes are as UTF-8.

#pragma once

#include <cstddef>
#include <string_view>

namespace skord {

// As Python decodes: no overlong forms, no surrogates, nothing beyond U+10FFFF.
bool is_utf8(std::string_view text);

// Whether UTF-8 holds controls other than tab, line feed, form feed and carriage return: those of C0
// and C1, and DEL.
bool holds_controls(std::string_view utf8);

// How many characters UTF-8 has.
size_t num_chars(std::string_view text);

}  // namespace skord
