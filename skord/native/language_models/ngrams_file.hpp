// The header of a file of KenLM's build_binary; shared by the two ways of reading what follows.

#pragma once

#include <cstdint>

#include "language_models/ngrams.hpp"

namespace skord {

enum Kind { kProbing = 0, kTrie = 2, kQuantised = 1, kArray = 2 };  // a trie's are kTrie + flags

struct Header {
  unsigned order;
  float multiplier;
  uint32_t kind;
  uint32_t version;
  std::vector<uint64_t> counts;  // n-grams of each order
};

// The tables of a trie, unpacked; `file` stands behind the header.
NgramTables unpack_trie(Cursor &file, const Header &header);

}  // namespace skord
