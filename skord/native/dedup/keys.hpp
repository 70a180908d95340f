// Keys of many texts: scattered into partitions by their value, and those that several texts share.

#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "bindings/numbers.hpp"

namespace skord {

// A piece of one partition's keys of one band. Those of a dump decided long ago bear its
// number, those of the dump that is to be decided a negative one.
struct KeyPiece {
  Numbers<const uint64_t> keys;
  Numbers<const uint32_t> ranks;
  int64_t dump;
};

// Keys of some texts: of each row of `width` words the `count` from `first` on.
struct KeyRows {
  Numbers<const uint64_t> words;
  size_t width, first, count;
};

// Room for numbers that is kept for the next use; what it holds is undefined.
template <class T>
class Scratch {
 public:
  T *of(size_t size) {
    if (size > size_) numbers_.reset(new T[size_ = size]);
    return numbers_.get();
  }

 private:
  std::unique_ptr<T[]> numbers_;
  size_t size_ = 0;
};

// Rows of one partition and band in order of the lowest bits of their keys.
template <class Value>
struct RowsByPart {
  Scratch<uint64_t> key_room;
  Scratch<Value> value_room;
  const uint64_t *keys;
  const Value *values;
  std::vector<size_t> starts;

  void scatter(const std::vector<KeyPiece> &pieces, bool earlier, size_t num_parts);
};

// Rows of the dump to be decided whose key another row or an earlier text has, too.
struct SharedRows {
  std::vector<uint32_t> ranks, buckets;  // in order of the range of ranks
  std::vector<int64_t> starts;           // where each range begins, and the end
  size_t num_buckets = 0;                // numbered from the first bucket on
  std::vector<uint32_t> held;            // buckets that an earlier text has
  std::vector<int64_t> holders;          // dump * 2^32 + rank of the first that has it

  void clear();
};

// Scatters the mixed keys of texts into partitions: equal ranges of the keys' high halves.
class KeyScatter {
 public:
  KeyScatter(size_t num_bands, size_t num_parts);

  // band: which of theirs the first key of a text is. The keys count for texts that are `taken`,
  // or for all if that is empty; texts whose rank is `no_rank` do not compete, and have no keys.
  void add(size_t band, const KeyRows &keys, Numbers<const uint8_t> taken,
           Numbers<const uint32_t> ranks, uint32_t no_rank);

  // The keys and ranks of one partition and, in it, of one band, number num_bands * partition +
  // band, in the order of the texts; they are forgotten.
  std::pair<std::vector<uint64_t>, std::vector<uint32_t>> take(size_t place);

  // The rows of a place whose key another of them has too, or a text of an `earlier` dump; they are
  // forgotten. A bucket is a key that is shared; they are numbered from `first_bucket` on.
  const SharedRows &shared_keys(size_t place, const std::vector<KeyPiece> &earlier,
                                unsigned range_bits, size_t num_ranges, uint32_t first_bucket);

 private:
  void forget(size_t place);
  static constexpr size_t kBlockRows = 4096;
  // Room is asked for in pieces that the C library gets from the system, and gives back to it.
  static constexpr size_t kFewestBlocks = 64, kMostBlocks = 1024;
  struct Block {
    size_t size;
    uint64_t keys[kBlockRows];
    uint32_t ranks[kBlockRows];
  };
  void make_room(size_t band, size_t rows);
  Block *new_block();

  size_t num_bands_, num_parts_;
  std::vector<std::vector<Block *>> places_;
  std::vector<Block *> last_;
  std::vector<std::unique_ptr<Block[]>> slabs_;
  size_t unused_ = 0, slab_blocks_ = kFewestBlocks / 2;  // of the last slab
  std::vector<Block *> spare_;
  RowsByPart<uint32_t> own_;          // what `shared_keys` works with, kept for the next time
  SharedRows shared_, ordered_;
};

}  // namespace skord
