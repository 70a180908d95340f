// The lines of pages by their keys: which repeat one of the same page, or one of many pages.

#pragma once

#include <cstdint>
#include <vector>

#include "bindings/numbers.hpp"

namespace skord {

// Where `key` stands in `sorted`, which is ascending; -1 where it does not.
int64_t place_of(Numbers<const uint64_t> sorted, uint64_t key);

// Of each line where its key stands in `sorted`, or -1, and whether no earlier line of its page
// has that key. `pages` is the page of each line; those of one page stand together.
void find_lines(Numbers<const uint64_t> sorted, Numbers<const uint64_t> keys,
                Numbers<const int64_t> pages, Numbers<int64_t> places, Numbers<uint8_t> first);

// Keys in the order in which they first come, and how many pages hold each.
struct CountedKeys {
  std::vector<uint64_t> keys;
  std::vector<int64_t> pages;
};

// `lengths` is how many of the keys each page has; `places` gets where each stands among those
// that differ.
CountedKeys count_keys(Numbers<const uint64_t> keys, Numbers<const int64_t> lengths,
                       Numbers<int32_t> places);

}  // namespace skord
