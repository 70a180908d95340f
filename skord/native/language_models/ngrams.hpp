// KenLM's n-gram models: the score of a line of words.
//
// Heafield 2011, "KenLM: Faster and Smaller Language Model Queries". The files are what its
// `build_binary` writes, version 5: "probing" ones are read where they lie, so that the processes
// of one machine share them; tries are unpacked into the same hash tables when they are loaded.
// Scores are the same floats, added in the same order, as those of the kenlm package.

#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <vector>

#include "bindings/reading.hpp"

namespace skord {

constexpr uint32_t kUnknownWord = 0;
constexpr unsigned kMaxOrder = 6;  // as the kenlm package is built

// KenLM's hash of a word (MurmurHash64A, seed 0).
uint64_t hash_word(std::string_view word);

// A node of the search: the hash of words, the last one first.
inline uint64_t extend(uint64_t node, uint32_t word) {
  return (node * 8978948897894561157ULL) ^
         (static_cast<uint64_t>(1 + word) * 17894857484156487943ULL);
}

// Where a search begins: in a file at `key % buckets`, as build_binary lays it out; in tables of
// our own at the same share of the buckets as the key is of all numbers, which takes no division.
enum class Placing { by_rest, by_share };

// A hash table of records that begin with a 64-bit key, never 0, in a file or in memory: a key
// stands in the first free place from where its search begins.
class Records {
 public:
  Records() = default;
  Records(const uint8_t *start, uint64_t buckets, size_t size, Placing placing)
      : start_(start), buckets_(buckets), size_(size), placing_(placing) {}

  uint64_t first_place(uint64_t key) const {
    if (placing_ == Placing::by_rest) return key % buckets_;
    return static_cast<uint64_t>((static_cast<unsigned __int128>(key) * buckets_) >> 64);
  }

  void prefetch(uint64_t key) const { __builtin_prefetch(start_ + first_place(key) * size_); }

  // What follows the key in its record, or nullptr.
  const uint8_t *find(uint64_t key) const {
    uint64_t at = first_place(key);
    for (uint64_t tries = 0; tries < buckets_; ++tries) {
      const uint8_t *record = start_ + at * size_;
      const uint64_t stored = load<uint64_t>(record);
      if (stored == key) return record + sizeof stored;
      if (stored == 0) return nullptr;
      if (++at == buckets_) at = 0;
    }
    return nullptr;
  }

 private:
  const uint8_t *start_ = nullptr;
  uint64_t buckets_ = 1;
  size_t size_ = 0;
  Placing placing_ = Placing::by_rest;
};

struct Freed {
  void operator()(uint8_t *memory) const { std::free(memory); }
};
using Memory = std::unique_ptr<uint8_t[], Freed>;

// What a model consists of, wherever it came from. A probability has its sign bit set where the
// n-gram is the end of all that is known to the left; it stands for a negative number either way.
struct NgramTables {
  unsigned order = 0;
  uint64_t num_words = 0;
  const uint8_t *unigrams = nullptr;  // for each word probability and back-off, 8 bytes
  std::vector<Records> middle;        // for each order from 2: probability and back-off
  Records longest;                    // of the highest order: the probability
  Records probed_words;               // hash of a word to its number; for probing files
  const uint8_t *sorted_words = nullptr;  // for tries: the hashes of words 1 to num_sorted
  uint64_t num_sorted = 0;
  Memory unpacked;  // what a trie was unpacked to
};

class NgramModel {
 public:
  // `file` must outlive the model. Throws Unsupported for what is no binary file of version 5,
  // for models with rest costs, more than `max_unpacked` n-grams in a trie or an order beyond
  // KenLM's; Damaged for one that contradicts itself.
  NgramModel(std::string_view file, uint64_t max_unpacked);

  // The number of a word, kUnknownWord for one that the model does not have.
  uint32_t word(std::string_view text) const;

  // log10 of the probability of the line with its begin and end.
  float score(const std::vector<uint32_t> &words) const;

 private:
  struct State {
    unsigned length;
    uint32_t words[kMaxOrder];
    float backoff[kMaxOrder];
  };
  void prefetch(const std::vector<uint32_t> &words, size_t at) const;
  float step(const State &before, uint32_t word, State &after) const;

  NgramTables tables_;
  uint32_t end_;
  State begin_;
};

// Where the tables lie in a file; used by NgramModel alone.
NgramTables read_ngrams(std::string_view file, uint64_t max_unpacked);

}  // namespace skord
