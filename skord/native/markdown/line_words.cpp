#include "markdown/line_words.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "bindings/reading.hpp"
#include "page_text/lines_of.hpp"
#include "text/parts.hpp"
#include "text/unicode.hpp"
#include "text/utf8.hpp"

namespace skord {

namespace {

constexpr uint32_t kCapitalIWithDot = 0x130, kDotAbove = 0x307, kKelvin = 0x212A;  // "i̇" and "k" as small letters

bool is_image(std::string_view line) {
  const size_t start = line.find_first_not_of(" >-");
  return start != line.npos && starts_with(line.substr(start), "![");
}

// What most bytes are need not be looked up.
struct OfByte {
  uint8_t letter[256] = {};  // the small letter or digit of ASCII, or "_"; 0 for none
  constexpr OfByte() {
    for (int byte = '0'; byte <= '9'; ++byte) letter[byte] = uint8_t(byte);
    for (int byte = 'a'; byte <= 'z'; ++byte) letter[byte] = letter[byte - 32] = uint8_t(byte);
    letter[int('_')] = '_';
  }
};
constexpr OfByte kOfByte;

// The letter of ASCII that a word holds for another character; 0 for none.
uint8_t ascii_of(uint32_t code) { return code == kKelvin ? 'k' : code == kCapitalIWithDot ? 'i' : 0; }

struct LineKey {
  uint64_t key = 0xCBF29CE484222325;  // FNV-1a
  bool may_have_words = false;
};

LineKey key_of(std::string_view line, size_t least_words) {
  LineKey line_key;
  size_t words = 0;
  bool in_word = false, is_ascii = true;
  for (size_t at = 0; at < line.size();) {
    const uint8_t byte = static_cast<uint8_t>(line[at]);
    uint8_t letter = kOfByte.letter[byte];
    if (byte < 0x80) {
      ++at;
    } else {
      const Character sign = first_character(line.substr(at));
      at += sign.size;
      is_ascii = false;
      letter = ascii_of(sign.code);
    }
    words += letter != 0 && !in_word;
    in_word = letter != 0;
    if (letter != 0) line_key.key = (line_key.key ^ letter) * 0x100000001B3;
  }
  line_key.may_have_words = !is_ascii || words >= least_words;
  return line_key;
}

bool is_western(uint32_t code, uint32_t a, uint32_t z, uint32_t shift) {
  const bool is_latin1 = code >= 0xC0 + shift && code <= 0xDE + shift && code != 0xD7 + shift;
  return (code >= a && code <= z) || is_latin1;
}

// Appends a line's words; false if there are too many.
bool add_said(std::string_view line, size_t most_words, std::string &out) {
  size_t words = 0;
  bool in_word = false, after_small = false;
  for (size_t at = 0; at < line.size();) {
    const Character sign = first_character(line.substr(at));
    at += sign.size;
    // "InspirationRead more": what was glued together is two words.
    if (after_small && is_western(sign.code, 'A', 'Z', 0)) in_word = false;
    after_small = is_western(sign.code, 'a', 'z', 0x20);
    const uint32_t small = sign.code == kCapitalIWithDot ? 'i' : lower(sign.code);
    if (!is_alnum(small)) {
      in_word = false;
      continue;
    }
    if (!in_word && ++words > most_words) return false;
    if (!in_word && words > 1) out += ' ';
    append_utf8(out, small);
    // Small, it is an "i" and a dot that is no letter.
    in_word = sign.code != kCapitalIWithDot;
  }
  return true;
}

// A character has four bytes at most.
bool is_longer(std::string_view line, size_t most_letters) {
  return line.size() > 4 * most_letters || num_chars(line) > most_letters;
}

// Strings to look for, by a hash of the first bytes of each.
class Parts {
 public:
  explicit Parts(const std::vector<std::string_view> &parts) : parts_(parts), next_(parts.size()) {
    must_fit(parts.size() < kNone);
    first_.fill(kNone);
    for (size_t at = 0; at < parts.size(); ++at) {
      must_fit(parts[at].size() >= sizeof(uint32_t));
      next_[at] = std::exchange(first_[hash(parts[at].data())], uint8_t(at));
    }
  }

  bool any_in(std::string_view text) const {
    for (; text.size() >= sizeof(uint32_t); text.remove_prefix(1)) {
      for (uint8_t at = first_[hash(text.data())]; at != kNone; at = next_[at]) {
        if (starts_with(text, parts_[at])) return true;
      }
    }
    return false;
  }

 private:
  static constexpr uint8_t kNone = 255;
  static constexpr int kBits = 12;
  // Knuth's multiplicative hash.
  static size_t hash(const char *four) { return (load<uint32_t>(four) * 2654435761u) >> (32 - kBits); }

  const std::vector<std::string_view> &parts_;
  std::array<uint8_t, 1 << kBits> first_;
  std::vector<uint8_t> next_;  // of each, one with the same hash
};

}  // namespace

int64_t count_words(std::string_view line) {
  int64_t words = 0;
  while (!next_part(line).empty()) ++words;
  return words;
}

std::string said_lines(std::string_view markdown, Numbers<const int64_t> numbers, size_t most_letters,
                       size_t most_words) {
  const Lines lines = lines_of(markdown);
  std::string said;
  for (const int64_t number : numbers) {
    must_fit(number >= 0 && number < int64_t(lines.size()));
    const std::string_view line = lines[size_t(number)];
    const size_t start = said.size();
    const bool is_row = !line.empty() && line[0] == '|';
    if (!is_row && !is_longer(line, most_letters) && !add_said(line, most_words, said)) said.resize(start);
    said += '\n';
  }
  if (!said.empty()) said.pop_back();
  return said;
}

std::vector<int64_t> lines_holding(std::string_view markdown, Numbers<const int64_t> numbers,
                                   size_t most_letters, const std::vector<std::string_view> &parts) {
  const Lines lines = lines_of(markdown);
  const Parts sought(parts);
  std::vector<int64_t> holding;
  for (const int64_t number : numbers) {
    must_fit(number >= 0 && number < int64_t(lines.size()));
    const std::string_view line = lines[size_t(number)];
    if (!is_longer(line, most_letters) && sought.any_in(in_small(line))) holding.push_back(number);
  }
  return holding;
}

std::string in_small(std::string_view text) {
  std::string small;
  small.reserve(text.size() + 8);
  while (!text.empty()) {
    const Character sign = first_character(text);
    text.remove_prefix(sign.size);
    append_utf8(small, sign.code == kCapitalIWithDot ? 'i' : lower(sign.code));
    if (sign.code == kCapitalIWithDot) append_utf8(small, kDotAbove);
  }
  return small;
}

std::vector<int64_t> count_line_words(std::string_view markdown) {
  std::vector<int64_t> counts;
  for_each_part(markdown, '\n', [&](std::string_view line) {
    counts.push_back(is_image(line) ? 0 : count_words(line));
  });
  return counts;
}

Cut best_cut(std::string_view markdown, Numbers<const float> chances) {
  const std::vector<int64_t> words = count_line_words(markdown);
  must_fit(words.size() >= chances.size);
  std::vector<size_t> order;
  double expected = 0;  // words of main text
  for (size_t line = 0; line < chances.size; ++line) {
    if (words[line] == 0) continue;
    order.push_back(line);
    expected += double(chances[line]) * double(words[line]);
  }
  if (expected == 0) return {2, 0};
  const auto is_likelier = [&](size_t one, size_t other) { return chances[one] > chances[other]; };
  std::stable_sort(order.begin(), order.end(), is_likelier);
  // The best set of lines is always the likeliest k: only k is to be found. Of choices that promise
  // as much the one with the fewest lines is taken.
  Cut best{2, 0};
  double kept = 0, kept_words = 0;
  for (const size_t line : order) {
    kept += double(chances[line]) * double(words[line]);
    kept_words += double(words[line]);
    const double f1 = 2 * kept / (kept_words + expected);
    if (f1 > best.expected_f1) best = {double(chances[line]), f1};
  }
  return best;
}

std::string lines_perhaps_alike(std::string_view markdown, size_t least_words) {
  std::vector<std::pair<uint64_t, size_t>> keys;
  size_t number = 0;
  for_each_part(markdown, '\n', [&](std::string_view line) {
    const LineKey line_key = key_of(line, least_words);
    if (line_key.may_have_words) keys.emplace_back(line_key.key, number);
    ++number;
  });
  std::sort(keys.begin(), keys.end());
  std::string alike(number, '\0');
  for (size_t at = 1; at < keys.size(); ++at) {
    if (keys[at].first != keys[at - 1].first) continue;
    alike[keys[at - 1].second] = alike[keys[at].second] = 1;
  }
  return alike;
}

}  // namespace skord
