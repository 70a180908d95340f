// Characters as Python's `str` sees them, and UTF-8. Tables are of Unicode 14.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "text/utf8.hpp"

namespace skord {

struct Range {
  uint32_t first, last;
};

struct LowerCase {
  uint32_t first, last;
  int32_t added;
  uint32_t step;
};

// The character that begins a text which is not empty, and how many bytes it has. The text is
// valid UTF-8, surrogates perhaps; what is cut off counts as one byte each.
struct Character {
  uint32_t code;
  size_t size;
};
Character longer_character(std::string_view text);
Character last_character(std::string_view text);
inline Character first_character(std::string_view text) {
  // ASCII, or a byte that no character begins with, which stands for itself.
  const uint8_t first = static_cast<uint8_t>(text[0]);
  return first < 0xC0 ? Character{first, 1} : longer_character(text);
}

// A code point of valid UTF-8; moves `at` behind it.
inline uint32_t next_code(std::string_view text, size_t &at) {
  text.remove_prefix(at);
  const Character sign = first_character(text);
  at += sign.size;
  return sign.code;
}

// Writes a character to `out`; how many bytes that are, four at most.
size_t put_utf8(uint32_t code, char *out);
inline void append_utf8(std::string &out, uint32_t code) {
  char bytes[4];
  return code < 0x80 ? out.push_back(static_cast<char>(code)) : void(out.append(bytes, put_utf8(code, bytes)));
}

// One comparison for both ends of a range: what is below it wraps around to a large number.
constexpr bool is_ascii_digit(uint32_t code) { return code - '0' < 10u; }
constexpr bool is_ascii_letter(uint32_t code) { return (code | 0x20) - 'a' < 26u; }

// Of ASCII alone, so that bytes of other characters stay as they are.
constexpr char lowered(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 32) : c; }

// Signs of ASCII, which a backslash escapes in Markdown.
constexpr bool is_ascii_punctuation(char sign) {
  return sign > ' ' && sign < 0x7F && !is_ascii_letter(sign) && !is_ascii_digit(sign);
}

bool is_alnum(uint32_t code);
bool is_alpha(uint32_t code);
bool is_digit(uint32_t code);    // also "²" and "①"
bool is_decimal(uint32_t code);  // of any script
int decimal_value(uint32_t code);
bool is_space_beyond_ascii(uint32_t code);
inline bool is_space(uint32_t code) {
  if (code < 0x80) return code == ' ' || code - '\t' < 5u || code - 0x1C < 4u;
  return is_space_beyond_ascii(code);
}

inline bool is_word(uint32_t code) { return code == '_' || is_alnum(code); }

// What a capital sigma asks of its neighbours (Unicode, section 3.13, Final_Sigma): whether it is a
// letter with cases, and whether it is passed over.
bool is_cased(uint32_t code);
bool is_case_ignorable(uint32_t code);

// Lower case of one character, where that is one character.
uint32_t lower_beyond_ascii(uint32_t code);
inline uint32_t lower(uint32_t code) {
  if (code >= 0x80) return lower_beyond_ascii(code);
  return code - 'A' < 26u ? code + 32 : code;
}

// Without what `is_space` at the ends.
std::string_view stripped(std::string_view text);
std::string_view left_stripped(std::string_view text);
std::string_view right_stripped(std::string_view text);

}  // namespace skord
