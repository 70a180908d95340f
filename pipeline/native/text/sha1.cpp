// SHA-1 (FIPS 180-4), of which the first 64 bits are kept. Where the processor has instructions
// for it (x86 with SHA extensions) a short line takes a third of the time.

#include <cstring>

#include "text/lines.hpp"
#include "simd.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace skord {

namespace {

using State = uint32_t[5];

inline uint32_t rotated(uint32_t value, int by) { return value << by | value >> (32 - by); }

void add_block_plainly(State &state, const uint8_t *block) {
  uint32_t w[80];
  for (int t = 0; t < 16; ++t) {
    uint32_t word;
    std::memcpy(&word, block + 4 * t, 4);
    w[t] = __builtin_bswap32(word);
  }
  for (int t = 16; t < 80; ++t) w[t] = rotated(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
  uint32_t a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];
  const auto round = [&](uint32_t mixed, uint32_t constant, uint32_t word) {
    const uint32_t next = rotated(a, 5) + mixed + e + constant + word;
    e = d;
    d = c;
    c = rotated(b, 30);
    b = a;
    a = next;
  };
  for (int t = 0; t < 20; ++t) round(d ^ (b & (c ^ d)), 0x5A827999, w[t]);
  for (int t = 20; t < 40; ++t) round(b ^ c ^ d, 0x6ED9EBA1, w[t]);
  for (int t = 40; t < 60; ++t) round((b & c) | (d & (b | c)), 0x8F1BBCDC, w[t]);
  for (int t = 60; t < 80; ++t) round(b ^ c ^ d, 0xCA62C1D6, w[t]);
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
  state[4] += e;
}

#if defined(__x86_64__)

#define SKORD_SHA __attribute__((target("sha,sse4.1,ssse3")))

// Four rounds at a time. `group` is 0 to 19, `kind` the function of its twenty rounds.
template <int kind>
SKORD_SHA inline void four_rounds(__m128i &abcd, __m128i &e_or_abcd, __m128i words, bool first) {
  const __m128i e = first ? _mm_add_epi32(e_or_abcd, words) : _mm_sha1nexte_epu32(e_or_abcd, words);
  e_or_abcd = abcd;
  abcd = _mm_sha1rnds4_epu32(abcd, e, kind);
}

SKORD_SHA void add_block_by_instructions(State &state, const uint8_t *block) {
  const __m128i big_endian = _mm_set_epi64x(0x0001020304050607LL, 0x08090a0b0c0d0e0fLL);
  // 0x1B turns the four words around: the instructions want `a` in the highest lane.
  const __m128i abcd_before =
      _mm_shuffle_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i *>(state)), 0x1B);
  const __m128i e_before = _mm_set_epi32(static_cast<int>(state[4]), 0, 0, 0);
  __m128i abcd = abcd_before, e = e_before, w[4];
  for (int at = 0; at < 4; ++at) {
    w[at] = _mm_shuffle_epi8(
        _mm_loadu_si128(reinterpret_cast<const __m128i *>(block + 16 * at)), big_endian);
  }
#pragma GCC unroll 20
  for (int group = 0; group < 20; ++group) {
    const __m128i words = w[group & 3];
    if (group < 5) {
      four_rounds<0>(abcd, e, words, group == 0);
    } else if (group < 10) {
      four_rounds<1>(abcd, e, words, false);
    } else if (group < 15) {
      four_rounds<2>(abcd, e, words, false);
    } else {
      four_rounds<3>(abcd, e, words, false);
    }
    if (group < 16) {  // words of the group four further on take the place of these
      const __m128i sum = _mm_xor_si128(_mm_sha1msg1_epu32(words, w[(group + 1) & 3]),
                                        w[(group + 2) & 3]);
      w[group & 3] = _mm_sha1msg2_epu32(sum, w[(group + 3) & 3]);
    }
  }
  e = _mm_sha1nexte_epu32(e, e_before);
  abcd = _mm_add_epi32(abcd, abcd_before);
  _mm_storeu_si128(reinterpret_cast<__m128i *>(state), _mm_shuffle_epi32(abcd, 0x1B));
  state[4] = static_cast<uint32_t>(_mm_extract_epi32(e, 3));
}

#endif

using AddBlock = void (*)(State &, const uint8_t *);

AddBlock chosen() {
#if defined(__x86_64__)
  if (has_sha_instructions()) return add_block_by_instructions;
#endif
  return add_block_plainly;
}

uint64_t key(std::string_view data, AddBlock add_block) {
  State state = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0};
  const auto *at = reinterpret_cast<const uint8_t *>(data.data());
  size_t left = data.size();
  for (; left >= 64; left -= 64, at += 64) add_block(state, at);
  uint8_t last[128] = {};
  if (left) std::memcpy(last, at, left);
  last[left] = 0x80;
  // Behind the text 0x80 and, in the last 8 bytes of a block, the length in bits (section 5.1.1).
  const size_t size = left < 56 ? 64 : 128;
  const uint64_t bits = __builtin_bswap64(uint64_t(data.size()) * 8);
  std::memcpy(last + size - 8, &bits, 8);
  add_block(state, last);
  if (size == 128) add_block(state, last + 64);
  // The digest is big-endian; its first eight bytes are read as a little-endian number, as numpy
  // does in the published code.
  return uint64_t(__builtin_bswap32(state[1])) << 32 | __builtin_bswap32(state[0]);
}

}  // namespace

uint64_t sha1_key(std::string_view data) {
  static const AddBlock add_block = chosen();
  return key(data, add_block);
}

uint64_t sha1_key_plainly(std::string_view data) { return key(data, add_block_plainly); }

}  // namespace skord
