#include "letters.hpp"

#include <algorithm>
#include <iterator>

#include "text/utf8.hpp"

namespace skord::html {

namespace {

constexpr uint32_t kSigma = 0x3A3, kFinalSigma = 0x3C2, kDottedI = 0x130;

// The lower case of letters and digits, looked up beforehand for what UTF-8 writes in two bytes
// or less: Latin, Greek, Cyrillic, Hebrew, Arabic. 0: it is neither.
struct CommonLetters {
  uint16_t lower_case[0x800];
  CommonLetters() {
    for (uint32_t code = 0; code < std::size(lower_case); ++code) {
      lower_case[code] = is_alnum(code) ? static_cast<uint16_t>(lower(code)) : 0;
    }
  }
};

const CommonLetters kCommon;

uint32_t lower_of_letter(uint32_t code) {
  if (code < std::size(kCommon.lower_case)) return kCommon.lower_case[code];
  return is_alnum(code) ? lower(code) : 0;
}

// Scripts without spaces between words: each letter counts as one.
bool stands_alone(uint32_t code) {
  // Thai and Lao, Burmese; Khmer, Japanese syllables; Chinese characters, at both their places.
  return (code >= 0xE00 && code < 0xF00) || (code >= 0x1000 && code < 0x10A0) ||
         (code >= 0x1780 && code < 0x1800) || (code >= 0x3040 && code < 0x3100) ||
         (code >= 0x3400 && code < 0xA000) || (code >= 0xF900 && code < 0xFB00);
}

// Whether a capital sigma at `start` ends a word: a cased letter before it, none behind it, what
// has no case itself passed over (Unicode 3.13, Final_Sigma).
bool is_final_sigma(std::string_view text, size_t start, size_t end) {
  bool follows_letter = false;
  for (std::string_view before = text.substr(0, start); !before.empty();) {
    const Character sign = last_character(before);
    before.remove_suffix(sign.size);
    if (is_case_ignorable(sign.code)) continue;
    follows_letter = is_cased(sign.code);
    break;
  }
  if (!follows_letter) return false;
  while (end < text.size()) {
    const uint32_t code = next_code(text, end);
    if (!is_case_ignorable(code)) return !is_cased(code);
  }
  return true;
}

struct Ascii {
  char lower[256] = {};  // 0: no part of a word, or not ASCII
  constexpr Ascii() {
    for (int c = '0'; c <= '9'; ++c) lower[c] = static_cast<char>(c);
    for (int c = 'a'; c <= 'z'; ++c) lower[c] = lower[c - 32] = static_cast<char>(c);
  }
};

constexpr Ascii kAscii;

}  // namespace

std::string lowered(std::string_view text) {
  std::string out(text);
  for (char &c : out) c = lowered(c);
  return out;
}

std::string_view first_code_points(std::string_view text, size_t most) {
  if (text.size() <= most) return text;
  constexpr size_t kBlock = 64;
  size_t at = 0;
  for (; at + kBlock <= text.size(); at += kBlock) {
    size_t starts = 0;
    for (size_t offset = 0; offset < kBlock; ++offset) starts += !continues(text[at + offset]);
    if (starts > most) break;
    most -= starts;
  }
  for (; at < text.size(); ++at) {
    if (!continues(text[at]) && most-- == 0) break;
  }
  return text.substr(0, at);
}

void add_words(std::string_view text, TextList &words, bool passes_invisible) {
  std::string &kept = words.text;
  size_t size = kept.size(), start_of_word = words.starts.back();
  kept.resize(size + text.size() + text.size() / 2 + 4);  // a letter of two bytes may become one of three
  char *out = kept.data();
  const auto end_word = [&] {
    if (size == start_of_word) return;
    start_of_word = size;
    words.starts.push_back(static_cast<uint32_t>(size));
  };
  const auto add = [&](uint32_t code) { size += put_utf8(code, out + size); };
  for (size_t at = 0; at < text.size();) {
    const auto byte = static_cast<uint8_t>(text[at]);
    if (byte < 0x80) {
      const char lower = kAscii.lower[byte];
      if (lower) out[size++] = lower;
      else if (byte >= ' ' && byte != 0x7F) end_word();
      else if (!passes_invisible || !invisible_at(text, at)) end_word();
      ++at;
      continue;
    }
    const size_t start = at;
    if (passes_invisible && BeginsInvisible()(byte)) {
      if (const size_t passed = invisible_at(text, at)) {
        at += passed;
        continue;
      }
    }
    const uint32_t code = next_code(text, at);
    if (stands_alone(code)) {
      end_word();
      add(code);
      end_word();
    } else if (code == kDottedI) {  // its lower case is two characters, the second no letter
      add('i');
      end_word();
    } else if (code == kSigma && is_final_sigma(text, start, at)) {
      add(kFinalSigma);
    } else if (const uint32_t lower_case = lower_of_letter(code)) {
      add(lower_case);
    } else {
      end_word();
    }
  }
  end_word();
  kept.resize(size);
}

size_t invisible_at(std::string_view text, size_t at) {
  const auto byte = [&](size_t offset) {
    return at + offset < text.size() ? static_cast<unsigned char>(text[at + offset]) : 0u;
  };
  const unsigned first = byte(0);
  if (first < 0x20) return first <= 8 || first == 0xB || first >= 0xE;
  switch (first) {
    case 0x7F: return 1;
    // The soft hyphen.
    case 0xC2: return byte(1) == 0xAD ? 2 : 0;
    case 0xE2: {
      const unsigned rest = byte(1) << 8 | byte(2);
      // The zero width space and the word joiner.
      return rest == 0x808B || rest == 0x81A0 ? 3 : 0;
    }
    case 0xEF: {
      const unsigned rest = byte(1) << 8 | byte(2);
      // The byte order mark; U+FDD0 to U+FDD2, with which links are marked later on.
      return rest == 0xBBBF || (rest >= 0xB790 && rest <= 0xB792) ? 3 : 0;
    }
    default: return 0;
  }
}

bool has_invisible(std::string_view text) {
  for (size_t at = 0; (at = find_byte<BeginsInvisible>(text, at)) < text.size(); ++at) {
    if (invisible_at(text, at)) return true;
  }
  return false;
}

std::string without_invisible(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const size_t size = invisible_at(text, at);
    if (size) at += size;
    else out.push_back(text[at++]);
  }
  return out;
}

}  // namespace skord::html
