// Runs of words, hashed.

#pragma once

#include <cstdint>
#include <vector>

#include "bindings/numbers.hpp"
#include "text/arrow_texts.hpp"

namespace skord {

// A rolling polynomial over the hashes of `length` words in a row.
class Grams {
 public:
  explicit Grams(size_t length) {
    for (uint64_t power = kBase; length > 0; length >>= 1, power *= power) {
      if (length & 1) top_ *= power;
    }
  }
  // The next word; `gone` is the one that leaves the run, 0 as long as it is not full.
  void add(uint64_t word, uint64_t gone) { sum_ = sum_ * kBase + word - gone * top_; }
  uint64_t hash() const { return split_mixed(sum_) | 1; }  // never 0

 private:
  static constexpr uint64_t kBase = 0xD1342543DE82EF95;
  uint64_t sum_ = 0, top_ = 1;
};

// Of one word as a run.
inline uint64_t gram_hash(uint64_t word) { return split_mixed(word) | 1; }

// Hashes of all runs of `length` words of texts, text by text; `sizes` gets how many each has.
std::vector<uint64_t> word_grams(const ArrowTexts &texts, size_t length,
                                 std::vector<uint32_t> &sizes);

}  // namespace skord
