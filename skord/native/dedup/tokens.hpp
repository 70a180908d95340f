// The tokens of a text, hashed: as they stand, or as words without case and punctuation.

#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace skord {

// Half-open range of bytes, and a hash of what it says.
struct Token {
  uint64_t hash;
  uint32_t start, end;
};

// Runs without blanks, no-break and thin ones included, as they stand; a kana or Han character is a token of its own.
void blank_tokens(std::string_view text, std::vector<Token> &out);

// Runs of letters, marks and digits in lower case; a kana or Han character is one of its own. What
// is neither ASCII nor in the blocks of punctuation of Unicode's first plane counts as a letter.
void word_tokens(std::string_view text, std::vector<Token> &out);

}  // namespace skord
