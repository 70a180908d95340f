// Items of evaluation sets inside texts: seeded by runs of words, aligned word by word.

#pragma once

#include <cstdint>
#include <vector>

#include "text/arrow_texts.hpp"

namespace skord {

// Open addressing: a slot holds a hash and a number; hash 0 is an empty one. A power of two of
// slots.
struct HashTable {
  Numbers<const uint64_t> hashes;
  Numbers<const uint32_t> numbers;
};

// The items' different words and runs of `length` words.
struct ItemWords {
  size_t length;
  HashTable words, grams;
};

// In how many of the texts each word and each run is.
struct Frequencies {
  std::vector<uint32_t> words, grams;
};

Frequencies item_frequencies(const ArrowTexts &texts, const ItemWords &index, size_t num_words,
                             size_t num_grams);

// What stands where in the items, and what it counts.
//
// Run g is at `items[k]`, from word `places[k]` on, for first[g] <= k < first[g + 1]; `seeds[g]` is
// its evidence, 0 where it is too common to begin at. Item i is words[item_first[i]] and so on;
// `evidence` and `weights` are of each of its words.
struct Items {
  Numbers<const uint32_t> first, items, places;
  Numbers<const float> seeds;
  Numbers<const uint32_t> item_first, words;
  Numbers<const float> evidence, weights;
};

// Limits: of the evidence in one stretch of a text; of all of it, where the whole item is there, and
// how much more for the share that is missing; of the share of weight that is there.
struct Least {
  float stretch, evidence, missing, score;
};

// A text's share of an item: the weight of the words that both have in the same places, and where
// in the text (bytes) the best stretch is.
struct ItemMatches {
  std::vector<uint32_t> texts, items, starts, ends;
  std::vector<float> scores, evidence;
};

// A run that a text shares with an item is a seed. From it on both are compared word by word to
// either side, words up to `kDrift` places off count, and where misses outweigh matches by too much
// the stretch ends at its best (X-drop, Altschul et al. 1990). Ascending by text, then item.
ItemMatches item_matches(const ArrowTexts &texts, const ItemWords &index, const Items &items,
                         const Least &least);

}  // namespace skord
