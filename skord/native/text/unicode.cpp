#include "text/unicode.hpp"

#include <algorithm>
#include <iterator>

#include "text/unicode_ranges.hpp"

namespace skord {

namespace {

using namespace unicode_ranges;

template <class Entry, size_t Size>
const Entry *entry_of(const Entry (&table)[Size], uint32_t code) {
  const Entry *after =
      std::upper_bound(std::begin(table), std::end(table), code,
                       [](uint32_t wanted, const Entry &entry) { return wanted < entry.first; });
  return after != std::begin(table) && code <= (after - 1)->last ? after - 1 : nullptr;
}

}  // namespace

Character longer_character(std::string_view text) {
  const auto byte = [&](size_t at) { return static_cast<uint32_t>(static_cast<uint8_t>(text[at])); };
  const uint32_t first = byte(0);
  const size_t size = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (size > text.size()) return {first, 1};
  if (size == 2) return {(first & 0x1F) << 6 | (byte(1) & 0x3F), 2};  // as nearly all of Europe's letters
  uint32_t code = first & (0xFFu >> (size + 1));
  for (size_t at = 1; at < size; ++at) code = (code << 6) | (byte(at) & 0x3F);
  return {code, size};
}

Character last_character(std::string_view text) {
  size_t at = text.size() - 1;
  while (at > 0 && text.size() - at < 4 && continues(text[at])) --at;
  return first_character(text.substr(at));
}

size_t put_utf8(uint32_t code, char *out) {
  const auto put = [&](size_t at, uint32_t bits) { out[at] = static_cast<char>(bits); };
  if (code < 0x80) return put(0, code), 1;
  const auto tail = [&](size_t at, unsigned shift) { put(at, 0x80 | (code >> shift & 0x3F)); };
  if (code < 0x800) return put(0, 0xC0 | code >> 6), tail(1, 0), 2;
  if (code < 0x10000) return put(0, 0xE0 | code >> 12), tail(1, 6), tail(2, 0), 3;
  return put(0, 0xF0 | code >> 18), tail(1, 12), tail(2, 6), tail(3, 0), 4;
}

bool is_alnum(uint32_t code) {
  if (code < 0x80) return is_ascii_letter(code) || is_ascii_digit(code);
  return entry_of(kAlnum, code) != nullptr;
}

bool is_alpha(uint32_t code) {
  if (code < 0x80) return is_ascii_letter(code);
  return entry_of(kAlnum, code) != nullptr && entry_of(kNoLetters, code) == nullptr;
}

bool is_digit(uint32_t code) {
  return code < 0x80 ? is_ascii_digit(code) : entry_of(kDigits, code) != nullptr;
}

bool is_decimal(uint32_t code) {
  return code < 0x80 ? is_ascii_digit(code) : entry_of(kDecimals, code) != nullptr;
}

int decimal_value(uint32_t code) {  // in every script the ten stand together, from 0 on
  if (code < 0x80) return static_cast<int>(code - '0');
  const Range *entry = entry_of(kDecimals, code);
  return entry ? static_cast<int>((code - entry->first) % 10) : 0;
}

bool is_space_beyond_ascii(uint32_t code) {
  return code == 0x85 || code == 0xA0 || code == 0x1680 || code - 0x2000 < 11u ||
         code - 0x2028 < 2u || code == 0x202F || code == 0x205F || code == 0x3000;
}

uint32_t lower_beyond_ascii(uint32_t code) {
  const LowerCase *entry = entry_of(kLowerCases, code);
  // Where capitals and small letters take turns the step is 2, and those between stay.
  if (entry == nullptr || (code - entry->first) % entry->step != 0) return code;
  return code + static_cast<uint32_t>(entry->added);
}

bool is_cased(uint32_t code) {
  return code < 0x80 ? is_ascii_letter(code) : entry_of(kCased, code) != nullptr;
}

bool is_case_ignorable(uint32_t code) {
  if (code < 0x80) return code == '\'' || code == '.' || code == ':' || code == '^' || code == '`';
  return entry_of(kCaseIgnorable, code) != nullptr;
}

std::string_view right_stripped(std::string_view text) {
  while (!text.empty()) {
    const Character last = last_character(text);
    if (!is_space(last.code)) break;
    text.remove_suffix(last.size);
  }
  return text;
}

std::string_view left_stripped(std::string_view text) {
  while (!text.empty()) {
    const Character first = first_character(text);
    if (!is_space(first.code)) break;
    text.remove_prefix(first.size);
  }
  return text;
}

std::string_view stripped(std::string_view text) { return right_stripped(left_stripped(text)); }

}  // namespace skord
