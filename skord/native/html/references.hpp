// Character references: `&eacute;`, `&#233;`, `&#xE9;`.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace skord::html {

// What stands for a reference that was found behind a `&`.
struct Reference {
  size_t size = 0;  // characters of it, without the `&`; 0: there is none
  char text[8] = {};
  size_t text_size = 0;
};

// The reference that `rest`, the text behind a `&`, begins with (13.2.5, "character reference").
Reference reference_at(std::string_view rest, bool in_value);

// Bytes that a text may have once its references are decoded: `&nGt;` stands for six.
inline size_t room_without_references(size_t size) { return size + size / 5 + 1; }

// Writes a text without its references to `out`, which has that room. Returns the end.
char *decode_references(std::string_view text, bool in_value, char *out);

// Python's html.unescape, which reads a few odd references otherwise.
std::string unescaped(std::string_view text);

// Writes a code point as UTF-8; returns the number of bytes.
size_t put_utf8(uint32_t code, char *out);

}  // namespace skord::html
