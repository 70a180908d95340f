// Numbers that lie somewhere else, such as in an array of Python's.

#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>

namespace skord {

// `size` numbers from `data` on; whoever made it keeps them alive.
template <class T>
struct Numbers {
  T *data = nullptr;
  size_t size = 0;

  T &operator[](size_t at) const { return data[at]; }
  T *begin() const { return data; }
  T *end() const { return data + size; }
};

// Throws std::invalid_argument where shapes or numbers do not fit one another.
inline void must_fit(bool fits) {
  if (!fits) throw std::invalid_argument("shapes or numbers do not fit one another");
}

// SplitMix64's finisher (Steele et al. 2014): a bijection that spreads every bit over all.
inline uint64_t split_mixed(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

}  // namespace skord
