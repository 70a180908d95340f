#include "dedup/tokens.hpp"

#include "bindings/numbers.hpp"
#include "text/utf8.hpp"

namespace skord {

namespace {

constexpr uint64_t kFactor = 0x9E3779B97F4A7C15;

uint32_t point_at(std::string_view text, size_t at) { return next_point(text, at); }

bool stands_alone(uint32_t code) { return code >= 0x3040 && code < 0xA000; }

bool is_word(uint32_t c) {
  if (c < 0x80) return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
  if (c < 0xC0) return c == 0xAA || c == 0xB5 || c == 0xBA;
  if (c == 0xD7 || c == 0xF7) return false;
  return !(c >= 0x2000 && c < 0x2070) && !(c >= 0x2190 && c < 0x2C00) &&
         !(c >= 0x3000 && c < 0x3040) && !(c >= 0xFF00 && c < 0xFF10) && c != 0xFFFD;
}

// In Latin Extended-A a small letter follows its capital, which is even in some stretches, odd in
// others; the letters of Greek and Cyrillic stand in blocks, so many places apart.
uint32_t lower(uint32_t c) {
  if (c >= 'A' && c <= 'Z') return c + 32;
  if (c < 0xC0) return c;
  if (c <= 0xDE) return c == 0xD7 ? c : c + 32;
  if (c >= 0x100 && c < 0x138) return c | 1;
  if (c >= 0x139 && c < 0x149) return c + (c & 1);
  if (c >= 0x14A && c < 0x178) return c | 1;
  if (c >= 0x179 && c < 0x17F) return c + (c & 1);
  if (c >= 0x391 && c <= 0x3A9) return c + 32;
  if (c >= 0x410 && c <= 0x42F) return c + 32;
  if (c >= 0x400 && c <= 0x40F) return c + 80;
  return c;
}

// Size of a blank beyond ASCII at a place: U+00A0, U+2000 to U+200A, U+202F, U+205F, U+3000; or 0.
size_t size_of_wide_blank(std::string_view text, size_t at) {
  const uint8_t byte = uint8_t(text[at]);
  if (byte == 0xC2) return uint8_t(text[at + 1]) == 0xA0 ? 2 : 0;
  if (byte != 0xE2 && byte != 0xE3) return 0;
  const uint32_t code = point_at(text, at);
  const bool is_one =
      (code >= 0x2000 && code <= 0x200A) || code == 0x202F || code == 0x205F || code == 0x3000;
  return is_one ? 3 : 0;
}

}  // namespace

void blank_tokens(std::string_view text, std::vector<Token> &out) {
  out.clear();
  uint64_t hash = 0;
  size_t start = 0;
  const auto end_at = [&](size_t end) {
    if (end > start) out.push_back({split_mixed(hash), uint32_t(start), uint32_t(end)});
    hash = 0;
  };
  size_t at = 0;
  while (at < text.size()) {
    const uint8_t byte = uint8_t(text[at]);
    if (byte == ' ' || (byte >= 9 && byte <= 13)) {
      end_at(at);
      start = ++at;
    } else if (const size_t size = byte < 0xC2 ? 0 : size_of_wide_blank(text, at)) {
      end_at(at);
      start = at += size;
      // First bytes of U+3000 to U+9FFF in UTF-8: nothing else has to be decoded.
    } else if (byte >= 0xE3 && byte <= 0xE9 && stands_alone(point_at(text, at))) {
      end_at(at);
      start = at;
      hash = point_at(text, at) * kFactor;
      at += 3;
      end_at(at);
      start = at;
    } else {
      hash = (hash ^ byte) * kFactor;
      hash ^= hash >> 29;  // products carry bits upwards alone; this brings the high ones down
      ++at;
    }
  }
  end_at(at);
}

void word_tokens(std::string_view text, std::vector<Token> &out) {
  out.clear();
  uint64_t hash = 0;
  size_t start = 0;
  bool within = false;
  const auto end_at = [&](size_t end) {
    if (within) out.push_back({split_mixed(hash), uint32_t(start), uint32_t(end)});
    within = false;
  };
  for (size_t at = 0; at < text.size();) {
    const size_t first = at;
    const uint32_t code = next_point(text, at);
    if (!is_word(code)) {
      end_at(first);
      continue;
    }
    const bool alone = stands_alone(code);
    if (alone) end_at(first);
    if (!within) {
      start = first;
      hash = 0;
      within = true;
    }
    hash = (hash ^ lower(code)) * kFactor;
    hash ^= hash >> 29;
    if (alone) end_at(at);
  }
  end_at(text.size());
}

}  // namespace skord
