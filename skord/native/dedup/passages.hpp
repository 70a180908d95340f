// Runs of so many tokens that texts share: anchors that find them, and prints that prove them.

#pragma once

#include <cstdint>
#include <vector>

#include "text/arrow_texts.hpp"

namespace skord {

// Hash of half a passage, and where it begins: text, and token in it.
struct Anchors {
  std::vector<uint64_t> keys;
  std::vector<uint32_t> texts, places;
};

// Chosen by winnowing (Schleimer, Wilkerson & Aiken 2003): of each `length` tokens in a row at
// least one half that lies within them is chosen, by what they say and nothing else.
Anchors passage_anchors(const ArrowTexts &texts, size_t length);

// 128 bits of `length` tokens in a row, and where these begin.
struct Prints {
  std::vector<uint64_t> high, low;
  std::vector<uint32_t> texts, places;
};

// Of all runs of `length` tokens around the anchors at some places; ascending by text, then place.
Prints passage_prints(const ArrowTexts &texts, size_t length, Numbers<const uint32_t> of_texts,
                      Numbers<const uint32_t> places);

}  // namespace skord
