// Where the tables lie in a file of KenLM's build_binary; ngrams_trie.cpp unpacks tries.

#include <algorithm>

#include "language_models/ngrams_file.hpp"

namespace skord {

namespace {

constexpr std::string_view kMagic{"mmap lm http://kheafield.com/code format version 5\n\0", 52};
constexpr size_t kMagicBytes = 56;  // with what aligns it

Header read_header(Cursor &file) {
  if (file.text(kMagicBytes).substr(0, kMagic.size()) != kMagic) {
    throw Unsupported("it is no KenLM binary of version 5");
  }
  // Numbers that the machine which built the file wrote in its own form: all must read as meant.
  const bool same = file.number<float>() == 0.0f && file.number<float>() == 1.0f &&
                    file.number<float>() == -0.5f && file.number<uint32_t>() == 1 &&
                    file.number<uint32_t>() == ~0u && file.number<uint32_t>() == 0 &&
                    file.number<uint64_t>() == 1;
  if (!same) throw Unsupported("it was built on another kind of machine");
  Header header;
  header.order = static_cast<uint8_t>(file.number<uint32_t>());
  header.multiplier = file.number<float>();
  header.kind = file.number<uint32_t>();
  file.number<uint32_t>();  // whether the words themselves follow at the end
  header.version = file.number<uint32_t>();
  if (header.order < 2 || header.order > kMaxOrder) throw Unsupported("its order is not read here");
  for (unsigned n = 0; n < header.order; ++n) header.counts.push_back(file.number<uint64_t>());
  file.take((8 - file.offset() % 8) % 8);
  for (const uint64_t count : header.counts) product(count, 64);
  if (header.counts[0] == 0 || header.counts[0] >= ~0u) throw Damaged("it has no words");
  return header;
}

Records probed(Cursor &file, uint64_t entries, float multiplier, size_t size) {
  // In single precision, as build_binary multiplies: other rounding would give other places.
  const auto wanted = static_cast<uint64_t>(multiplier * static_cast<float>(entries));
  const uint64_t buckets = std::max(entries + 1, wanted);
  return {file.take(product(buckets, size)), buckets, size, Placing::by_rest};
}

NgramTables read_probing(Cursor &file, const Header &header) {
  if (header.version != 0 || !(header.multiplier >= 1.0f) || header.multiplier > 1000.0f) {
    throw Damaged("its header contradicts itself");
  }
  NgramTables tables;
  tables.order = header.order;
  const uint32_t version = file.number<uint32_t>();
  const uint32_t bound = file.number<uint32_t>();
  if (version != 0) throw Unsupported("its table of words has another version");
  tables.num_words = std::min<uint64_t>(bound, header.counts[0] + 1);
  // 8 bytes of hash and 4 of number; below 8 and 8 of probability and back-off, 8 and 4 of one.
  tables.probed_words = probed(file, header.counts[0], header.multiplier, 12);
  tables.unigrams = file.take(product(header.counts[0] + 1, 8));
  for (unsigned n = 1; n + 1 < header.order; ++n) {
    tables.middle.push_back(probed(file, header.counts[n], header.multiplier, 16));
  }
  tables.longest = probed(file, header.counts.back(), header.multiplier, 12);
  return tables;
}

}  // namespace

NgramTables read_ngrams(std::string_view data, uint64_t max_unpacked) {
  Cursor file(data);
  const Header header = read_header(file);
  if (header.kind == kProbing) return read_probing(file, header);
  if (header.kind < kTrie || header.kind > kTrie + kQuantised + kArray) {
    throw Unsupported("models of its kind are not read here");
  }
  uint64_t total = 0;
  for (const uint64_t count : header.counts) total += count;
  if (header.version != 1 || total > max_unpacked) throw Unsupported("a trie too large to unpack");
  return unpack_trie(file, header);
}

}  // namespace skord
