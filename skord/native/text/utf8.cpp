#include "text/utf8.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "simd.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace skord {

namespace {

constexpr uint64_t kHighBits = 0x8080808080808080ULL;

bool is_utf8_by_char(std::string_view text) {
  const auto *at = reinterpret_cast<const uint8_t *>(text.data());
  const uint8_t *end = at + text.size();
  while (at < end) {
    uint64_t word;
    while (end - at >= 8 && (std::memcpy(&word, at, 8), !(word & kHighBits))) at += 8;
    if (at == end) break;
    const uint8_t first = *at++;
    if (first < 0x80) continue;
    const int trails = first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3;
    if (first < 0xC2 || first > 0xF4 || end - at < trails) return false;
    // Unicode 3.9, table 3-7: only the second byte has other bounds than 80 to BF.
    const uint8_t low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
    const uint8_t high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
    if (*at < low || *at > high) return false;
    for (int trail = 1; trail < trails; ++trail) {
      if ((at[trail] & 0xC0) != 0x80) return false;
    }
    at += trails;
  }
  return true;
}

size_t num_trails(std::string_view text) {
  size_t trails = 0;
  for (const char c : text) trails += is_trail(c);
  return trails;
}

#if defined(__x86_64__)

// Keiser and Lemire 2021, "Validating UTF-8 in less than one instruction per byte": what two bytes
// side by side cannot be is looked up by three of their half bytes, a bit for each fault.
enum Fault : uint8_t {
  kTooShort = 1 << 0,   // a first byte that no byte of those that go on follows
  kTooLong = 1 << 1,    // one that goes on after ASCII
  kOverlong3 = 1 << 2,  // E0 80 to E0 9F
  kTooLarge = 1 << 3,   // F4 90 and above
  kSurrogate = 1 << 4,  // ED A0 to ED BF
  kOverlong2 = 1 << 5,  // C0 and C1
  kTooLarge1000 = 1 << 6,  // F5 and above, before 80 to 8F
  kOverlong4 = 1 << 6,     // F0 80 to F0 8F
  kTwoTrails = 1 << 7,  // right only in characters of three or four bytes
};
constexpr uint8_t kCarry = kTooShort | kTooLong | kTwoTrails;

SKORD_AVX2 SKORD_INLINE __m256i twice(const uint8_t (&table)[16]) {
  return _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i *>(table)));
}

constexpr uint8_t kByFirstHigh[16] = {
    kTooLong, kTooLong, kTooLong, kTooLong, kTooLong, kTooLong, kTooLong, kTooLong,
    kTwoTrails, kTwoTrails, kTwoTrails, kTwoTrails, kTooShort | kOverlong2, kTooShort,
    kTooShort | kOverlong3 | kSurrogate,
    kTooShort | kTooLarge | kTooLarge1000 | kOverlong4};
constexpr uint8_t kAbove = kCarry | kTooLarge | kTooLarge1000;
constexpr uint8_t kByFirstLow[16] = {
    kCarry | kOverlong3 | kOverlong2 | kOverlong4, kCarry | kOverlong2, kCarry, kCarry,
    kCarry | kTooLarge, kAbove, kAbove, kAbove, kAbove, kAbove, kAbove, kAbove, kAbove,
    kAbove | kSurrogate, kAbove, kAbove};
constexpr uint8_t kTrail = kTooLong | kOverlong2 | kTwoTrails;
constexpr uint8_t kBySecondHigh[16] = {
    kTooShort, kTooShort, kTooShort, kTooShort, kTooShort, kTooShort, kTooShort, kTooShort,
    kTrail | kOverlong3 | kTooLarge1000 | kOverlong4, kTrail | kOverlong3 | kTooLarge,
    kTrail | kSurrogate | kTooLarge, kTrail | kSurrogate | kTooLarge,
    kTooShort, kTooShort, kTooShort, kTooShort};

template <int kBytes>
SKORD_AVX2 SKORD_INLINE __m256i shifted(__m256i now, __m256i before) {
  return _mm256_alignr_epi8(now, _mm256_permute2x128_si256(before, now, 0x21), 16 - kBytes);
}

SKORD_AVX2 SKORD_INLINE __m256i low_half(__m256i bytes) {
  return _mm256_and_si256(bytes, _mm256_set1_epi8(0x0F));
}

SKORD_AVX2 SKORD_INLINE __m256i high_half(__m256i bytes) {
  return low_half(_mm256_srli_epi16(bytes, 4));
}

SKORD_AVX2 bool is_utf8_by_32(std::string_view text) {
  const __m256i first_high = twice(kByFirstHigh), first_low = twice(kByFirstLow);
  const __m256i second_high = twice(kBySecondHigh);
  __m256i before = _mm256_setzero_si256(), faults = before;
  bool after_ascii = true;
  // The last round reads zeros: what ends too early is then a character cut short.
  for (size_t at = 0; at <= text.size(); at += 32) {
    __m256i now;
    if (at + 32 <= text.size()) {
      now = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(text.data() + at));
    } else {
      alignas(32) char rest[32] = {};
      std::memcpy(rest, text.data() + at, text.size() - at);
      now = _mm256_load_si256(reinterpret_cast<const __m256i *>(rest));
    }
    const bool is_ascii = _mm256_movemask_epi8(now) == 0;
    if (!is_ascii || !after_ascii) {
      const __m256i one_before = shifted<1>(now, before);
      const __m256i special = _mm256_and_si256(
          _mm256_and_si256(_mm256_shuffle_epi8(first_high, high_half(one_before)),
                           _mm256_shuffle_epi8(first_low, low_half(one_before))),
          _mm256_shuffle_epi8(second_high, high_half(now)));
      // Bytes that must be the third or fourth of a character, and only they, follow two trails.
      const __m256i third = _mm256_subs_epu8(shifted<2>(now, before), _mm256_set1_epi8(0x60));
      const __m256i fourth = _mm256_subs_epu8(shifted<3>(now, before), _mm256_set1_epi8(0x70));
      const __m256i must = _mm256_and_si256(_mm256_or_si256(third, fourth),
                                            _mm256_set1_epi8(static_cast<char>(0x80)));
      faults = _mm256_or_si256(faults, _mm256_xor_si256(must, special));
    }
    after_ascii = is_ascii;
    before = now;
  }
  return _mm256_testz_si256(faults, faults) != 0;
}

SKORD_AVX2 size_t num_trails_by_32(std::string_view text) {
  const __m256i first = _mm256_set1_epi8(static_cast<char>(0xC0));  // the least that is no trail
  __m256i sums = _mm256_setzero_si256();
  size_t at = 0;
  while (at + 32 <= text.size()) {
    __m256i counts = _mm256_setzero_si256();
    for (int round = 0; round < 255 && at + 32 <= text.size(); ++round, at += 32) {
      const auto *from = reinterpret_cast<const __m256i *>(text.data() + at);
      // Of signed bytes the trails are the lowest, -128 to -65.
      counts = _mm256_sub_epi8(counts, _mm256_cmpgt_epi8(first, _mm256_loadu_si256(from)));
    }
    sums = _mm256_add_epi64(sums, _mm256_sad_epu8(counts, _mm256_setzero_si256()));
  }
  uint64_t parts[4];
  _mm256_storeu_si256(reinterpret_cast<__m256i *>(parts), sums);
  return parts[0] + parts[1] + parts[2] + parts[3] + num_trails(text.substr(at));
}

#endif

// Every control is one or two bytes: of the latter, C1's, the first is C2.
bool is_control(uint8_t before, uint8_t byte) {
  const bool is_blank = (byte >= '\t' && byte <= '\r') & (byte != '\v');
  return ((byte < 0x20) & !is_blank) | (byte == 0x7F) | ((before == 0xC2) & (byte < 0xA0));
}

}  // namespace

bool holds_controls(std::string_view utf8) {
  const auto *bytes = reinterpret_cast<const uint8_t *>(utf8.data());
  // All bytes are looked at, so that the loop has no branch and becomes one over vectors.
  uint8_t found = !utf8.empty() && is_control(0, bytes[0]);
  for (size_t at = 1; at < utf8.size(); ++at) found |= is_control(bytes[at - 1], bytes[at]);
  return found != 0;
}

bool is_utf8(std::string_view text) {
#if defined(__x86_64__)
  if (simd() != Simd::none) return is_utf8_by_32(text);
#endif
  return is_utf8_by_char(text);
}

size_t num_chars(std::string_view text) {
#if defined(__x86_64__)
  if (simd() != Simd::none) return text.size() - num_trails_by_32(text);
#endif
  return text.size() - num_trails(text);
}

}  // namespace skord
