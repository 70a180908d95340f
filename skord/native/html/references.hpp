// Character references: `&eacute;`, `&#233;`, `&#xE9;`.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace skord::html {

// Bytes that a text may have once its references are decoded: `&nGt;` stands for six.
inline size_t room_without_references(size_t size) { return size + size / 5 + 1; }

// Writes a text without its references to `out`, which has that room. Returns the end.
char *decode_references(std::string_view text, bool in_value, char *out);

// Python's html.unescape, which reads a few odd references otherwise.
std::string unescaped(std::string_view text);

}  // namespace skord::html
