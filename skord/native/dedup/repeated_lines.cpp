#include "dedup/repeated_lines.hpp"

#include <algorithm>
#include <vector>

namespace skord {

namespace {

constexpr size_t kFew = 8;
constexpr int kMostGuesses = 6;
constexpr double kAllKeys = 18446744073709551616.0;
constexpr size_t kAhead = 16;  // lines between asking for memory and needing it
constexpr uint32_t kFree = ~uint32_t(0);

// Marks the lines whose key no earlier one of the page has. Keys are hashes: their low bits deal
// them out well enough.
void mark_first(const uint64_t *keys, size_t count, uint8_t *first, std::vector<uint32_t> &slots) {
  size_t size = 4;
  while (size < 2 * count) size *= 2;
  slots.assign(size, kFree);
  for (size_t line = 0; line < count; ++line) {
    size_t at = keys[line] & (size - 1);
    while (slots[at] != kFree && keys[slots[at]] != keys[line]) at = (at + 1) & (size - 1);
    first[line] = slots[at] == kFree;
    if (first[line]) slots[at] = uint32_t(line);
  }
}

}  // namespace

// Keys are hashes and lie evenly, so a guess by proportion comes near; a few guesses leave little
// for the halving that ends the search, and that bounds it where keys lie otherwise.
int64_t place_of(Numbers<const uint64_t> sorted, uint64_t key) {
  size_t low = 0, high = sorted.size;  // all before `low` are less than the key, none from `high` on
  for (int guess = 0; guess < kMostGuesses && high - low > kFew; ++guess) {
    const uint64_t least = low ? sorted[low - 1] : 0;
    const uint64_t most = high < sorted.size ? sorted[high] : ~uint64_t(0);
    if (key <= least || key >= most) break;
    const double share = double(key - least) / double(most - least);
    const size_t at = std::min(low + size_t(share * double(high - low)), high - 1);
    (sorted[at] < key ? low : high) = sorted[at] < key ? at + 1 : at;
  }
  const uint64_t *place = std::lower_bound(sorted.data + low, sorted.data + high, key);
  const bool there = place != sorted.end() && *place == key;
  return there ? int64_t(place - sorted.data) : -1;
}

void find_lines(Numbers<const uint64_t> sorted, Numbers<const uint64_t> keys,
                Numbers<const int64_t> pages, Numbers<int64_t> places, Numbers<uint8_t> first) {
  must_fit(pages.size == keys.size && places.size == keys.size && first.size == keys.size &&
           keys.size < kFree);
  std::vector<uint32_t> slots;
  for (size_t start = 0, end = 0; start < keys.size; start = end) {
    while (end < keys.size && pages[end] == pages[start]) ++end;
    mark_first(keys.data + start, end - start, first.data + start, slots);
  }
  for (size_t line = 0; line < keys.size; ++line) {
    if (line + kAhead < keys.size) {  // where the first guess will look
      const double share = double(keys[line + kAhead]) / kAllKeys;
      __builtin_prefetch(sorted.data + size_t(share * double(sorted.size)));
    }
    places[line] = place_of(sorted, keys[line]);
  }
}

CountedKeys count_keys(Numbers<const uint64_t> keys, Numbers<const int64_t> lengths,
                       Numbers<int32_t> places) {
  must_fit(places.size == keys.size && keys.size <= size_t(INT32_MAX));
  CountedKeys counted;
  std::vector<int64_t> last;  // page that holds each key
  std::vector<uint32_t> slots(1 << 10, kFree);  // an open hash table, half empty at the least
  const auto slot_of = [&](uint64_t key) {
    size_t at = key & (slots.size() - 1);
    while (slots[at] != kFree && counted.keys[slots[at]] != key) at = (at + 1) & (slots.size() - 1);
    return at;
  };
  size_t line = 0;
  for (size_t page = 0; page < lengths.size; ++page) {
    must_fit(lengths[page] >= 0 && size_t(lengths[page]) <= keys.size - line);
    for (const size_t end = line + size_t(lengths[page]); line < end; ++line) {
      if (line + kAhead < keys.size) {
        __builtin_prefetch(&slots[keys[line + kAhead] & (slots.size() - 1)]);
      }
      const size_t at = slot_of(keys[line]);
      const uint32_t number = slots[at] == kFree ? uint32_t(counted.keys.size()) : slots[at];
      places[line] = int32_t(number);
      if (slots[at] != kFree) {
        counted.pages[number] += last[number] != int64_t(page);
        last[number] = int64_t(page);
        continue;
      }
      slots[at] = number;
      counted.keys.push_back(keys[line]);
      counted.pages.push_back(1);
      last.push_back(int64_t(page));
      if (2 * counted.keys.size() < slots.size()) continue;
      slots.assign(4 * slots.size(), kFree);
      for (uint32_t one = 0; one < counted.keys.size(); ++one) slots[slot_of(counted.keys[one])] = one;
    }
  }
  must_fit(line == keys.size);
  return counted;
}

}  // namespace skord
