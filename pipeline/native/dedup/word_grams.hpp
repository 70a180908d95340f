// Runs of words that a table knows: where they are in texts.

#pragma once

#include <cstdint>
#include <vector>

#include "text/arrow_texts.hpp"

namespace skord {

// A run of words: its number in the table, and text, word and bytes where it stands.
struct GramHits {
  std::vector<uint32_t> grams, texts, words, starts, ends;
};

// Hashes of all runs of `length` words of texts, text by text; `sizes` gets how many each has.
std::vector<uint64_t> word_grams(const ArrowTexts &texts, size_t length,
                                 std::vector<uint32_t> &sizes);

// Open addressing: a slot holds a hash and the run's number; hash 0 is an empty one. A power of
// two of slots.
struct GramTable {
  Numbers<const uint64_t> hashes;
  Numbers<const uint32_t> numbers;
};

GramHits gram_hits(const ArrowTexts &texts, size_t length, const GramTable &table);

}  // namespace skord
