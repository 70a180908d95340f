// What bytes are as UTF-8.

#pragma once

#include <cstddef>
#include <string_view>

namespace skord {

// As Python decodes: no overlong forms, no surrogates, nothing beyond U+10FFFF.
bool is_utf8(std::string_view text);

// How many characters UTF-8 has.
size_t num_chars(std::string_view text);

}  // namespace skord
