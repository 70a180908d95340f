// What bytes are as UTF-8.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "bindings/numbers.hpp"

namespace skord {

// Whether a byte goes on with a character; all others begin one.
constexpr bool is_trail(char byte) { return (static_cast<uint8_t>(byte) & 0xC0) == 0x80; }

// Bytes of the character that begins with this one; 1 for a byte that begins none.
constexpr size_t char_size(uint8_t first) {
  return first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
}

// The code point at `at`, which goes on behind it. Throws std::invalid_argument for one cut short.
inline uint32_t next_point(std::string_view text, size_t &at) {
  const auto first = static_cast<uint8_t>(text[at]);
  const size_t size = char_size(first);
  must_fit(size <= text.size() - at);
  uint32_t point = size == 1 ? first : first & (0x7Fu >> size);
  for (size_t byte = 1; byte < size; ++byte) {
    point = point << 6 | (static_cast<uint8_t>(text[at + byte]) & 0x3F);
  }
  at += size;
  return point;
}

// As Python decodes: no overlong forms, no surrogates, nothing beyond U+10FFFF.
bool is_utf8(std::string_view text);

// Whether UTF-8 holds controls other than tab, line feed, form feed and carriage return: those of C0
// and C1, and DEL.
bool holds_controls(std::string_view utf8);

// The first byte from `at` on of which `IsAsked` is true, or the end: in blocks, which compilers
// make vectors of, and by a table where a text is short or a block has one.
template <class IsAsked>
size_t find_byte(std::string_view text, size_t at) {
  struct Table {
    bool of[256] = {};
    constexpr Table() {
      for (int byte = 0; byte < 256; ++byte) of[byte] = IsAsked()(static_cast<uint8_t>(byte));
    }
  };
  static constexpr Table kTable;
  constexpr size_t kBlock = 32;
  for (; at + kBlock <= text.size(); at += kBlock) {
    uint8_t has_any = 0;
    for (size_t offset = 0; offset < kBlock; ++offset) {
      has_any |= IsAsked()(static_cast<uint8_t>(text[at + offset]));
    }
    if (has_any) break;
  }
  while (at < text.size() && !kTable.of[static_cast<uint8_t>(text[at])]) ++at;
  return at;
}

// How many characters UTF-8 has.
size_t num_chars(std::string_view text);

}  // namespace skord
