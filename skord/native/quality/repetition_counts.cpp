// How often words recur, alone and in runs, and which are on a list.

#include <algorithm>
#include <cmath>
#include <numeric>

#include "quality/text_counts.hpp"

namespace skord {

namespace {

constexpr uint64_t kFactor = 0x9E3779B97F4A7C15;
// Rae et al. 2021, "Scaling Language Models" (Gopher), table A1: shares of 2- to 10-grams.
constexpr size_t kLongestGram = 10;
// Runs of this many words or more count wherever they recur; of shorter ones, only the most
// frequent does.
constexpr size_t kFirstDuplicate = 5;

}  // namespace

double entropy(const std::vector<uint64_t> &words, HashSlots &slots) {
  slots.begin(words.size());
  std::vector<uint32_t> used;
  for (const uint64_t word : words) {
    HashSlots::Slot &slot = slots[word];
    if (slot.count++ == 0) used.push_back(slots.place_of(slot));
  }
  double entropy = 0;
  for (const uint32_t place : used) {
    const double share = double(slots.at(place).count) / double(words.size());
    entropy -= share * std::log(share);
  }
  return std::max(entropy, 0.0);
}

void RecurringGrams::count(const Words &words, HashSlots &slots, int64_t *counts) {
  const size_t num_words = words.numbers.size();
  grams_ = words.numbers;
  places_.resize(num_words);
  const auto chars_of = [&](size_t first, size_t end) {
    return std::accumulate(words.chars.begin() + ptrdiff_t(first),
                           words.chars.begin() + ptrdiff_t(end), int64_t(0));
  };
  for (size_t size = 2; size <= kLongestGram && num_words > size; ++size) {
    const size_t num_grams = num_words - size + 1;
    uint32_t most = 0, top = 0;
    slots.begin(num_grams);
    for (size_t at = 0; at < num_grams; ++at) {
      // One word longer, in place: the run of the last size that begins here, and its next word.
      grams_[at] = grams_[at] * kFactor + words.numbers[at + size - 1];
      HashSlots::Slot &slot = slots[grams_[at]];
      most = std::max(most, ++slot.count);
      places_[at] = slots.place_of(slot);
    }
    // No run recurs, and so no longer one does.
    if (most < 2) return;
    if (size < kFirstDuplicate) {
      while (slots.at(places_[top]).count < most) ++top;
      counts[kTopGrams + size - 2] = int64_t(most) * (chars_of(top, top + size) + int64_t(size) - 1);
      continue;
    }
    int64_t &duplicate = counts[kDuplicateGrams + size - kFirstDuplicate];
    size_t counted = 0;
    for (size_t at = 0; at < num_grams; ++at) {
      uint32_t &count = slots.at(places_[at]).count;
      if (count != 0) {  // the first of its kind
        count = 0;
        continue;
      }
      // Characters count once, however many repeated runs they lie in.
      duplicate += chars_of(std::max(at, counted), at + size);
      counted = at + size;
    }
  }
}

void WordLists::check(size_t texts) const {
  must_fit(slots > 0 && (slots & (slots - 1)) == 0 && tables.size % slots == 0);
  must_fit(list_of.size == texts);
  const auto lists = int64_t(tables.size / slots);
  for (const int32_t list : list_of) must_fit(list >= -1 && list < lists);
  for (size_t first = 0; first < tables.size; first += slots) {
    // A free slot ends every search below.
    must_fit(std::find(&tables[first], &tables[first] + slots, 0) != &tables[first] + slots);
  }
}

void count_listed(const Words &words, const WordLists &lists, size_t text, HashSlots &slots,
                  int64_t &instances, int64_t &types) {
  if (lists.list_of[text] < 0) return;
  const uint64_t *table = &lists.tables[size_t(lists.list_of[text]) * lists.slots];
  slots.begin(std::min(words.numbers.size(), lists.slots));
  for (const uint64_t word : words.numbers) {
    size_t slot = word & (lists.slots - 1);
    while (table[slot] != word && table[slot] != 0) slot = (slot + 1) & (lists.slots - 1);
    if (table[slot] == 0) continue;
    ++instances;
    types += !slots.seen(word);
  }
}

}  // namespace skord
