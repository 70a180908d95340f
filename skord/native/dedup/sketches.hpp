// Signatures of texts: sketches of their runs of characters, digests, the published band keys.

#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "bindings/numbers.hpp"
#include "text/arrow_texts.hpp"

namespace skord {

constexpr size_t kCodePoints = 0x110000;

// Whether a table makes small letters of ASCII's capitals, keeps small letters, digits, `_` and
// space, and makes `-` of the rest: then vectors can do as much without looking anything up.
bool lowers_ascii(const uint32_t *table);

// Decodes UTF-8 and looks each code point up in `table`, shape (0x110000,), of which `lowers` tells
// what `lowers_ascii` says. `out` has room for one number a byte; returns how many were written.
size_t code_points(std::string_view text, const uint32_t *table, bool lowers, uint32_t *out);

// Writes the one-permutation sketch of each text into its row of `out`, shape (texts, bins);
// valid: whether the text has a run of `shingle_chars` at all. `table` is as of `code_points`.
void sketches(const ArrowTexts &texts, Numbers<const uint32_t> table, size_t shingle_chars,
              size_t bins, Numbers<uint8_t> out, Numbers<uint8_t> valid);

// XXH64, seed 0.
uint64_t xxh64(std::string_view data);

// Writes that of each text.
void digests(const ArrowTexts &texts, Numbers<uint64_t> out);

// The random numbers of the published code; a, b and c have one for each row of a signature.
struct PublishedNumbers {
  Numbers<const uint64_t> a, b, c;
  uint64_t z;
};

// Writes the band keys of the published code, shape (texts, bands), for texts that are `made`:
// those that have 16 characters and are not `odd`. Odd are those with a code point that `table`
// has as 2^32 - 1, because its lower case is not one and the same code point.
void published_keys(const ArrowTexts &texts, Numbers<const uint32_t> table,
                    const PublishedNumbers &numbers, size_t bands, Numbers<uint64_t> out,
                    Numbers<uint8_t> made, Numbers<uint8_t> odd);

}  // namespace skord
