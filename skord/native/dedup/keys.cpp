#include "dedup/keys.hpp"

#include <algorithm>

namespace skord {

namespace {

constexpr size_t kBlockTexts = 512;
// A part has about so many rows, so that its tables stay in the nearest caches.
constexpr size_t kPartRows = 1 << 12;
constexpr int64_t kNobody = INT64_MAX;
constexpr uint32_t kAlone = UINT32_MAX, kShared = UINT32_MAX - 1;  // in place of a bucket

size_t power_of_two(size_t least) {
  size_t power = 2;
  while (power < least) power *= 2;
  return power;
}

// Which keys of a part may be there twice: most are not, and need not be looked up.
class Seen {
 public:
  void clear() { std::fill_n(times_, kCells, 0); }
  void add(uint64_t key) {
    uint8_t &times = times_[cell(key)];
    // Stays at 2: it never wraps to "once". Two keys in one cell cost a look-up, never a miss.
    times = static_cast<uint8_t>(times + (times < 2));
  }
  bool twice(uint64_t key) const { return times_[cell(key)] > 1; }

 private:
  static constexpr size_t kCells = 1 << 15;  // eight for a row, and half of the nearest cache
  // Bits 24 and up: in a part the lowest bits of all keys are equal, in a partition the highest.
  static size_t cell(uint64_t key) { return (key >> 24) & (kCells - 1); }
  uint8_t times_[kCells];
};

// Where equal keys meet.
class Leaders {
 public:
  void clear(size_t rows) {
    // At most half full, so that a free cell ends every search.
    const size_t cells = power_of_two(2 * rows);
    if (cells_.size() < cells) cells_.resize(cells);
    std::fill_n(cells_.begin(), cells, 0);
    mask_ = cells - 1;
  }
  // The first row with the same key as this one, which is added after all before it.
  uint32_t add(const uint64_t *keys, uint32_t row) {
    uint32_t &cell = cell_of(keys, keys[row]);
    if (cell == 0) cell = row + 1;
    return cell - 1;
  }
  // The first row that has the key, or -1.
  int64_t find(const uint64_t *keys, uint64_t key) { return int64_t(cell_of(keys, key)) - 1; }

 private:
  // The cell of the key, or the free one that it would have.
  uint32_t &cell_of(const uint64_t *keys, uint64_t key) {
    size_t at = (key >> 24) & mask_;
    while (cells_[at] != 0 && keys[cells_[at] - 1] != key) at = (at + 1) & mask_;
    return cells_[at];
  }

  std::vector<uint32_t> cells_;  // a row's number + 1; 0: free
  size_t mask_ = 0;
};

// The rows of one part whose key another of them has too, or an earlier text.
class Part {
 public:
  explicit Part(uint32_t first_bucket) : first_bucket_(first_bucket) {}

  void find(const RowsByPart<uint32_t> &own, const RowsByPart<int64_t> *before, size_t part,
            SharedRows &shared) {
    const uint64_t *keys = own.keys + own.starts[part];
    const size_t rows = own.starts[part + 1] - own.starts[part];
    const size_t first = before ? before->starts[part] : 0;
    const size_t end = before ? before->starts[part + 1] : 0;
    seen_.clear();
    // First a filter that knows only whether a key's cell was hit twice: nearly all keys are
    // alone, and are done with after one look at memory that fits the cache.
    for (size_t row = 0; row < rows; ++row) seen_.add(keys[row]);
    for (size_t row = first; row < end; ++row) seen_.add(before->keys[row]);
    uint32_t *maybe = maybe_.of(rows + 1);  // one more, for what is written and does not count
    size_t size = 0;
    for (uint32_t row = 0; row < rows; ++row) {
      maybe[size] = row;  // always written, kept if the size grows: no branch to mispredict
      size += seen_.twice(keys[row]);
    }
    lead(keys, rows, size);
    if (before) own_earlier(*before, first, end, keys, rows);
    number(own.values + own.starts[part], size, before != nullptr, shared);
  }

 private:
  // Of the rows that may share a key, the first with each key leads the others.
  void lead(const uint64_t *keys, size_t rows, size_t size) {
    leaders_.clear(size);
    // Not cleared: only the rows in `maybe_` are written below, and none but those are read later.
    leader_.resize(rows);
    bucket_.resize(rows);
    for (size_t at = 0; at < size; ++at) {
      const uint32_t row = maybe_.of(0)[at], leader = leaders_.add(keys, row);
      leader_[row] = leader;
      bucket_[row] = kAlone;
      if (leader != row) bucket_[leader] = kShared;
    }
  }

  // A leader's bucket is held by the best of the earlier texts that have its key.
  void own_earlier(const RowsByPart<int64_t> &before, size_t first, size_t end, const uint64_t *keys,
                   size_t rows) {
    owner_.assign(rows, kNobody);
    for (size_t row = first; row < end; ++row) {
      const int64_t leader = leaders_.find(keys, before.keys[row]);
      if (leader < 0) continue;
      bucket_[size_t(leader)] = kShared;
      // The least dump * 2^32 + rank: the oldest dump's text, and of that dump's the best ranked.
      owner_[size_t(leader)] = std::min(owner_[size_t(leader)], before.values[row]);
    }
  }

  // Numbers the shared buckets in the order of their leaders, and writes down who is in them.
  void number(const uint32_t *ranks, size_t size, bool has_earlier, SharedRows &shared) {
    for (size_t at = 0; at < size; ++at) {
      const uint32_t row = maybe_.of(0)[at];
      uint32_t &bucket = bucket_[leader_[row]];
      if (bucket == kAlone) continue;
      // Rows ascend, so that a leader comes first and its followers find the bucket numbered.
      if (leader_[row] == row) {
        bucket = first_bucket_ + static_cast<uint32_t>(shared.num_buckets++);
        if (has_earlier && owner_[row] != kNobody) {
          shared.held.push_back(bucket);
          shared.holders.push_back(owner_[row]);
        }
      }
      shared.ranks.push_back(ranks[row]);
      shared.buckets.push_back(bucket);
    }
  }

  uint32_t first_bucket_;
  Seen seen_;
  Leaders leaders_;
  Scratch<uint32_t> maybe_;
  std::vector<uint32_t> leader_, bucket_;  // of each row; a bucket is that of a leader
  std::vector<int64_t> owner_;
};

// The rows in order of the range of 2^bits ranks that they are in.
void order_by_range(SharedRows &rows, SharedRows &ordered, unsigned bits, size_t num_ranges) {
  rows.starts.assign(num_ranges + 1, 0);
  for (const uint32_t rank : rows.ranks) {
    must_fit(rank >> bits < num_ranges);
    ++rows.starts[(rank >> bits) + 1];
  }
  for (size_t range = 0; range < num_ranges; ++range) rows.starts[range + 1] += rows.starts[range];
  if (num_ranges < 2) return;
  // A counting sort, stable: rows of one range keep the order in which they were found.
  std::vector<int64_t> at(rows.starts);
  ordered.ranks.resize(rows.ranks.size());
  ordered.buckets.resize(rows.ranks.size());
  for (size_t row = 0; row < rows.ranks.size(); ++row) {
    const auto place = static_cast<size_t>(at[rows.ranks[row] >> bits]++);
    ordered.ranks[place] = rows.ranks[row];
    ordered.buckets[place] = rows.buckets[row];
  }
  rows.ranks.swap(ordered.ranks);
  rows.buckets.swap(ordered.buckets);
}

}  // namespace

template <class Value>
void RowsByPart<Value>::scatter(const std::vector<KeyPiece> &pieces, bool earlier, size_t num_parts) {
  starts.assign(num_parts + 1, 0);
  for (const KeyPiece &piece : pieces) {
    if ((piece.dump >= 0) != earlier) continue;
    for (const uint64_t key : piece.keys) ++starts[(key & (num_parts - 1)) + 1];
  }
  for (size_t part = 0; part < num_parts; ++part) starts[part + 1] += starts[part];
  uint64_t *to_keys = key_room.of(starts.back());
  Value *to_values = value_room.of(starts.back());
  std::vector<size_t> at(starts);
  for (const KeyPiece &piece : pieces) {
    if ((piece.dump >= 0) != earlier) continue;
    const Value dump = earlier ? static_cast<Value>(static_cast<uint64_t>(piece.dump) << 32) : 0;
    for (size_t row = 0; row < piece.keys.size; ++row) {
      const size_t place = at[piece.keys[row] & (num_parts - 1)]++;
      to_keys[place] = piece.keys[row];
      to_values[place] = dump | static_cast<Value>(piece.ranks[row]);
    }
  }
  keys = to_keys;
  values = to_values;
}

void SharedRows::clear() {
  num_buckets = 0;
  ranks.clear();
  buckets.clear();
  held.clear();
  holders.clear();
}

KeyScatter::KeyScatter(size_t num_bands, size_t num_parts)
    : num_bands_(num_bands), num_parts_(num_parts) {
  must_fit(num_parts > 0 && num_parts < (1u << 20) && num_bands > 0 && num_bands < 1000);
  places_.resize(num_bands * num_parts);
  last_.resize(places_.size());
}

// The band's last blocks get room for so many rows more.
void KeyScatter::make_room(size_t band, size_t rows) {
  for (size_t place = band; place < places_.size(); place += num_bands_) {
    if (last_[place] != nullptr && kBlockRows - last_[place]->size >= rows) continue;
    places_[place].push_back(new_block());
    last_[place] = places_[place].back();
  }
}

KeyScatter::Block *KeyScatter::new_block() {
  Block *block;
  if (!spare_.empty()) {
    block = spare_.back();
    spare_.pop_back();
  } else {
    if (unused_ == 0) {
      slab_blocks_ = std::min(2 * slab_blocks_, kMostBlocks);
      slabs_.emplace_back(new Block[slab_blocks_]);
      unused_ = slab_blocks_;
    }
    block = &slabs_.back()[slab_blocks_ - unused_--];
  }
  block->size = 0;
  return block;
}

void KeyScatter::add(size_t band, const KeyRows &keys, Numbers<const uint8_t> taken,
                     Numbers<const uint32_t> ranks, uint32_t no_rank) {
  const size_t texts = ranks.size;
  must_fit(keys.first < keys.width && keys.count <= keys.width - keys.first);
  must_fit(keys.words.size == texts * keys.width && (taken.size == texts || taken.size == 0));
  must_fit(band <= num_bands_ && keys.count <= num_bands_ - band);
  for (size_t first = 0; first < texts; first += kBlockTexts) {
    const size_t end = std::min(first + kBlockTexts, texts);
    for (size_t key = 0; key < keys.count; ++key) {
      // One band of some texts after another: few blocks are written to in turn, and these stay in
      // the cache, as do the texts' keys, which are read with a stride once for each band.
      make_room(band + key, end - first + 1);  // one more, for what is written and does not count
      for (size_t text = first; text < end; ++text) {
        const uint64_t mixed = split_mixed(keys.words[text * keys.width + keys.first + key]);
        // A range without a division: Lemire 2019, "Fast Random Integer Generation in an
        // Interval".
        const size_t part = ((mixed >> 32) * num_parts_) >> 32;
        Block &to = *last_[part * num_bands_ + band + key];
        to.keys[to.size] = mixed;
        to.ranks[to.size] = ranks[text];
        to.size += ranks[text] != no_rank && (taken.size == 0 || taken[text] != 0);
      }
    }
  }
}

std::pair<std::vector<uint64_t>, std::vector<uint32_t>> KeyScatter::take(size_t place) {
  must_fit(place < places_.size());
  std::vector<uint64_t> keys;
  std::vector<uint32_t> ranks;
  for (const Block *block : places_[place]) {
    keys.insert(keys.end(), block->keys, block->keys + block->size);
    ranks.insert(ranks.end(), block->ranks, block->ranks + block->size);
  }
  forget(place);
  return {std::move(keys), std::move(ranks)};
}

void KeyScatter::forget(size_t place) {
  spare_.insert(spare_.end(), places_[place].begin(), places_[place].end());
  places_[place].clear();
  last_[place] = nullptr;
}

// Equal keys meet in a table that fits the cache: rows are first scattered into parts of some thousand
// by the lowest bits of their keys.
const SharedRows &KeyScatter::shared_keys(size_t place, const std::vector<KeyPiece> &earlier,
                                          unsigned range_bits, size_t num_ranges,
                                          uint32_t first_bucket) {
  must_fit(place < places_.size() && range_bits < 32);
  must_fit(num_ranges <= (size_t(1) << (32 - range_bits)));  // of 32-bit ranks
  std::vector<KeyPiece> pieces;
  size_t own_rows = 0;
  for (const Block *block : places_[place]) {
    pieces.push_back({{block->keys, block->size}, {block->ranks, block->size}, -1});
    own_rows += block->size;
  }
  for (const KeyPiece &piece : earlier) {
    must_fit(piece.keys.size == piece.ranks.size);
    must_fit(piece.dump >= 0 && piece.dump < (int64_t(1) << 31));
    pieces.push_back(piece);
  }
  const size_t num_parts = power_of_two(own_rows / kPartRows);
  own_.scatter(pieces, false, num_parts);
  RowsByPart<int64_t> before;
  if (!earlier.empty()) before.scatter(pieces, true, num_parts);
  shared_.clear();
  Part table(first_bucket);
  for (size_t part = 0; part < num_parts; ++part) {
    table.find(own_, earlier.empty() ? nullptr : &before, part, shared_);
  }
  forget(place);
  order_by_range(shared_, ordered_, range_bits, num_ranges);
  return shared_;
}

}  // namespace skord
