// Which of the texts that share keys is kept: one pass over them in the order of their ranks.

#pragma once

#include <cstdint>

#include "bindings/numbers.hpp"

namespace skord {

// Counts the rows of each rank into `rows_of`.
void count_rows(Numbers<const uint32_t> ranks, Numbers<uint8_t> rows_of);

// How the buckets of one partition are numbered among those of all: its first `num_near` are of
// bands, numbered from `near` on, the others of equal texts, numbered from `exact` on.
struct Numbering {
  uint64_t num_near, near, exact;
};

// Writes the buckets of each rank to its place in `out`.
// at: of each rank from `low` on the next place in `out`; changed.
void fill_rows(Numbers<const uint32_t> ranks, Numbers<const uint32_t> buckets,
               const Numbering &numbering, uint64_t low, Numbers<int64_t> at,
               Numbers<uint32_t> out);

// Writes the signatures, shape (texts, 14), of texts that are `is_signed` to the rows of `out` that
// `place_of` has for their ranks, the first of which is `first_rank`; negative: not wanted.
void gather_signatures(Numbers<const uint64_t> bands, Numbers<const uint8_t> is_signed,
                       Numbers<const uint32_t> ranks, Numbers<const int32_t> place_of,
                       uint64_t first_rank, Numbers<uint64_t> out);

// What has been decided so far, and what about.
struct Decided {
  Numbers<int32_t> owner;             // of each bucket the first kept document, or -1
  uint64_t first_exact;               // buckets from here on hold equal texts
  Numbers<const uint64_t> signatures; // shape (slots, 14)
  Numbers<const int32_t> slots;       // of each document that is asked for its signature
  uint64_t least_equal;               // bytes of 112 that must agree with the kept document
  Numbers<int32_t> keeper;            // of each document the most similar kept one; -1: is kept
  Numbers<uint8_t> equal;             // of each document the bytes that agree with its keeper
};

// Decides documents `first`, `first` + 1, … in this order. starts: where the buckets of each
// begin, and the end.
void decide_greedily(uint64_t first, Numbers<const int64_t> starts,
                     Numbers<const uint32_t> buckets, const Decided &decided);

// As `decide_greedily`, but a document joins every one it resembles, kept or not: `keeper`
// becomes a forest, -1 or a document of lower rank in the same component. An owner is the first
// document of its bucket. `equal` is left alone.
void join_components(uint64_t first, Numbers<const int64_t> starts,
                     Numbers<const uint32_t> buckets, const Decided &decided);

// Points every document at the root of its component, and says what agrees with that.
void settle_components(Numbers<const uint64_t> signatures, Numbers<int32_t> keeper,
                       Numbers<uint8_t> equal);

}  // namespace skord
