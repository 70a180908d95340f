// How a trie of KenLM's is unpacked into the hash tables of a probing file.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>

#include "language_models/ngrams_file.hpp"

namespace skord {

namespace {

unsigned bits_needed(uint64_t value) { return value ? 64 - __builtin_clzll(value) : 0; }

// Entries of so many bits one after another.
class Packed {
 public:
  Packed(Cursor &file, uint64_t entries, unsigned bits)
      // One entry more than there are, which tells where the last one's n-grams end; and 8 bytes,
      // so that a read of a whole word at the last bit stays inside.
      : bits_(bits), data_(file.take((product(entries + 1, bits) + 7) / 8 + 8)) {}

  // `size` bits, at most 57, from `offset` on in entry `at`.
  uint64_t read(uint64_t at, unsigned offset, unsigned size) const {
    // Of 64 bits read at a byte up to 7 lie before the first wanted: hence 57.
    const uint64_t place = at * bits_ + offset;
    return (load<uint64_t>(data_ + place / 8) >> (place % 8)) & ((uint64_t(1) << size) - 1);
  }

 private:
  unsigned bits_;
  const uint8_t *data_;
};

// How a trie stores numbers: the settings and the tables that they are looked up in.
struct Coding {
  bool quantised = false;
  unsigned probability_bits = 31;
  unsigned backoff_bits = 32;
  const uint8_t *tables = nullptr;  // for each middle order probabilities and back-offs; longest

  unsigned middle_bits() const { return probability_bits + backoff_bits; }
  float probability(unsigned level, uint64_t code) const {
    // Logarithms of probabilities are negative: a trie leaves their sign out, so they have 31 bits.
    if (!quantised) return float_of_bits(static_cast<uint32_t>(code) | 0x80000000u);
    return load<float>(tables + 4 * (level * table_size() + code));
  }
  float backoff(unsigned level, uint64_t code) const {
    if (!quantised) return float_of_bits(static_cast<uint32_t>(code));
    const size_t skipped = level * table_size() + (size_t(1) << probability_bits);
    return load<float>(tables + 4 * (skipped + code));
  }
  size_t table_size() const {
    return (size_t(1) << probability_bits) + (size_t(1) << backoff_bits);
  }
};

Coding read_coding(Cursor &file, const Header &header) {
  Coding coding;
  if (!((header.kind - kTrie) & kQuantised)) return coding;
  const uint8_t *settings = file.take(8);
  coding.quantised = true;
  coding.probability_bits = settings[1];
  coding.backoff_bits = settings[2];
  if (settings[0] != 2) throw Unsupported("its quantisation has another version");
  const unsigned most = std::max(coding.probability_bits, coding.backoff_bits);
  if (!coding.probability_bits || !coding.backoff_bits || most > 25) {
    throw Damaged("its numbers have no bits or too many");
  }
  const size_t longest = size_t(1) << coding.probability_bits;
  coding.tables = file.take(4 * ((header.order - 2) * coding.table_size() + longest));
  return coding;
}

// Where the n-grams begin that extend an entry: the low bits stand in the entry, and where the
// model was built with `-a`, the high ones are how many numbers of a sorted list it has passed.
struct Pointers {
  unsigned low_bits;
  const uint8_t *passed = nullptr;
  uint64_t num_passed = 1;
};

Pointers read_pointers(Cursor &file, uint64_t entries, uint64_t last, bool in_array) {
  const unsigned needed = bits_needed(last);
  if (!in_array) return {needed};
  const size_t start = file.offset();
  // The first byte is a version; the second is the most bits to leave out, as `-a` gave it.
  const unsigned allowed = std::min<unsigned>(needed, file.take(2)[1]);
  // The choice that takes the least room, as build_binary makes it.
  unsigned chopped = 0;
  for (int64_t least = INT64_MAX, chop = 0; chop <= int64_t(allowed); ++chop) {
    const int64_t cost = int64_t(last >> (needed - chop)) * 64 - int64_t(entries + 1) * chop;
    if (cost < least) {
      least = cost;
      chopped = unsigned(chop);
    }
  }
  Pointers pointers{needed - chopped};
  pointers.num_passed = (last >> pointers.low_bits) + 1;
  const size_t aligned = (8 - start % 8) % 8;
  const size_t size = size_t(8 * (1 + pointers.num_passed) + 7);
  // The two bytes of settings, read above, are of the area. It holds 7 bytes to align it and 8 for
  // the settings, and then the numbers.
  const uint8_t *area = file.take(size - 2) - 2;
  pointers.passed = area + aligned + 8;
  return pointers;
}

using Numbers = std::unique_ptr<uint64_t[]>;

// Unpacks tries into hash tables. Entries of one order stand sorted by their parents, so one pass
// over an order, with the nodes of the one before, meets them all.
class Unpacking {
 public:
  Unpacking(Cursor &file, const Header &header)
      : file_(file), header_(header), coding_(read_coding(file, header)) {
    tables_.order = header.order;
    tables_.num_words = header.counts[0];
  }

  NgramTables tables(const uint8_t *words, uint64_t num_words) {
    tables_.sorted_words = words;
    tables_.num_sorted = num_words;
    // For all orders in turn: new memory costs more than what is computed in it.
    const uint64_t most = *std::max_element(header_.counts.begin(), header_.counts.end());
    for (Numbers *numbers : {&nodes_, &next_nodes_, &starts_}) {
      *numbers = Numbers(new uint64_t[most + 1]);
    }
    take_memory();
    read_unigrams();
    for (unsigned n = 1; n + 1 < header_.order; ++n) read_middle(n);
    read_longest();
    return std::move(tables_);
  }

 private:
  void read_unigrams() {
    const uint64_t count = header_.counts[0];
    const uint8_t *records = file_.take(product(count + 2, 16));
    auto *memory = reinterpret_cast<uint64_t *>(free_);
    tables_.unigrams = free_;
    free_ += 8 * count;
    for (uint64_t at = 0; at <= count; ++at) starts_[at] = load<uint64_t>(records + 16 * at + 8);
    check_starts(count, header_.counts[1]);
    for (uint64_t at = 0; at < count; ++at) {
      nodes_[at] = at;
      memory[at] = packed(load<float>(records + 16 * at), load<float>(records + 16 * at + 4), at);
    }
  }

  void read_middle(unsigned n) {
    const uint64_t count = header_.counts[n], last = header_.counts[n + 1];
    const bool in_array = (header_.kind - kTrie) & kArray;
    const Pointers pointers = read_pointers(file_, count, last, in_array);
    const unsigned word_bits = bits_needed(header_.counts[0]);
    const unsigned value_bits = coding_.middle_bits();
    const Packed entries(file_, count, word_bits + value_bits + pointers.low_bits);
    find_nodes(entries, word_bits, header_.counts[n - 1], count);
    uint64_t high = 0;
    for (uint64_t at = 0; at <= count; ++at) {
      while (high + 1 < pointers.num_passed &&
             load<uint64_t>(pointers.passed + 8 * (high + 1)) <= at) {
        ++high;
      }
      starts_[at] = (high << pointers.low_bits) |
                    entries.read(at, word_bits + value_bits, pointers.low_bits);
    }
    check_starts(count, last);
    // not quantised: probability first; quantised: back-off first
    const unsigned first = coding_.quantised ? coding_.backoff_bits : coding_.probability_bits;
    const Records table = filled_table<uint64_t>(count, [&](uint64_t at) {
      const uint64_t a = entries.read(at, word_bits, first);
      const uint64_t b = entries.read(at, word_bits + first, value_bits - first);
      const float probability = coding_.probability(n - 1, coding_.quantised ? b : a);
      const float backoff = coding_.backoff(n - 1, coding_.quantised ? a : b);
      return packed(probability, backoff, at);
    });
    tables_.middle.push_back(table);
  }

  void read_longest() {
    const uint64_t count = header_.counts.back();
    const unsigned word_bits = bits_needed(header_.counts[0]);
    const Packed entries(file_, count, word_bits + coding_.probability_bits);
    find_nodes(entries, word_bits, header_.counts[header_.order - 2], count);
    tables_.longest = filled_table<uint32_t>(count, [&](uint64_t at) {
      const uint64_t code = entries.read(at, word_bits, coding_.probability_bits);
      return checked(coding_.probability(header_.order - 2, code));
    });
  }

  // The search node of each of `count` entries, from its parent's and its word.
  void find_nodes(const Packed &entries, unsigned word_bits, uint64_t parents, uint64_t count) {
    for (uint64_t parent = 0; parent < parents; ++parent) {
      for (uint64_t at = starts_[parent]; at < starts_[parent + 1]; ++at) {
        const uint64_t word = entries.read(at, 0, word_bits);
        if (word >= header_.counts[0]) throw Damaged("an n-gram names a word that is none");
        next_nodes_[at] = extend(nodes_[parent], static_cast<uint32_t>(word));
      }
    }
    nodes_.swap(next_nodes_);
  }

  void check_starts(uint64_t count, uint64_t last) const {
    const uint64_t *starts = starts_.get();
    if (starts[0] != 0 || starts[count] != last || !std::is_sorted(starts, starts + count + 1)) {
      throw Damaged("its n-grams do not follow one another");
    }
  }

  static uint32_t checked(float probability) {
    if (!(probability <= 0.0f)) throw Damaged("its probabilities are no numbers");
    return bits_of_float(probability) | 0x80000000u;
  }

  // Probability and back-off as 8 bytes; the sign tells whether n-grams extend this one.
  uint64_t packed(float probability, float backoff, uint64_t at) const {
    uint32_t bits = checked(probability);
    if (std::isnan(backoff)) throw Damaged("its back-offs are no numbers");
    if (starts_[at] != starts_[at + 1]) bits &= 0x7FFFFFFFu;
    return bits | uint64_t(bits_of_float(backoff)) << 32;
  }

  // Two thirds full: one free place at least ends every search.
  static uint64_t buckets_of(uint64_t count) { return count + count / 2 + 1; }

  // Zeros for all tables, as the system gives them. Not in huge pages: where memory is scarce it
  // takes longer to find these than they save.
  void take_memory() {
    uint64_t size = 8 * header_.counts[0];
    for (unsigned n = 1; n < header_.order; ++n) size += product(buckets_of(header_.counts[n]), 16);
    tables_.unpacked = Memory(static_cast<uint8_t *>(std::calloc(size, 1)));
    free_ = tables_.unpacked.get();
    if (free_ == nullptr) throw std::bad_alloc();
  }

  // The entries of one order as a hash table: each node, and what `value_of` says of its entry.
  template <class Value, class ValueOf>
  Records filled_table(uint64_t count, ValueOf value_of) {
    constexpr uint64_t kAhead = 16;  // memory is asked for before it is needed
    constexpr size_t kSize = sizeof(uint64_t) + sizeof(Value);
    const uint64_t buckets = buckets_of(count);
    uint8_t *memory = free_;
    free_ += product(buckets, kSize);
    const Records table(memory, buckets, kSize, Placing::by_share);
    for (uint64_t at = 0; at < count; ++at) {
      if (at + kAhead < count) {
        __builtin_prefetch(memory + kSize * table.first_place(nodes_[at + kAhead]), 1);
      }
      const uint64_t key = nodes_[at];
      if (key == 0) throw Unsupported("the hash of an n-gram is zero");
      uint64_t place = table.first_place(key);
      while (const uint64_t taken = load<uint64_t>(memory + kSize * place)) {
        if (taken == key) throw Unsupported("two of its n-grams have one hash");
        if (++place == buckets) place = 0;
      }
      const Value value = value_of(at);
      std::memcpy(memory + kSize * place, &key, sizeof key);
      std::memcpy(memory + kSize * place + sizeof key, &value, sizeof value);
    }
    return table;
  }

  Cursor &file_;
  const Header &header_;
  Coding coding_;
  NgramTables tables_;
  uint8_t *free_ = nullptr;  // of the tables' memory
  Numbers nodes_, next_nodes_;  // of the entries of one order, and of the next
  Numbers starts_;  // of the entries that extend each of them, and where they end
};

}  // namespace

NgramTables unpack_trie(Cursor &file, const Header &header) {
  const uint64_t num_words = file.number<uint64_t>();
  const uint8_t *words = file.take(product(header.counts[0], 8));
  if (num_words >= header.counts[0]) throw Damaged("it has more words than it says");
  Unpacking unpacking(file, header);
  return unpacking.tables(words, num_words);
}

}  // namespace skord
