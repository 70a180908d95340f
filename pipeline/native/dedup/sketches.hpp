// Signatures of texts: sketches of their runs of characters, digests, the published band keys.

#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "bindings/numbers.hpp"

namespace skord {

// Texts as Arrow holds them: all UTF-8 in one buffer, and where each begins, the end last.
class ArrowTexts {
 public:
  // Throws std::invalid_argument where a text lies outside of the bytes.
  ArrowTexts(Numbers<const uint64_t> starts, std::string_view bytes);

  size_t size() const { return starts_.size - 1; }
  std::string_view operator[](size_t text) const {
    return bytes_.substr(starts_[text], starts_[text + 1] - starts_[text]);
  }
  size_t longest() const;  // bytes

 private:
  Numbers<const uint64_t> starts_;
  std::string_view bytes_;
};

constexpr size_t kCodePoints = 0x110000;

// Decodes UTF-8 and looks each code point up in `table`, shape (0x110000,). `out` has room for
// one number a byte; returns how many were written.
size_t code_points(std::string_view text, const uint32_t *table, uint32_t *out);

// Writes the one-permutation sketch of each text into its row of `out`, shape (texts, bins);
// valid: whether the text has a run of `shingle_chars` at all.
void sketch(const ArrowTexts &texts, const uint32_t *table, size_t shingle_chars, size_t bins,
            Numbers<uint8_t> out, Numbers<uint8_t> valid);

// XXH64, seed 0.
uint64_t xxh64(std::string_view data);

// The random numbers of the published code; a, b and c have one for each row of a signature.
struct PublishedNumbers {
  Numbers<const uint64_t> a, b, c;
  uint64_t z;
};

// Writes the band keys of the published code, shape (texts, bands), for texts that are `made`:
// those that have 16 characters and are not `odd`. Odd are those with a code point that `table`
// has as 2^32 - 1, because its lower case is not one and the same code point.
void published_keys(const ArrowTexts &texts, const uint32_t *table,
                    const PublishedNumbers &numbers, size_t bands, Numbers<uint64_t> out,
                    Numbers<uint8_t> made, Numbers<uint8_t> odd);

}  // namespace skord
