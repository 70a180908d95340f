// How a trie of KenLM's is unpacked into the hash tables of a probing file.

#include <algorithm>
#include <cmath>

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
    read_unigrams();
    for (unsigned n = 1; n + 1 < header_.order; ++n) read_middle(n);
    read_longest();
    return std::move(tables_);
  }

 private:
  void read_unigrams() {
    const uint64_t count = header_.counts[0];
    const uint8_t *records = file_.take(product(count + 2, 16));
    auto &memory = tables_.unpacked.emplace_back(count);
    starts_.resize(count + 1);
    nodes_.resize(count);
    for (uint64_t at = 0; at <= count; ++at) starts_[at] = load<uint64_t>(records + 16 * at + 8);
    check_starts(header_.counts[1]);
    for (uint64_t at = 0; at < count; ++at) {
      nodes_[at] = at;
      memory[at] = packed(load<float>(records + 16 * at), load<float>(records + 16 * at + 4), at);
    }
    tables_.unigrams = reinterpret_cast<const uint8_t *>(memory.data());
  }

  void read_middle(unsigned n) {
    const uint64_t count = header_.counts[n], last = header_.counts[n + 1];
    const bool in_array = (header_.kind - kTrie) & kArray;
    const Pointers pointers = read_pointers(file_, count, last, in_array);
    const unsigned word_bits = bits_needed(header_.counts[0]);
    const unsigned value_bits = coding_.middle_bits();
    const Packed entries(file_, count, word_bits + value_bits + pointers.low_bits);
    const auto nodes = nodes_of(entries, word_bits, count);
    starts_.resize(count + 1);
    uint64_t high = 0;
    for (uint64_t at = 0; at <= count; ++at) {
      while (high + 1 < pointers.num_passed &&
             load<uint64_t>(pointers.passed + 8 * (high + 1)) <= at) {
        ++high;
      }
      starts_[at] = (high << pointers.low_bits) |
                    entries.read(at, word_bits + value_bits, pointers.low_bits);
    }
    nodes_ = nodes;
    check_starts(last);
    auto &memory = new_table(count, 2);
    for (uint64_t at = 0; at < count; ++at) {
      // not quantised: probability first; quantised: back-off first
      const unsigned first = coding_.quantised ? coding_.backoff_bits : coding_.probability_bits;
      const uint64_t a = entries.read(at, word_bits, first);
      const uint64_t b = entries.read(at, word_bits + first, value_bits - first);
      const float probability = coding_.probability(n - 1, coding_.quantised ? b : a);
      const float backoff = coding_.backoff(n - 1, coding_.quantised ? a : b);
      insert(memory, 2, nodes_[at], packed(probability, backoff, at));
    }
    tables_.middle.emplace_back(reinterpret_cast<const uint8_t *>(memory.data()),
                                memory.size() / 2, 16);
  }

  void read_longest() {
    const uint64_t count = header_.counts.back();
    const unsigned word_bits = bits_needed(header_.counts[0]);
    const Packed entries(file_, count, word_bits + coding_.probability_bits);
    nodes_ = nodes_of(entries, word_bits, count);
    auto &memory = new_table(count, 2);
    for (uint64_t at = 0; at < count; ++at) {
      const uint64_t code = entries.read(at, word_bits, coding_.probability_bits);
      insert(memory, 2, nodes_[at], checked(coding_.probability(header_.order - 2, code)));
    }
    tables_.longest = {reinterpret_cast<const uint8_t *>(memory.data()), memory.size() / 2, 16};
  }

  // The search node of each entry, from its parent's and its word.
  std::vector<uint64_t> nodes_of(const Packed &entries, unsigned word_bits, uint64_t count) const {
    std::vector<uint64_t> nodes(count);
    for (size_t parent = 0; parent < nodes_.size(); ++parent) {
      for (uint64_t at = starts_[parent]; at < starts_[parent + 1]; ++at) {
        const uint64_t word = entries.read(at, 0, word_bits);
        if (word >= header_.counts[0]) throw Damaged("an n-gram names a word that is none");
        nodes[at] = extend(nodes_[parent], static_cast<uint32_t>(word));
      }
    }
    return nodes;
  }

  void check_starts(uint64_t last) const {
    if (starts_.front() != 0 || starts_.back() != last ||
        !std::is_sorted(starts_.begin(), starts_.end())) {
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

  std::vector<uint64_t> &new_table(uint64_t count, unsigned width) {
    // Two thirds full: one free place at least ends every search.
    return tables_.unpacked.emplace_back((count + count / 2 + 1) * width);
  }

  static void insert(std::vector<uint64_t> &table, unsigned width, uint64_t key, uint64_t value) {
    const uint64_t buckets = table.size() / width;
    uint64_t at = key % buckets;
    while (table[at * width] != 0) {
      if (table[at * width] == key) throw Unsupported("two of its n-grams have one hash");
      if (++at == buckets) at = 0;
    }
    if (key == 0) throw Unsupported("the hash of an n-gram is zero");
    table[at * width] = key;
    table[at * width + 1] = value;
  }

  Cursor &file_;
  const Header &header_;
  Coding coding_;
  NgramTables tables_;
  std::vector<uint64_t> nodes_;   // of the entries of one order
  std::vector<uint64_t> starts_;  // of the entries that extend each of them, and where they end
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
