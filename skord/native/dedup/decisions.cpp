#include "dedup/decisions.hpp"

#include <algorithm>

namespace skord {

namespace {

constexpr size_t kWords = 14;  // of a signature
constexpr uint64_t kOnes = 0x0101010101010101;
constexpr size_t kFarAhead = 48, kAhead = 32, kNear = 16;  // rows whose data is asked for early

// How many bytes of two signatures are equal. A byte of `same` is 1 where they are.
uint64_t equal_bytes(const uint64_t *one, const uint64_t *other) {
  uint64_t sum = 0;
  for (size_t word = 0; word < kWords; ++word) {
    const uint64_t differs = one[word] ^ other[word];
    // Adding 0x7F to a byte's lower bits carries into its top bit unless they are all zero, and
    // never into the next byte; so the top bit stays clear only where nothing differs.
    const uint64_t same = ~(((differs & ~(kOnes << 7)) + ~(kOnes << 7)) | differs);
    sum += same >> 7 & kOnes;
  }
  return sum * kOnes >> 56;  // the bytes of `sum` are 14 at most, and so their sum fits one
}

void check(uint64_t first, Numbers<const int64_t> starts, Numbers<const uint32_t> buckets,
           const Decided &state) {
  const size_t documents = state.keeper.size;
  must_fit(starts.size > 0 && starts[0] == 0 && documents < (size_t(1) << 31));
  must_fit(first <= documents && starts.size - 1 <= documents - first);
  must_fit(std::is_sorted(starts.begin(), starts.end()));
  must_fit(static_cast<size_t>(starts[starts.size - 1]) == buckets.size);
  must_fit(state.signatures.size % kWords == 0 && state.slots.size == documents);
  must_fit(state.equal.size == documents);
}

// What holds the bucket; asks memory for what later rows will want of it.
class Owners {
 public:
  Owners(const Decided &state, Numbers<const uint32_t> buckets) : state_(state), rows_(buckets) {
    for (const uint32_t bucket : buckets) must_fit(bucket < state.owner.size);
  }
  // Three reads hang on one another (owner, its slot, the signature there), each from memory that
  // no cache holds: each is asked for as many rows ahead as the one before needs to arrive.
  int32_t of(size_t row) const {
    if (row + kFarAhead < rows_.size) __builtin_prefetch(&state_.owner[rows_[row + kFarAhead]], 1);
    if (row + kAhead < rows_.size) {
      const int32_t held = state_.owner[rows_[row + kAhead]];
      if (held >= 0) __builtin_prefetch(state_.slots.data + held);
    }
    if (row + kNear < rows_.size) fetch(state_.owner[rows_[row + kNear]]);
    return state_.owner[rows_[row]];
  }

 private:
  void fetch(int32_t held) const {
    if (held < 0 || size_t(held) >= state_.slots.size) return;
    const uint64_t *signature = state_.signatures.data + state_.slots[size_t(held)] * kWords;
    __builtin_prefetch(signature);
    __builtin_prefetch(signature + kWords - 1);
  }

  const Decided &state_;
  Numbers<const uint32_t> rows_;
};

// How many bytes of the signatures of two documents are equal.
uint64_t agreement(const Decided &state, size_t one, size_t other) {
  must_fit(one < state.slots.size && other < state.slots.size);
  const auto slot = static_cast<size_t>(state.slots[one]);
  const auto held = static_cast<size_t>(state.slots[other]);
  const size_t slots = state.signatures.size / kWords;
  must_fit(slot < slots && held < slots);
  return equal_bytes(&state.signatures[slot * kWords], &state.signatures[held * kWords]);
}

// The first text of a component. Halves the way for whoever asks next (union-find).
// Path halving: Tarjan and van Leeuwen 1984, "Worst-Case Analysis of Set Union Algorithms".
int32_t root(Numbers<int32_t> keeper, int32_t document) {
  while (keeper[size_t(document)] >= 0) {
    int32_t &next = keeper[size_t(document)];
    must_fit(next < document);  // so that every way ends
    if (keeper[size_t(next)] >= 0) next = keeper[size_t(next)];
    document = next;
  }
  return document;
}

}  // namespace

void count_rows(Numbers<const uint32_t> ranks, Numbers<uint8_t> rows_of) {
  for (const uint32_t rank : ranks) {
    must_fit(rank < rows_of.size);
    // A text has a row for each of its 14 bands at most and one for its digest: a byte is enough.
    ++rows_of[rank];
  }
}

void fill_rows(Numbers<const uint32_t> ranks, Numbers<const uint32_t> buckets,
               const Numbering &numbering, uint64_t low, Numbers<int64_t> at,
               Numbers<uint32_t> out) {
  must_fit(ranks.size == buckets.size);
  for (size_t row = 0; row < ranks.size; ++row) {
    // A rank below `low` wraps to a number beyond every array, and is refused all the same.
    const uint64_t text = ranks[row] - low, bucket = buckets[row];
    must_fit(text < at.size && static_cast<uint64_t>(at[text]) < out.size);
    const bool is_near = bucket < numbering.num_near;
    const uint64_t number =
        is_near ? bucket + numbering.near : bucket - numbering.num_near + numbering.exact;
    out[size_t(at[text]++)] = static_cast<uint32_t>(number);
  }
}

void gather_signatures(Numbers<const uint64_t> bands, Numbers<const uint8_t> is_signed,
                       Numbers<const uint32_t> ranks, Numbers<const int32_t> place_of,
                       uint64_t first_rank, Numbers<uint64_t> out) {
  const size_t texts = ranks.size, rows = out.size / kWords;
  must_fit(bands.size == texts * kWords && is_signed.size == texts);
  const auto row_of = [&](size_t text) {
    // A rank before the first wraps around, and so is beyond the last: not wanted either.
    const uint64_t at = text < texts ? ranks[text] - first_rank : place_of.size;
    return at < place_of.size ? place_of[at] : -1;
  };
  for (size_t text = 0; text < texts; ++text) {
    const uint64_t later = text + kAhead < texts ? ranks[text + kAhead] - first_rank : 0;
    if (later < place_of.size) __builtin_prefetch(&place_of[later]);
    const int32_t next = row_of(text + kNear);
    if (next >= 0 && size_t(next) < rows) {
      __builtin_prefetch(&out[size_t(next) * kWords], 1);
      __builtin_prefetch(&out[size_t(next) * kWords + kWords - 1], 1);
    }
    const int32_t row = is_signed[text] ? row_of(text) : -1;
    if (row < 0) continue;
    must_fit(size_t(row) < rows);
    std::copy_n(&bands[text * kWords], kWords, &out[size_t(row) * kWords]);
  }
}

void decide_greedily(uint64_t first, Numbers<const int64_t> starts,
                     Numbers<const uint32_t> buckets, const Decided &state) {
  check(first, starts, buckets, state);
  const Owners owners(state, buckets);
  for (size_t number = 0; number + 1 < starts.size; ++number) {
    const size_t document = first + number;
    const auto start = static_cast<size_t>(starts[number]);
    const auto end = static_cast<size_t>(starts[number + 1]);
    int32_t best = -1, last = -1;
    int64_t most = -1;
    for (size_t row = start; row < end; ++row) {
      const int32_t held = owners.of(row);
      const bool exact = buckets[row] >= state.first_exact;
      // A text that shares many bands is met once for each: its signature is compared once.
      if (held < 0 || (held == last && !exact)) continue;
      last = held;
      // Equal texts agree in all bytes, whether they have signatures or are too short for one.
      const uint64_t agree = exact ? 8 * kWords : agreement(state, document, size_t(held));
      if (!exact && agree < state.least_equal) continue;
      // The most similar of the kept texts counts; of equally similar ones the best ranked.
      if (int64_t(agree) > most || (int64_t(agree) == most && held < best)) {
        best = held;
        most = int64_t(agree);
      }
    }
    state.keeper[document] = best;
    if (best >= 0) {
      state.equal[document] = static_cast<uint8_t>(most);
      continue;
    }
    // Kept: it stands for all its buckets that no better text holds, so one kept text for each
    // bucket is enough to remember, however many pages share it.
    for (size_t row = start; row < end; ++row) {
      int32_t &owner = state.owner[buckets[row]];
      if (owner < 0) owner = static_cast<int32_t>(document);
    }
  }
}

void join_components(uint64_t first, Numbers<const int64_t> starts,
                     Numbers<const uint32_t> buckets, const Decided &state) {
  check(first, starts, buckets, state);
  const Owners owners(state, buckets);
  for (size_t number = 0; number + 1 < starts.size; ++number) {
    const auto document = static_cast<int32_t>(first + number);
    for (auto row = static_cast<size_t>(starts[number]); row < size_t(starts[number + 1]); ++row) {
      const int32_t held = owners.of(row);
      if (held < 0) {
        state.owner[buckets[row]] = document;
        continue;
      }
      // With the bucket's first document alone: a bucket of n costs n comparisons, not n².
      const uint64_t agree = agreement(state, size_t(document), size_t(held));
      if (buckets[row] < state.first_exact && agree < state.least_equal) continue;
      const int32_t one = root(state.keeper, document), other = root(state.keeper, held);
      // The better ranked one becomes the root, so that it is the one kept in the end.
      // Edges lead to lower numbers only: no cycle comes to be, as `settle_components` demands.
      if (one != other) state.keeper[size_t(std::max(one, other))] = std::min(one, other);
    }
  }
}

void settle_components(Numbers<const uint64_t> signatures, Numbers<int32_t> keeper,
                       Numbers<uint8_t> equal) {
  must_fit(signatures.size == keeper.size * kWords && equal.size == keeper.size);
  for (size_t document = 0; document < keeper.size; ++document) {
    must_fit(keeper[document] < static_cast<int64_t>(document));  // a forest: no cycles
  }
  for (size_t document = 0; document < keeper.size; ++document) {
    const int32_t top = root(keeper, static_cast<int32_t>(document));
    if (size_t(top) == document) continue;
    keeper[document] = top;
    equal[document] = static_cast<uint8_t>(
        equal_bytes(&signatures[document * kWords], &signatures[size_t(top) * kWords]));
  }
}

}  // namespace skord
