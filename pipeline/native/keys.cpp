#include "keys.hpp"

#include <algorithm>

namespace skord {

namespace {

constexpr size_t kBlockTexts = 512;
constexpr size_t kPartRows = 1 << 12;
constexpr int64_t kNobody = INT64_MAX;

size_t power_of_two(size_t least) {
  size_t power = 2;
  while (power < least) power *= 2;
  return power;
}

// Rows in order of the lowest bits of their keys.
template <class Value>
struct Dealt {
  std::unique_ptr<uint64_t[]> keys;
  std::unique_ptr<Value[]> values;
  std::vector<size_t> starts;
};

template <class Value>
Dealt<Value> by_low_bits(const std::vector<KeyPiece> &pieces, bool earlier, size_t num_parts) {
  Dealt<Value> dealt;
  dealt.starts.assign(num_parts + 1, 0);
  for (const KeyPiece &piece : pieces) {
    if ((piece.dump >= 0) != earlier) continue;
    for (const uint64_t key : piece.keys) ++dealt.starts[(key & (num_parts - 1)) + 1];
  }
  for (size_t part = 0; part < num_parts; ++part) dealt.starts[part + 1] += dealt.starts[part];
  dealt.keys.reset(new uint64_t[dealt.starts.back()]);
  dealt.values.reset(new Value[dealt.starts.back()]);
  std::vector<size_t> at(dealt.starts);
  for (const KeyPiece &piece : pieces) {
    if ((piece.dump >= 0) != earlier) continue;
    const Value dump = earlier ? static_cast<Value>(static_cast<uint64_t>(piece.dump) << 32) : 0;
    for (size_t row = 0; row < piece.keys.size; ++row) {
      const size_t place = at[piece.keys[row] & (num_parts - 1)]++;
      dealt.keys[place] = piece.keys[row];
      dealt.values[place] = dump | static_cast<Value>(piece.ranks[row]);
    }
  }
  return dealt;
}

// Where the equal keys of one part meet.
class KeyTable {
 public:
  struct Cell {
    uint64_t key;
    uint32_t count;  // 0: free
    int32_t bucket;  // -1: none yet
    int64_t owner;
  };

  void clear(size_t rows) {
    const size_t cells = power_of_two(2 * rows);
    if (cells_.size() < cells) cells_.resize(cells);
    std::fill_n(cells_.begin(), cells, Cell{0, 0, -1, kNobody});
    mask_ = cells - 1;
  }
  // The cell of the key, or the free one that it would have.
  uint32_t find(uint64_t key) const {
    size_t at = (key >> 24) & mask_;
    while (cells_[at].count != 0 && cells_[at].key != key) at = (at + 1) & mask_;
    return static_cast<uint32_t>(at);
  }
  Cell &operator[](uint32_t at) { return cells_[at]; }

 private:
  std::vector<Cell> cells_;
  size_t mask_ = 0;
};

// The rows in order of the range of 2^bits ranks that they are in.
void order_by_range(SharedRows &rows, unsigned bits, size_t num_ranges) {
  rows.starts.assign(num_ranges + 1, 0);
  for (const uint32_t rank : rows.ranks) {
    must_fit(rank >> bits < num_ranges);
    ++rows.starts[(rank >> bits) + 1];
  }
  for (size_t range = 0; range < num_ranges; ++range) rows.starts[range + 1] += rows.starts[range];
  if (num_ranges < 2) return;
  std::vector<int64_t> at(rows.starts);
  std::vector<uint32_t> ranks(rows.ranks.size()), buckets(rows.ranks.size());
  for (size_t row = 0; row < rows.ranks.size(); ++row) {
    const auto place = static_cast<size_t>(at[rows.ranks[row] >> bits]++);
    ranks[place] = rows.ranks[row];
    buckets[place] = rows.buckets[row];
  }
  rows.ranks.swap(ranks);
  rows.buckets.swap(buckets);
}

}  // namespace

KeyScatter::KeyScatter(size_t num_bands, size_t num_parts)
    : num_bands_(num_bands), num_parts_(num_parts) {
  must_fit(num_parts > 0 && num_parts < (1u << 20) && num_bands > 0 && num_bands < 1000);
  dealt_.resize(num_bands * num_parts);
  last_.resize(dealt_.size());
}

// The band's last blocks get room for so many rows more.
void KeyScatter::make_room(size_t band, size_t rows) {
  for (size_t place = band; place < dealt_.size(); place += num_bands_) {
    if (last_[place] != nullptr && kBlockRows - last_[place]->size >= rows) continue;
    dealt_[place].emplace_back(new Block);
    last_[place] = dealt_[place].back().get();
  }
}

void KeyScatter::add(size_t band, Numbers<const uint64_t> keys, Numbers<const uint8_t> taken,
                     Numbers<const uint32_t> ranks, uint32_t no_rank) {
  const size_t texts = keys.size;
  must_fit(band < num_bands_ && ranks.size == texts && (taken.size == texts || taken.size == 0));
  for (size_t first = 0; first < texts; first += kBlockTexts) {
    const size_t end = std::min(first + kBlockTexts, texts);
    make_room(band, end - first + 1);  // one more, for what is written and does not count
    for (size_t text = first; text < end; ++text) {
      const uint64_t key = split_mixed(keys[text]);
      Block &to = *last_[(((key >> 32) * num_parts_) >> 32) * num_bands_ + band];
      to.keys[to.size] = key;
      to.ranks[to.size] = ranks[text];
      to.size += ranks[text] != no_rank && (taken.size == 0 || taken[text] != 0);
    }
  }
}

size_t KeyScatter::size(size_t place) const {
  must_fit(place < dealt_.size());
  size_t rows = 0;
  for (const auto &block : dealt_[place]) rows += block->size;
  return rows;
}

std::vector<KeyPiece> KeyScatter::pieces(size_t place) const {
  must_fit(place < dealt_.size());
  std::vector<KeyPiece> pieces;
  for (const auto &block : dealt_[place]) {
    pieces.push_back({{block->keys, block->size}, {block->ranks, block->size}, -1});
  }
  return pieces;
}

void KeyScatter::take(size_t place, uint64_t *keys, uint32_t *ranks) {
  for (const auto &block : dealt_[place]) {
    keys = std::copy_n(block->keys, block->size, keys);
    ranks = std::copy_n(block->ranks, block->size, ranks);
  }
  forget(place);
}

void KeyScatter::forget(size_t place) {
  dealt_[place].clear();
  last_[place] = nullptr;
}

SharedRows shared_keys(const std::vector<KeyPiece> &pieces, unsigned range_bits,
                       size_t num_ranges, uint32_t first_bucket) {
  size_t own_rows = 0;
  bool has_earlier = false;
  for (const KeyPiece &piece : pieces) {
    must_fit(piece.keys.size == piece.ranks.size && piece.dump < (int64_t(1) << 31));
    own_rows += piece.dump < 0 ? piece.keys.size : 0;
    has_earlier |= piece.dump >= 0;
  }
  const size_t num_parts = power_of_two(own_rows / kPartRows);
  const Dealt<uint32_t> own = by_low_bits<uint32_t>(pieces, false, num_parts);
  Dealt<int64_t> before;
  if (has_earlier) before = by_low_bits<int64_t>(pieces, true, num_parts);
  SharedRows found;
  KeyTable table;
  std::vector<uint32_t> cell_of;
  for (size_t part = 0; part < num_parts; ++part) {
    const size_t start = own.starts[part], end = own.starts[part + 1];
    table.clear(end - start);
    cell_of.resize(end - start);
    for (size_t row = start; row < end; ++row) {
      const uint32_t at = table.find(own.keys[row]);
      table[at].key = own.keys[row];
      ++table[at].count;
      cell_of[row - start] = at;
    }
    for (size_t row = has_earlier ? before.starts[part] : 0;
         has_earlier && row < before.starts[part + 1]; ++row) {
      KeyTable::Cell &cell = table[table.find(before.keys[row])];
      if (cell.count) cell.owner = std::min(cell.owner, before.values[row]);
    }
    for (size_t row = start; row < end; ++row) {
      KeyTable::Cell &cell = table[cell_of[row - start]];
      if (cell.count < 2 && cell.owner == kNobody) continue;
      if (cell.bucket < 0) {
        cell.bucket = static_cast<int32_t>(found.num_buckets++);
        if (cell.owner != kNobody) {
          found.held.push_back(first_bucket + static_cast<uint32_t>(cell.bucket));
          found.holders.push_back(cell.owner);
        }
      }
      found.ranks.push_back(own.values[row]);
      found.buckets.push_back(first_bucket + static_cast<uint32_t>(cell.bucket));
    }
  }
  order_by_range(found, range_bits, num_ranges);
  return found;
}

}  // namespace skord
