#include "dedup/sketches.hpp"

#include <algorithm>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "bindings/reading.hpp"

namespace skord {

namespace {

constexpr uint32_t kEmpty = 0xFFFFFFFF;
constexpr uint64_t kNotAscii = 0x8080808080808080;
constexpr uint64_t kZ = 0x9E3779B97F4A7C15;  // odd; the base of the rolling hash
constexpr uint64_t kMix1 = 0xBF58476D1CE4E5B9, kMix2 = 0x94D049BB133111EB;  // SplitMix64's
constexpr uint64_t kPrime1 = 0x9E3779B185EBCA87, kPrime2 = 0xC2B2AE3D27D4EB4F;  // xxHash's five
constexpr uint64_t kPrime3 = 0x165667B19E3779F9, kPrime4 = 0x85EBCA77C2B2AE63;
constexpr uint64_t kPrime5 = 0x27D4EB2F165667C5;

uint32_t trail(std::string_view text, size_t at) {
  must_fit(at < text.size());
  return static_cast<uint8_t>(text[at]) & 0x3F;
}

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
    static const bool has_eights = __builtin_cpu_supports("avx512dq");
    if (has_eights && runs >= kLeastForEights) {
      fill_eights(points, runs / 8);
      points += runs / 8 * 8;
      runs %= 8;
    }
#endif
    const size_t half = runs / 2;
    uint64_t first = start(points), second = start(points + half);
    for (size_t at = 0; at < half; ++at) {
      first = step(first, points, at);
      second = step(second, points + half, at);
    }
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
    mixed ^= mixed >> 32;
    uint32_t &least = smallest_[((mixed >> 32) * smallest_.size()) >> 32];
    least = std::min(least, static_cast<uint32_t>((mixed * kMix2) >> 32));
    return hashed - oldest_ * points[at];
  }

#if defined(__x86_64__)
  static constexpr size_t kLeastForEights = 128;

  // The first 8 `each` runs: part k has `each` from number k `each` on. Side by side lie the points
  // that the parts have at the same place.
  __attribute__((target("avx512f,avx512dq"))) void fill_eights(const uint32_t *points,
                                                               size_t each) {
    const size_t length = each + width_ - 1;
    side_by_side_.resize(8 * length);
    for (size_t at = 0; at < length; ++at) {
      for (size_t part = 0; part < 8; ++part) {
        side_by_side_[8 * at + part] = points[part * each + at];
      }
    }
    const auto eight = [](uint64_t value) { return int64_t(value); };
    const __m512i z = _mm512_set1_epi64(eight(kZ)), oldest = _mm512_set1_epi64(eight(oldest_));
    const __m512i mix1 = _mm512_set1_epi64(eight(kMix1)), mix2 = _mm512_set1_epi64(eight(kMix2));
    const __m512i bins = _mm512_set1_epi64(eight(smallest_.size()));
    __m512i hashed = _mm512_setzero_si512();
    alignas(64) uint64_t place[8], value[8];
    for (size_t at = 0; at < length; ++at) {
      const auto *coming = reinterpret_cast<const __m256i *>(&side_by_side_[8 * at]);
      const __m512i point = _mm512_cvtepu32_epi64(_mm256_loadu_si256(coming));
      hashed = _mm512_add_epi64(_mm512_mullo_epi64(hashed, z), point);
      if (at + 1 < width_) continue;
      __m512i mixed = _mm512_xor_si512(hashed, _mm512_srli_epi64(hashed, 29));
      mixed = _mm512_mullo_epi64(mixed, mix1);
      mixed = _mm512_xor_si512(mixed, _mm512_srli_epi64(mixed, 32));
      const __m512i high = _mm512_mul_epu32(_mm512_srli_epi64(mixed, 32), bins);
      _mm512_store_si512(place, _mm512_srli_epi64(high, 32));
      _mm512_store_si512(value, _mm512_srli_epi64(_mm512_mullo_epi64(mixed, mix2), 32));
      for (size_t part = 0; part < 8; ++part) {
        uint32_t &least = smallest_[place[part]];
        least = std::min(least, static_cast<uint32_t>(value[part]));
      }
      const auto *going = reinterpret_cast<const __m256i *>(&side_by_side_[8 * (at + 1 - width_)]);
      const __m512i gone = _mm512_cvtepu32_epi64(_mm256_loadu_si256(going));
      hashed = _mm512_sub_epi64(hashed, _mm512_mullo_epi64(gone, oldest));
    }
  }

  std::vector<uint32_t> side_by_side_;
#endif

  size_t width_;
  std::vector<uint32_t> smallest_;
  uint64_t oldest_ = 1;  // what the first point of a run is multiplied by
};

// One byte of each bin; an empty bin takes the value of another, chosen by its own number. Every
// bin hashes its value anew, so that two texts of one run each, which fill all bins with one
// value, agree in one byte of 256 and not in all of them.
void write_bytes(const std::vector<uint32_t> &smallest, uint8_t *row) {
  for (size_t place = 0; place < smallest.size(); ++place) {
    const uint64_t high = uint64_t(place) << 32;
    uint32_t value = smallest[place];
    for (uint64_t attempt = 1; value == kEmpty; ++attempt) {
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

ArrowTexts::ArrowTexts(Numbers<const uint64_t> starts, std::string_view bytes)
    : starts_(starts), bytes_(bytes) {
  must_fit(starts.size > 0 && std::is_sorted(starts.begin(), starts.end()));
  must_fit(starts.size == 1 || starts[starts.size - 1] <= bytes.size());
}

size_t ArrowTexts::longest() const {
  size_t longest = 0;
  for (size_t text = 0; text < size(); ++text) longest = std::max(longest, (*this)[text].size());
  return longest;
}

size_t code_points(std::string_view text, const uint32_t *table, uint32_t *out) {
  uint32_t *to = out;
  for (size_t at = 0; at < text.size();) {
    while (text.size() - at >= 8) {  // what is written for bytes behind the ASCII is overwritten
      const uint64_t others = load<uint64_t>(&text[at]) & kNotAscii;
      for (size_t byte = 0; byte < 8; ++byte) to[byte] = table[uint8_t(text[at + byte])];
      const size_t ascii = others == 0 ? 8 : size_t(__builtin_ctzll(others)) / 8;
      to += ascii;
      at += ascii;
      if (ascii < 8) break;
    }
    if (at == text.size()) break;
    const auto first = static_cast<uint8_t>(text[at]);
    if (first < 0x80) {
      *to++ = table[first];
      at += 1;
      continue;
    }
    const size_t width = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    uint32_t point = first & (0x7Fu >> width);
    for (size_t byte = 1; byte < width; ++byte) point = point << 6 | trail(text, at + byte);
    must_fit(point < kCodePoints);
    *to++ = table[point];
    at += width;
  }
  return static_cast<size_t>(to - out);
}

void sketch(const ArrowTexts &texts, const uint32_t *table, size_t shingle_chars, size_t bins,
            Numbers<uint8_t> out, Numbers<uint8_t> valid) {
  must_fit(shingle_chars > 0 && bins > 0 && bins < 10'000);
  must_fit(out.size == texts.size() * bins && valid.size == texts.size());
  std::vector<uint32_t> points(texts.longest());
  Bins filled(shingle_chars, bins);
  for (size_t text = 0; text < texts.size(); ++text) {
    const size_t size = code_points(texts[text], table, points.data());
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

}  // namespace skord
