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

// A block each of so many texts: one's rounds wait for one another, those of two do not.
template <size_t lanes>
SKORD_SHA void add_blocks_by_instructions(State *const *states, const uint8_t *const *blocks) {
  const __m128i big_endian = _mm_set_epi64x(0x0001020304050607LL, 0x08090a0b0c0d0e0fLL);
  __m128i abcd_before[lanes], e_before[lanes], abcd[lanes], e[lanes], w[lanes][4];
  for (size_t lane = 0; lane < lanes; ++lane) {
    // 0x1B turns the four words around: the instructions want `a` in the highest lane.
    abcd_before[lane] = _mm_shuffle_epi32(
        _mm_loadu_si128(reinterpret_cast<const __m128i *>(*states[lane])), 0x1B);
    e_before[lane] = _mm_set_epi32(static_cast<int>((*states[lane])[4]), 0, 0, 0);
    abcd[lane] = abcd_before[lane];
    e[lane] = e_before[lane];
    for (int at = 0; at < 4; ++at) {
      w[lane][at] = _mm_shuffle_epi8(
          _mm_loadu_si128(reinterpret_cast<const __m128i *>(blocks[lane] + 16 * at)), big_endian);
    }
  }
#pragma GCC unroll 20
  for (int group = 0; group < 20; ++group) {
#pragma GCC unroll 2
    for (size_t lane = 0; lane < lanes; ++lane) {
      __m128i *words = w[lane];
      const __m128i now = words[group & 3];
      if (group < 5) {
        four_rounds<0>(abcd[lane], e[lane], now, group == 0);
      } else if (group < 10) {
        four_rounds<1>(abcd[lane], e[lane], now, false);
      } else if (group < 15) {
        four_rounds<2>(abcd[lane], e[lane], now, false);
      } else {
        four_rounds<3>(abcd[lane], e[lane], now, false);
      }
      if (group < 16) {  // words of the group four further on take the place of these
        const __m128i sum = _mm_xor_si128(_mm_sha1msg1_epu32(now, words[(group + 1) & 3]),
                                          words[(group + 2) & 3]);
        words[group & 3] = _mm_sha1msg2_epu32(sum, words[(group + 3) & 3]);
      }
    }
  }
  for (size_t lane = 0; lane < lanes; ++lane) {
    e[lane] = _mm_sha1nexte_epu32(e[lane], e_before[lane]);
    abcd[lane] = _mm_add_epi32(abcd[lane], abcd_before[lane]);
    _mm_storeu_si128(reinterpret_cast<__m128i *>(*states[lane]),
                     _mm_shuffle_epi32(abcd[lane], 0x1B));
    (*states[lane])[4] = static_cast<uint32_t>(_mm_extract_epi32(e[lane], 3));
  }
}

#endif

// A text of which blocks are still to be added.
struct Lane {
  State state;
  const uint8_t *block;
  size_t left, text;
};

// The digest is big-endian; its first eight bytes are read as a little-endian number, as numpy
// does in the published code.
uint64_t key_of(const State &state) {
  return uint64_t(__builtin_bswap32(state[1])) << 32 | __builtin_bswap32(state[0]);
}

}  // namespace

// Behind the text 0x80 and, in the last 8 bytes of a block, the length in bits.
void Sha1Keys::pad(size_t start) {
  const size_t size = blocks_.size() - start, count = (size + 9 + 63) / 64;
  blocks_.push_back('\x80');
  blocks_.resize(start + 64 * count, '\0');
  const uint64_t bits = __builtin_bswap64(uint64_t(size) * 8);
  std::memcpy(blocks_.data() + blocks_.size() - 8, &bits, 8);
  counts_.push_back(count);
}

void Sha1Keys::take(std::vector<uint64_t> &keys) {
  const size_t first = keys.size();
  keys.resize(first + counts_.size());
  const auto *block = reinterpret_cast<const uint8_t *>(blocks_.data());
  size_t text = 0;
  const auto begin = [&](Lane &lane) {
    if (text == counts_.size()) return false;
    lane = {{0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0},
            block, counts_[text], text};
    block += 64 * counts_[text++];
    return true;
  };
  const auto ends = [&](Lane &lane) {  // true where there is no text to go on with
    lane.block += 64;
    if (--lane.left) return false;
    keys[first + lane.text] = key_of(lane.state);
    return !begin(lane);
  };
  Lane lanes[2];
  bool one = begin(lanes[0]);
#if defined(__x86_64__)
  static const bool there = has_sha_instructions();
  if (there) {
    State *states[2] = {&lanes[0].state, &lanes[1].state};
    bool two = one && begin(lanes[1]);
    while (two) {
      const uint8_t *blocks[2] = {lanes[0].block, lanes[1].block};
      add_blocks_by_instructions<2>(states, blocks);
      const bool first_ends = ends(lanes[0]), second_ends = ends(lanes[1]);
      if (first_ends && !second_ends) lanes[0] = lanes[1];
      two = !first_ends && !second_ends;
      one = !first_ends || !second_ends;
    }
    while (one) {
      add_blocks_by_instructions<1>(states, &lanes[0].block);
      one = !ends(lanes[0]);
    }
  }
#endif
  while (one) {
    add_block_plainly(lanes[0].state, lanes[0].block);
    one = !ends(lanes[0]);
  }
  blocks_.clear();
  counts_.clear();
}

}  // namespace skord
