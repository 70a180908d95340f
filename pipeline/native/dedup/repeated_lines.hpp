// The lines of pages by their keys: which repeat one of the same page, or one of many pages.

#pragma once

#include <cstdint>

#include "bindings/numbers.hpp"

namespace skord {

// Where `key` stands in `sorted`, which is ascending; -1 where it does not.
int64_t place_of(Numbers<const uint64_t> sorted, uint64_t key);

// Of each line where its key stands in `sorted`, or -1, and whether no earlier line of its page
// has that key. `pages` is the page of each line; those of one page stand together.
void find_lines(Numbers<const uint64_t> sorted, Numbers<const uint64_t> keys,
                Numbers<const int64_t> pages, Numbers<int64_t> places, Numbers<uint8_t> first);

}  // namespace skord
