#include <algorithm>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "simd.hpp"
#include "dedup/sketches.hpp"

namespace skord {

namespace {

constexpr uint64_t kP = (uint64_t(1) << 61) - 1;
constexpr uint32_t kNotOne = 0xFFFFFFFF;
constexpr size_t kShingle = 16;
// Numbers below 2^61 are multiplied in two parts: the lowest kLowBits bits, and the rest.
constexpr unsigned kLowBits = 31;
constexpr uint64_t kLow = (uint64_t(1) << kLowBits) - 1;

// (a x + plus) mod P = 2^61 - 1 of numbers below P: since 2^61 = 1, what is above folds down.
inline uint64_t times(uint64_t a, uint64_t x, uint64_t plus) {
  const unsigned __int128 product = static_cast<unsigned __int128>(a) * x + plus;
  uint64_t total = (uint64_t(product) & kP) + uint64_t(product >> 61);
  total = (total & kP) + (total >> 61);
  return std::min(total, total - kP);
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

// The minimum of (a x + b) mod P over all hashes.
uint64_t least_plainly(const std::vector<uint64_t> &hashes, uint64_t a, uint64_t b) {
  uint64_t least = kP;
  for (const uint64_t x : hashes) least = std::min(least, times(a, x, b));
  return least;
}

#if defined(__x86_64__)

// Several rows at a time. With x = low + 2^31 high and a' = 2^31 a mod P, a x + b = a low +
// a' high + b; a and a' again by their lower 32 bits and the 29 above. So the sum of the lower
// products stays below 2^64 (2^63 + 2^62 + 2^61) and that of the upper ones, which counts
// 2^32-fold, below 2^61. Both fold into less than 2^63.

SKORD_AVX512 void least_of_eights(const std::vector<uint64_t> &hashes, const uint64_t *a,
                                  const uint64_t *b, uint64_t *least) {
  alignas(64) uint64_t shifted[8];
  for (size_t row = 0; row < 8; ++row) shifted[row] = times(a[row], uint64_t(1) << kLowBits, 0);
  const __m512i p = _mm512_set1_epi64(int64_t(kP));
  const __m512i a_low = _mm512_loadu_si512(a), a_high = _mm512_srli_epi64(a_low, 32);
  const __m512i s_low = _mm512_load_si512(shifted), s_high = _mm512_srli_epi64(s_low, 32);
  const __m512i plus = _mm512_loadu_si512(b);
  __m512i smallest = p;
  for (const uint64_t hash : hashes) {
    const __m512i low = _mm512_set1_epi64(int64_t(hash & kLow));
    const __m512i high = _mm512_set1_epi64(int64_t(hash >> kLowBits));
    __m512i lower = _mm512_add_epi64(_mm512_mul_epu32(a_low, low), plus);
    lower = _mm512_add_epi64(lower, _mm512_mul_epu32(s_low, high));
    const __m512i upper =
        _mm512_add_epi64(_mm512_mul_epu32(a_high, low), _mm512_mul_epu32(s_high, high));
    __m512i total = _mm512_add_epi64(_mm512_and_si512(lower, p), _mm512_srli_epi64(lower, 61));
    total = _mm512_add_epi64(total, _mm512_and_si512(_mm512_slli_epi64(upper, 32), p));
    total = _mm512_add_epi64(total, _mm512_srli_epi64(upper, 29));
    total = _mm512_add_epi64(_mm512_and_si512(total, p), _mm512_srli_epi64(total, 61));
    total = _mm512_min_epu64(total, _mm512_sub_epi64(total, p));
    smallest = _mm512_min_epu64(smallest, total);
  }
  _mm512_storeu_si512(least, smallest);
}

SKORD_AVX2 SKORD_INLINE __m256i fours(const uint64_t *from) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i *>(from));
}
// `one` where `sign` is negative, else `other`.
SKORD_AVX2 SKORD_INLINE __m256i chosen(__m256i sign, __m256i one, __m256i other) {
  return _mm256_castpd_si256(_mm256_blendv_pd(
      _mm256_castsi256_pd(other), _mm256_castsi256_pd(one), _mm256_castsi256_pd(sign)));
}

SKORD_AVX2 void least_of_fours(const std::vector<uint64_t> &hashes, const uint64_t *a,
                               const uint64_t *b, uint64_t *least) {
  uint64_t shifted[4];
  for (size_t row = 0; row < 4; ++row) shifted[row] = times(a[row], uint64_t(1) << kLowBits, 0);
  const __m256i p = _mm256_set1_epi64x(int64_t(kP));
  const __m256i a_low = fours(a), a_high = _mm256_srli_epi64(a_low, 32);
  const __m256i s_low = fours(shifted), s_high = _mm256_srli_epi64(s_low, 32);
  const __m256i plus = fours(b);
  __m256i smallest = p;
  for (const uint64_t hash : hashes) {
    const __m256i low = _mm256_set1_epi64x(int64_t(hash & kLow));
    const __m256i high = _mm256_set1_epi64x(int64_t(hash >> kLowBits));
    __m256i lower = _mm256_add_epi64(_mm256_mul_epu32(a_low, low), plus);
    lower = _mm256_add_epi64(lower, _mm256_mul_epu32(s_low, high));
    const __m256i upper =
        _mm256_add_epi64(_mm256_mul_epu32(a_high, low), _mm256_mul_epu32(s_high, high));
    __m256i total = _mm256_add_epi64(_mm256_and_si256(lower, p), _mm256_srli_epi64(lower, 61));
    total = _mm256_add_epi64(total, _mm256_and_si256(_mm256_slli_epi64(upper, 32), p));
    total = _mm256_add_epi64(total, _mm256_srli_epi64(upper, 29));
    total = _mm256_add_epi64(_mm256_and_si256(total, p), _mm256_srli_epi64(total, 61));
    const __m256i less = _mm256_sub_epi64(total, p);
    total = chosen(less, total, less);
    smallest = chosen(_mm256_sub_epi64(total, smallest), total, smallest);
  }
  _mm256_storeu_si256(reinterpret_cast<__m256i *>(least), smallest);
}

#endif

void least_values(const std::vector<uint64_t> &hashes, const PublishedNumbers &numbers,
                  std::vector<uint64_t> &least) {
  size_t row = 0;
#if defined(__x86_64__)
  const uint64_t *a = numbers.a.data, *b = numbers.b.data;
  if (simd() == Simd::avx512) {
    for (; row + 8 <= least.size(); row += 8) {
      least_of_eights(hashes, a + row, b + row, &least[row]);
    }
  }
  if (simd() != Simd::none) {
    for (; row + 4 <= least.size(); row += 4) {
      least_of_fours(hashes, a + row, b + row, &least[row]);
    }
  }
#endif
  for (; row < least.size(); ++row) least[row] = least_plainly(hashes, numbers.a[row], numbers.b[row]);
}

}  // namespace

void published_keys(const ArrowTexts &texts, Numbers<const uint32_t> table,
                    const PublishedNumbers &numbers, size_t bands, Numbers<uint64_t> out,
                    Numbers<uint8_t> made, Numbers<uint8_t> odd) {
  const size_t rows = numbers.a.size;
  must_fit(numbers.b.size == rows && numbers.c.size == rows && bands > 0 && rows % bands == 0);
  must_fit(out.size == texts.size() * bands);
  must_fit(made.size == texts.size() && odd.size == texts.size());
  must_fit(table.size == kCodePoints);
  const bool lowers = lowers_ascii(table.data);
  std::vector<uint32_t> points(texts.longest());
  std::vector<uint64_t> hashes, least(rows);
  for (size_t text = 0; text < texts.size(); ++text) {
    const size_t size = code_points(texts[text], table.data, lowers, points.data());
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
