// Runs of words, hashed.

#pragma once

#include <cstdint>
#include <vector>

#include "bindings/numbers.hpp"
#include "text/arrow_texts.hpp"

namespace skord {

// A rolling polynomial over the hashes of `length` tokens in a row, modulo 2^64.
class Rolling {
 public:
  explicit Rolling(size_t length, uint64_t base = 0xD1342543DE82EF95) : base_(base) {
    for (; length > 0; --length) top_ *= base;
  }
  // The next token; `gone` is the one that leaves the run, 0 as long as it is not full.
  void add(uint64_t token, uint64_t gone) { sum_ = sum_ * base_ + token - gone * top_; }
  uint64_t sum() const { return sum_; }

 private:
  uint64_t base_, top_ = 1, sum_ = 0;
};

// The hash of a run of words, by the sum of all; that of one word is its hash. Never 0.
inline uint64_t gram_hash(uint64_t sum) { return split_mixed(sum) | 1; }

// Hashes of all runs of `length` words of texts, text by text, and how many each has.
struct WordGrams {
  std::vector<uint64_t> hashes;
  std::vector<uint32_t> sizes;
};
WordGrams word_grams(const ArrowTexts &texts, size_t length);

}  // namespace skord
