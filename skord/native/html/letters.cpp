#include "letters.hpp"

#include <algorithm>
#include <iterator>

#include "references.hpp"
#include "text/unicode.hpp"

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

bool continues(char c) { return (c & 0xC0) == 0x80; }

// Whether a capital sigma at `start` ends a word: a cased letter before it, none behind it, what
// has no case itself passed over (Unicode 3.13, Final_Sigma).
bool is_final_sigma(std::string_view text, size_t start, size_t end) {
  bool follows_letter = false;
  for (size_t at = start; at > 0;) {
    do --at;
    while (at > 0 && continues(text[at]));
    size_t next = at;
    const uint32_t code = next_code(text, next);
    if (is_case_ignorable(code)) continue;
    follows_letter = is_cased(code);
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

// The bytes that `invisible_at` may say anything of.
struct FirstOfInvisible {
  bool of[256] = {};
  constexpr FirstOfInvisible() {
    for (int byte = 0; byte < 0x20; ++byte) of[byte] = true;
    for (const int byte : {0x7F, 0xC2, 0xE2, 0xEF}) of[byte] = true;
  }
};

constexpr FirstOfInvisible kFirstOfInvisible;

// Puts words together letter by letter.
class WordWriter {
 public:
  explicit WordWriter(WordList &words) : words_(words) {}
  ~WordWriter() { end(); }

  void add(char c) { words_.text.push_back(c); }
  // The letters and digits of ASCII that a text begins with; how many they are.
  size_t add_ascii(std::string_view text) {
    const auto lower = [&](size_t at) {
      return at < text.size() ? kAscii.lower[static_cast<unsigned char>(text[at])] : '\0';
    };
    size_t size = 0;
    while (lower(size)) ++size;
    const size_t before = words_.text.size();
    words_.text.resize(before + size);
    for (size_t at = 0; at < size; ++at) words_.text[before + at] = lower(at);
    return size;
  }
  void add(uint32_t code) {
    char utf8[4];
    words_.text.append(utf8, put_utf8(code, utf8));
  }
  void end() {
    const auto size = static_cast<uint32_t>(words_.text.size());
    if (size != words_.starts.back()) words_.starts.push_back(size);
  }

 private:
  WordList &words_;
};

}  // namespace

uint32_t next_code(std::string_view text, size_t &at) {
  const auto byte = [&](size_t offset) { return static_cast<unsigned char>(text[at + offset]); };
  const uint32_t first = byte(0);
  uint32_t code = first;
  size_t size = 1;
  if (first >= 0xF0) {
    code = (first & 7) << 18 | (byte(1) & 63u) << 12 | (byte(2) & 63u) << 6 | (byte(3) & 63u);
    size = 4;
  } else if (first >= 0xE0) {
    code = (first & 15) << 12 | (byte(1) & 63u) << 6 | (byte(2) & 63u);
    size = 3;
  } else if (first >= 0xC0) {
    code = (first & 31) << 6 | (byte(1) & 63u);
    size = 2;
  }
  at += size;
  return code;
}

bool is_letter_or_digit(uint32_t code) { return lower_of_letter(code) != 0; }

std::string_view next_part(std::string_view &rest) {
  size_t at = 0, start = 0;
  bool is_in = false;
  while (at < rest.size()) {
    const size_t here = at;
    const bool blank = is_blank(next_code(rest, at));
    if (!blank && !is_in) start = here;
    if (blank && is_in) {
      const std::string_view part = rest.substr(start, here - start);
      rest.remove_prefix(at);
      return part;
    }
    is_in = !blank;
  }
  const std::string_view part = is_in ? rest.substr(start) : std::string_view();
  rest = {};
  return part;
}

std::string_view first_code_points(std::string_view text, size_t most) {
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

void add_words(std::string_view text, WordList &words) {
  WordWriter writer(words);
  for (size_t at = 0; at < text.size();) {
    const size_t start = at;
    if (static_cast<signed char>(text[at]) >= 0) {
      const size_t size = writer.add_ascii(text.substr(at));
      if (size == 0) writer.end();
      at += std::max<size_t>(size, 1);
      continue;
    }
    const uint32_t code = next_code(text, at);
    if (stands_alone(code)) {
      writer.end();
      writer.add(code);
      writer.end();
    } else if (code == kDottedI) {  // its lower case is two characters, the second no letter
      writer.add('i');
      writer.end();
    } else if (code == kSigma && is_final_sigma(text, start, at)) {
      writer.add(kFinalSigma);
    } else if (const uint32_t lower_case = lower_of_letter(code)) {
      writer.add(lower_case);
    } else {
      writer.end();
    }
  }
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
  for (size_t at = 0; at < text.size(); ++at) {
    if (kFirstOfInvisible.of[static_cast<unsigned char>(text[at])] && invisible_at(text, at)) {
      return true;
    }
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
