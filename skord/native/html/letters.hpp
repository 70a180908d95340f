// What Python's str methods say of a character, and texts in lower case, cut to words.

#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/parts.hpp"
#include "text/unicode.hpp"

namespace skord::html {

// Of ASCII, and whether a text in lower case begins so, or is this.
using skord::lowered;
std::string lowered(std::string_view text);
inline bool begins_lowered(std::string_view text, std::string_view lower) {
  return text.size() >= lower.size() &&
         std::equal(lower.begin(), lower.end(), text.begin(), [](char a, char b) { return a == lowered(b); });
}
inline bool is_lowered(std::string_view text, std::string_view lower) {
  return text.size() == lower.size() && begins_lowered(text, lower);
}

inline bool is_blank(uint32_t code) { return skord::is_space(code); }  // str.isspace

// The first `most` characters.
std::string_view first_code_points(std::string_view text, size_t most);

// Texts one after another, such as words.
struct TextList {
  std::string text;
  std::vector<uint32_t> starts{0};  // of each, and the end of the last

  size_t size() const { return starts.size() - 1; }
  std::string_view operator[](size_t at) const {
    return std::string_view(text).substr(starts[at], starts[at + 1] - starts[at]);
  }
  void end() { starts.push_back(static_cast<uint32_t>(text.size())); }
  void clear() {
    text.clear();
    starts.assign(1, 0);
  }
};

// Adds the words of a text, in lower case, as `element_words.WORD` finds them in `text.lower()`: runs of letters
// and digits, and single letters of scripts that are written without spaces. If asked to, passes over
// what `invisible_at` finds, as if it were not there but to a capital sigma.
void add_words(std::string_view text, TextList &words, bool passes_invisible = false);

// Controls, soft hyphens, zero-width blanks and the marks of links: size of one that begins
// here, else 0.
size_t invisible_at(std::string_view text, size_t at);

// Whether `invisible_at` may say anything of a byte.
struct BeginsInvisible {
  constexpr bool operator()(uint8_t byte) const {
    return (byte < 9) | (byte == 0xB) | ((byte > 13) & (byte < 0x20)) | (byte == 0x7F) | (byte == 0xC2) |
           (byte == 0xE2) | (byte == 0xEF);
  }
};

std::string without_invisible(std::string_view text);
bool has_invisible(std::string_view text);

}  // namespace skord::html
