#include "dedup/sketches.hpp"

#include <algorithm>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "bindings/reading.hpp"
#include "simd.hpp"
#include "text/utf8.hpp"

namespace skord {

namespace {

constexpr uint32_t kEmpty = 0xFFFFFFFF;
constexpr uint64_t kNotAscii = 0x8080808080808080;
constexpr uint64_t kZ = 0x9E3779B97F4A7C15;  // odd; the base of the rolling hash
constexpr uint64_t kMix1 = 0xBF58476D1CE4E5B9, kMix2 = 0x94D049BB133111EB;  // SplitMix64's
constexpr uint64_t kPrime1 = 0x9E3779B185EBCA87, kPrime2 = 0xC2B2AE3D27D4EB4F;  // xxHash's five
constexpr uint64_t kPrime3 = 0x165667B19E3779F9, kPrime4 = 0x85EBCA77C2B2AE63;
constexpr uint64_t kPrime5 = 0x27D4EB2F165667C5;

// What a table, shape (kCodePoints,), has of the code point at `at`, which goes on behind it.
SKORD_INLINE uint32_t next_entry(const uint32_t *table, std::string_view text, size_t &at) {
  const uint32_t point = next_point(text, at);
  must_fit(point < kCodePoints);
  return table[point];
}

#if defined(__x86_64__)

// What a table that `lowers_ascii` makes of 16 bytes at a time.
class Lowering {
 public:
  SKORD_AVX2 SKORD_INLINE Lowering()
      : small_(of('a')), letters_(of('z' - 'a')), zero_(of('0')), digits_(of('9' - '0')),
        // 0x20 serves twice: as the bit that parts small letters from capitals, and as the space.
        bit_(of(0x20)), line_(of('_')), mark_(of('-')) {}

  // Of the ASCII that they begin with; how many those are. What is written for bytes behind it
  // is overwritten.
  SKORD_AVX2 SKORD_INLINE size_t operator()(const char *from, uint32_t *to) const {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i *>(from));
    const __m128i low = _mm_or_si128(bytes, bit_);
    const __m128i blank = _mm_or_si128(_mm_cmpeq_epi8(bytes, line_), _mm_cmpeq_epi8(bytes, bit_));
    const __m128i kept = _mm_or_si128(blank, within(bytes, zero_, digits_));
    __m128i lowered = _mm_blendv_epi8(mark_, bytes, kept);
    lowered = _mm_blendv_epi8(lowered, low, within(low, small_, letters_));
    // Sixteen numbers fit: no more were written than bytes read, and sixteen bytes are left.
    auto *out = reinterpret_cast<__m256i *>(to);
    _mm256_storeu_si256(out, _mm256_cvtepu8_epi32(lowered));
    _mm256_storeu_si256(out + 1, _mm256_cvtepu8_epi32(_mm_srli_si128(lowered, 8)));
    // A bit beyond the sixteen, so that sixteen of ASCII count as such and ctz never sees a zero.
    return size_t(__builtin_ctz(static_cast<uint32_t>(_mm_movemask_epi8(bytes)) | 1u << 16));
  }

 private:
  SKORD_AVX2 SKORD_INLINE static __m128i of(char byte) { return _mm_set1_epi8(byte); }
  // Bytes from `first` on, and at most `span` beyond.
  SKORD_AVX2 SKORD_INLINE static __m128i within(__m128i bytes, __m128i first, __m128i span) {
    // What is below `first` wraps around to a large unsigned number.
    const __m128i from = _mm_sub_epi8(bytes, first);
    return _mm_cmpeq_epi8(_mm_min_epu8(from, span), from);
  }
  __m128i small_, letters_, zero_, digits_, bit_, line_, mark_;
};

SKORD_AVX2 size_t code_points_by_16(std::string_view text, const uint32_t *table, uint32_t *out) {
  const Lowering lowered;
  uint32_t *to = out;
  size_t at = 0;
  while (text.size() - at >= 16) {
    const size_t ascii = lowered(&text[at], to);
    to += ascii;
    at += ascii;
    if (ascii == 16) continue;
    *to++ = next_entry(table, text, at);
  }
  while (at < text.size()) *to++ = next_entry(table, text, at);
  return static_cast<size_t>(to - out);
}

// What four numbers of 64 bits are multiplied by, which AVX2 does by halves.
struct Factor {
  __m256i all, crossed;

  SKORD_AVX2 explicit Factor(uint64_t by)
      : all(_mm256_set1_epi64x(int64_t(by))),
        crossed(_mm256_set1_epi64x(int64_t(by >> 32 | by << 32))) {}

  // low * low + 2^32 (low * high + high * low); high * high is beyond 2^64. Of the crossed products
  // the lower 32 bits are enough, since they move up by 32.
  SKORD_AVX2 SKORD_INLINE __m256i times(__m256i x) const {
    const __m256i mixed = _mm256_mullo_epi32(x, crossed);  // low by high, high by low
    const __m256i upper = _mm256_add_epi32(_mm256_srli_epi64(mixed, 32), mixed);
    return _mm256_add_epi64(_mm256_mul_epu32(x, all), _mm256_slli_epi64(upper, 32));
  }
  // Of numbers below 2^32.
  SKORD_AVX2 SKORD_INLINE __m256i times_small(__m256i x) const {
    const __m256i upper = _mm256_slli_epi64(_mm256_mul_epu32(x, crossed), 32);
    return _mm256_add_epi64(_mm256_mul_epu32(x, all), upper);
  }
};

#endif

// The smallest hash of those runs that fall into each bin. Two halves of the text side by side, or
// eight parts of it, since in each every hash has to wait for the one before it.
class Bins {
 public:
  Bins(size_t width, size_t bins) : width_(width), smallest_(bins) {
    for (size_t at = 1; at < width; ++at) oldest_ *= kZ;
  }

  // `size` is at least the width.
  const std::vector<uint32_t> &fill(const uint32_t *points, size_t size) {
    std::fill(smallest_.begin(), smallest_.end(), kEmpty);
    size_t runs = size - width_ + 1;
#if defined(__x86_64__)
    if (simd() != Simd::none && runs >= kLeastForEights) {
      put_side_by_side(points, runs / 8);
      simd() == Simd::avx512 ? fill_eights(runs / 8) : fill_fours(runs / 8);
      points += runs / 8 * 8;
      runs %= 8;
    }
#endif
    const size_t half = runs / 2;
    // Two halves at a time: each step waits for the multiplication before it, and two chains
    // fill that time.
    uint64_t first = start(points), second = start(points + half);
    for (size_t at = 0; at < half; ++at) {
      first = step(first, points, at);
      second = step(second, points + half, at);
    }
    // After the loop the second half has come to the run that an odd number leaves over.
    if (runs % 2) step(second, points + half, half);
    return smallest_;
  }

 private:
  // The hash of all but the last point of the first run.
  uint64_t start(const uint32_t *points) const {
    uint64_t hashed = 0;
    for (size_t at = 0; at + 1 < width_; ++at) hashed = hashed * kZ + points[at];
    return hashed;
  }
  // Takes the run that begins at `at`, given the hash of all but its last point, and gives that
  // of the next.
  uint64_t step(uint64_t hashed, const uint32_t *points, size_t at) {
    hashed = hashed * kZ + points[at + width_ - 1];
    uint64_t mixed = (hashed ^ (hashed >> 29)) * kMix1;
    // Bins by one hash in place of many permutations: Li, Owen and Zhang 2012, "One Permutation
    // Hashing".
    mixed ^= mixed >> 32;
    // The upper half of the hash chooses the bin (a multiplication in place of a division), the
    // lower half, mixed once more, is the value: one hash for all bins (one permutation hashing).
    uint32_t &least = smallest_[((mixed >> 32) * smallest_.size()) >> 32];
    least = std::min(least, static_cast<uint32_t>((mixed * kMix2) >> 32));
    return hashed - oldest_ * points[at];  // the first point leaves: a rolling polynomial
  }

#if defined(__x86_64__)
  static constexpr size_t kLeastForEights = 128;

  // Eight parts of the text, of which part k has the `each` runs from number k `each` on: side by
  // side lie the points that they have at the same place.
  void put_side_by_side(const uint32_t *points, size_t each) {
    const size_t length = each + width_ - 1;
    side_by_side_.resize(8 * length);
    of_parts_.assign(8 * smallest_.size(), kEmpty);
    for (size_t at = 0; at < length; ++at) {
      for (size_t part = 0; part < 8; ++part) {
        side_by_side_[8 * at + part] = points[part * each + at];
      }
    }
  }

  // Each part has bins of its own: with common ones a hash would often have to wait for what was
  // just stored. A hash is given as its bin and its value, 32 bits each.
  SKORD_INLINE void lessen(const uint64_t *hashes) {
    uint32_t *of_part = of_parts_.data();
    SKORD_UNROLLED
    for (size_t part = 0; part < 8; ++part, of_part += smallest_.size()) {
      uint32_t &least = of_part[hashes[part] >> 32];
      least = std::min(least, static_cast<uint32_t>(hashes[part]));
    }
  }

  SKORD_INLINE void join_parts() {
    const size_t bins = smallest_.size();
    for (size_t bin = 0; bin < bins; ++bin) smallest_[bin] = of_parts_[bin];
    for (size_t part = 1; part < 8; ++part) {
      const uint32_t *of_part = &of_parts_[part * bins];
      for (size_t bin = 0; bin < bins; ++bin) {
        smallest_[bin] = std::min(smallest_[bin], of_part[bin]);
      }
    }
  }

  SKORD_AVX512 void fill_eights(size_t each) {
    const auto eight = [](uint64_t value) { return int64_t(value); };
    const __m512i z = _mm512_set1_epi64(eight(kZ)), gone_by = _mm512_set1_epi64(eight(oldest_ * kZ));
    const __m512i mix1 = _mm512_set1_epi64(eight(kMix1)), mix2 = _mm512_set1_epi64(eight(kMix2));
    const __m512i bins = _mm512_set1_epi64(eight(smallest_.size()));
    __m512i hashed = _mm512_setzero_si512();
    alignas(64) uint64_t hashes[8];
    for (size_t at = 0; at + 1 < each + width_; ++at) {
      __m512i change = point_eights(at);
      if (at >= width_) {
        // The old point leaves after the product by z and not before, so it weighs kZ^width here.
        const __m512i gone = _mm512_mullo_epi64(point_eights(at - width_), gone_by);
        change = _mm512_sub_epi64(change, gone);
      }
      hashed = _mm512_add_epi64(_mm512_mullo_epi64(hashed, z), change);
      if (at + 1 < width_) continue;
      __m512i mixed = _mm512_xor_si512(hashed, _mm512_srli_epi64(hashed, 29));
      mixed = _mm512_mullo_epi64(mixed, mix1);
      mixed = _mm512_xor_si512(mixed, _mm512_srli_epi64(mixed, 32));
      const __m512i place = _mm512_mul_epu32(_mm512_srli_epi64(mixed, 32), bins);
      const __m512i value = _mm512_srli_epi64(_mm512_mullo_epi64(mixed, mix2), 32);
      // The bin stands in the upper half of `place`, the value in the lower half of `value`.
      _mm512_store_si512(hashes, _mm512_mask_blend_epi32(0xAAAA, value, place));
      lessen(hashes);
    }
    join_parts();
  }
  SKORD_AVX512 SKORD_INLINE __m512i point_eights(size_t at) const {
    const auto *from = reinterpret_cast<const __m256i *>(&side_by_side_[8 * at]);
    return _mm512_cvtepu32_epi64(_mm256_loadu_si256(from));
  }

  // The same by two vectors of four, neither of which has to wait for the other.
  SKORD_AVX2 void fill_fours(size_t each) {
    const Factor z(kZ), mix1(kMix1), mix2(kMix2), gone_by(oldest_ * kZ);
    const __m256i bins = _mm256_set1_epi64x(int64_t(smallest_.size()));
    __m256i hashed[2] = {_mm256_setzero_si256(), _mm256_setzero_si256()};
    alignas(32) uint64_t hashes[8];
    for (size_t at = 0; at + 1 < each + width_; ++at) {
      SKORD_UNROLLED
      for (size_t half = 0; half < 2; ++half) {
        __m256i change = point_fours(at, half);
        if (at >= width_) {
          change = _mm256_sub_epi64(change, gone_by.times_small(point_fours(at - width_, half)));
        }
        hashed[half] = _mm256_add_epi64(z.times(hashed[half]), change);
        if (at + 1 < width_) continue;
        __m256i mixed = _mm256_xor_si256(hashed[half], _mm256_srli_epi64(hashed[half], 29));
        mixed = mix1.times(mixed);
        const __m256i top = _mm256_srli_epi64(mixed, 32);
        mixed = _mm256_xor_si256(mixed, top);
        const __m256i place = _mm256_mul_epu32(top, bins);
        const __m256i value = _mm256_srli_epi64(mix2.times(mixed), 32);
        _mm256_store_si256(reinterpret_cast<__m256i *>(hashes + 4 * half),
                           _mm256_blend_epi32(value, place, 0xAA));
      }
      if (at + 1 >= width_) lessen(hashes);
    }
    join_parts();
  }
  SKORD_AVX2 SKORD_INLINE __m256i point_fours(size_t at, size_t half) const {
    const auto *from = reinterpret_cast<const __m128i *>(&side_by_side_[8 * at + 4 * half]);
    return _mm256_cvtepu32_epi64(_mm_loadu_si128(from));
  }

  std::vector<uint32_t> side_by_side_, of_parts_;
#endif

  size_t width_;
  std::vector<uint32_t> smallest_;
  uint64_t oldest_ = 1;  // what the first point of a run is multiplied by
};

// More than any bin has to draw until it has drawn every other (at most 1,017 times where there are
// 112, 14,976 where there are 1024): whoever draws on has nothing to draw, since every run of the
// text has the very hash that marks an empty bin.
constexpr uint64_t kMostDraws = 1 << 16;

// One byte of each bin; an empty bin takes the value of another, chosen by its own number. Every
// bin hashes its value anew, so that two texts of one run each, which fill all bins with one
// value, agree in one byte of 256 and not in all of them.
void write_bytes(const std::vector<uint32_t> &smallest, uint8_t *row) {
  for (size_t place = 0; place < smallest.size(); ++place) {
    const uint64_t high = uint64_t(place) << 32;
    uint32_t value = smallest[place];
    // Shrivastava 2017, "Optimal Densification for Fast and Accurate Minwise Hashing": a bin that
    // is empty in two texts draws in the same order in both, and so agrees as often as others.
    for (uint64_t attempt = 1; value == kEmpty && attempt <= kMostDraws; ++attempt) {
      const uint64_t drawn = split_mixed(high | attempt);
      value = smallest[((drawn >> 32) * smallest.size()) >> 32];
    }
    row[place] = static_cast<uint8_t>(split_mixed(high ^ value) >> 56);
  }
}

uint64_t rotated(uint64_t x, int left) { return x << left | x >> (64 - left); }

uint64_t xxh_round(uint64_t state, uint64_t lane) {
  return rotated(state + lane * kPrime2, 31) * kPrime1;
}

// The state after all whole stripes of 32 bytes.
uint64_t stripes(const char *&at, const char *end) {
  // The xxHash specification's XXH64; its lanes are little-endian, as are the machines this is for.
  uint64_t state[4] = {kPrime1 + kPrime2, kPrime2, 0, 0 - kPrime1};
  for (; end - at >= 32; at += 32) {
    for (int lane = 0; lane < 4; ++lane) {
      state[lane] = xxh_round(state[lane], load<uint64_t>(at + 8 * lane));
    }
  }
  uint64_t merged = rotated(state[0], 1) + rotated(state[1], 7) + rotated(state[2], 12) +
                    rotated(state[3], 18);
  for (const uint64_t lane : state) merged = (merged ^ xxh_round(0, lane)) * kPrime1 + kPrime4;
  return merged;
}

}  // namespace

bool lowers_ascii(const uint32_t *table) {
  for (uint32_t point = 0; point < 0x80; ++point) {
    const bool letter = (point | 0x20) >= 'a' && (point | 0x20) <= 'z';
    const bool kept = (point >= '0' && point <= '9') || point == '_' || point == ' ';
    if (table[point] != (letter ? point | 0x20 : kept ? point : '-')) return false;
  }
  return true;
}

size_t code_points(std::string_view text, const uint32_t *table, bool lowers, uint32_t *out) {
#if defined(__x86_64__)
  if (lowers && simd() != Simd::none) return code_points_by_16(text, table, out);
#endif
  uint32_t *to = out;
  for (size_t at = 0; at < text.size();) {
    while (text.size() - at >= 8) {  // what is written for bytes behind the ASCII is overwritten
      const uint64_t others = load<uint64_t>(&text[at]) & kNotAscii;
      for (size_t byte = 0; byte < 8; ++byte) to[byte] = table[uint8_t(text[at + byte])];
      // Little-endian: the lowest top bit that is set is that of the first byte beyond ASCII.
      const size_t ascii = others == 0 ? 8 : size_t(__builtin_ctzll(others)) / 8;
      to += ascii;
      at += ascii;
      if (ascii < 8) break;
    }
    if (at < text.size()) *to++ = next_entry(table, text, at);
  }
  return static_cast<size_t>(to - out);
}

void sketches(const ArrowTexts &texts, Numbers<const uint32_t> table, size_t shingle_chars,
              size_t bins, Numbers<uint8_t> out, Numbers<uint8_t> valid) {
  // Of very many bins nearly all are empty, and each is filled by drawing until one is not.
  must_fit(shingle_chars > 0 && shingle_chars < 10'000 && bins > 0 && bins <= 1024);
  must_fit(out.size == texts.size() * bins && valid.size == texts.size());
  must_fit(table.size == kCodePoints);
  const bool lowers = lowers_ascii(table.data);
  std::vector<uint32_t> points(texts.longest());
  Bins filled(shingle_chars, bins);
  for (size_t text = 0; text < texts.size(); ++text) {
    const size_t size = code_points(texts[text], table.data, lowers, points.data());
    valid[text] = size >= shingle_chars;
    if (valid[text]) write_bytes(filled.fill(points.data(), size), &out[text * bins]);
  }
}

uint64_t xxh64(std::string_view data) {
  const char *at = data.data(), *end = at + data.size();
  uint64_t state = data.size() >= 32 ? stripes(at, end) : kPrime5;
  state += data.size();
  for (; end - at >= 8; at += 8) {
    state = rotated(state ^ xxh_round(0, load<uint64_t>(at)), 27) * kPrime1 + kPrime4;
  }
  if (end - at >= 4) {
    state = rotated(state ^ load<uint32_t>(at) * kPrime1, 23) * kPrime2 + kPrime3;
    at += 4;
  }
  for (; at < end; ++at) state = rotated(state ^ uint8_t(*at) * kPrime5, 11) * kPrime1;
  state = (state ^ state >> 33) * kPrime2;
  state = (state ^ state >> 29) * kPrime3;
  return state ^ state >> 32;
}

void digests(const ArrowTexts &texts, Numbers<uint64_t> out) {
  must_fit(out.size == texts.size());
  for (size_t text = 0; text < texts.size(); ++text) out[text] = xxh64(texts[text]);
}

}  // namespace skord
