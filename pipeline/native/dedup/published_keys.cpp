#include <algorithm>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "dedup/sketches.hpp"

namespace skord {

namespace {

constexpr uint64_t kP = (uint64_t(1) << 61) - 1;
constexpr uint64_t kLow = 0xFFFFFFFF;
constexpr uint32_t kNotOne = 0xFFFFFFFF;
constexpr size_t kShingle = 16;

// small + middle 2^32 + large 2^64 + plus modulo P = 2^61 - 1: since 2^61 = 1, each term folds
// into its low 61 bits plus the rest.
inline uint64_t folded(uint64_t small, uint64_t middle, uint64_t large, uint64_t plus) {
  uint64_t total = plus + (small & kP) + (small >> 61);
  total += ((middle << 32) & kP) + (middle >> 29);
  total += ((large << 3) & kP) + (large >> 58);
  total = (total & kP) + (total >> 61);
  return std::min(total, total - kP);
}

// (a x + plus) mod P of numbers below P, without a product of more than 64 bits.
inline uint64_t times(uint64_t a, uint64_t x, uint64_t plus) {
  const uint64_t a1 = a & kLow, a2 = a >> 32, x1 = x & kLow, x2 = x >> 32;
  return folded(a1 * x1, a1 * x2 + a2 * x1, a2 * x2, plus);
}

// Hashes of all runs of 16, from the last to the first. A run's hash is the sum of z^i c_i;
// one place to the left multiplies by z, adds the new first character, takes the last away.
void shingles(const uint32_t *points, size_t size, uint64_t z, std::vector<uint64_t> &out) {
  uint64_t power = 1, hashed = 0;
  for (size_t at = 0; at < kShingle; ++at) power = times(power, z, 0);
  out.clear();
  for (size_t place = 0; place < size; ++place) {
    const size_t at = size - 1 - place;
    hashed = times(hashed, z, points[at]);
    if (place >= kShingle) {
      const uint64_t gone = times(power, points[at + kShingle], 0);
      hashed = std::min(hashed - gone, hashed - gone + kP);
    }
    if (place + 1 >= kShingle) out.push_back(hashed);
  }
}

// The minimum of (a x + b) mod P over all hashes, for each row.
void least_plainly(const std::vector<uint64_t> &hashes, const PublishedNumbers &numbers,
                   std::vector<uint64_t> &least) {
  for (size_t row = 0; row < least.size(); ++row) {
    least[row] = kP;
    for (const uint64_t x : hashes) {
      least[row] = std::min(least[row], times(numbers.a[row], x, numbers.b[row]));
    }
  }
}

#if defined(__x86_64__)

#define SKORD_EIGHT __attribute__((target("avx512f"), always_inline))

// The same for eight rows at a time.
SKORD_EIGHT inline __m512i folded_sum(__m512i low, __m512i high, __m512i x1, __m512i x2,
                                      __m512i plus) {
  const __m512i p = _mm512_set1_epi64(int64_t(kP));
  const __m512i small = _mm512_mul_epu32(low, x1), large = _mm512_mul_epu32(high, x2);
  const __m512i middle =
      _mm512_add_epi64(_mm512_mul_epu32(low, x2), _mm512_mul_epu32(high, x1));
  __m512i total = _mm512_add_epi64(plus, _mm512_and_si512(small, p));
  total = _mm512_add_epi64(total, _mm512_srli_epi64(small, 61));
  total = _mm512_add_epi64(total, _mm512_and_si512(_mm512_slli_epi64(middle, 32), p));
  total = _mm512_add_epi64(total, _mm512_srli_epi64(middle, 29));
  total = _mm512_add_epi64(total, _mm512_and_si512(_mm512_slli_epi64(large, 3), p));
  total = _mm512_add_epi64(total, _mm512_srli_epi64(large, 58));
  total = _mm512_add_epi64(_mm512_and_si512(total, p), _mm512_srli_epi64(total, 61));
  return _mm512_min_epu64(total, _mm512_sub_epi64(total, p));
}

__attribute__((target("avx512f"))) void least_of_eights(const std::vector<uint64_t> &hashes,
                                                        const PublishedNumbers &numbers,
                                                        std::vector<uint64_t> &least) {
  for (size_t row = 0; row < least.size(); row += 8) {
    const __m512i a = _mm512_loadu_si512(&numbers.a[row]), high = _mm512_srli_epi64(a, 32);
    const __m512i b = _mm512_loadu_si512(&numbers.b[row]);
    __m512i found = _mm512_set1_epi64(int64_t(kP));
    for (const uint64_t hash : hashes) {
      const __m512i x = _mm512_set1_epi64(int64_t(hash));
      found = _mm512_min_epu64(found, folded_sum(a, high, x, _mm512_srli_epi64(x, 32), b));
    }
    _mm512_storeu_si512(&least[row], found);
  }
}

#endif

void least_values(const std::vector<uint64_t> &hashes, const PublishedNumbers &numbers,
                  std::vector<uint64_t> &least) {
#if defined(__x86_64__)
  static const bool has_eights = __builtin_cpu_supports("avx512f");
  if (has_eights && least.size() % 8 == 0) return least_of_eights(hashes, numbers, least);
#endif
  least_plainly(hashes, numbers, least);
}

}  // namespace

void published_keys(const ArrowTexts &texts, const uint32_t *table,
                    const PublishedNumbers &numbers, size_t bands, Numbers<uint64_t> out,
                    Numbers<uint8_t> made, Numbers<uint8_t> odd) {
  const size_t rows = numbers.a.size;
  must_fit(numbers.b.size == rows && numbers.c.size == rows && bands > 0 && rows % bands == 0);
  must_fit(out.size == texts.size() * bands);
  must_fit(made.size == texts.size() && odd.size == texts.size());
  std::vector<uint32_t> points(texts.longest());
  std::vector<uint64_t> hashes, least(rows);
  for (size_t text = 0; text < texts.size(); ++text) {
    const size_t size = code_points(texts[text], table, points.data());
    odd[text] = std::find(points.data(), points.data() + size, kNotOne) != points.data() + size;
    made[text] = size >= kShingle && !odd[text];
    if (!made[text]) continue;
    shingles(points.data(), size, numbers.z, hashes);
    least_values(hashes, numbers, least);
    for (size_t band = 0; band < bands; ++band) {
      uint64_t total = 0;
      for (size_t row = band * rows / bands; row < (band + 1) * rows / bands; ++row) {
        total = times(numbers.c[row], least[row], total);
      }
      out[text * bands + band] = total;
    }
  }
}

}  // namespace skord
