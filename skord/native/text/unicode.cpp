#include "text/unicode.hpp"

#include <algorithm>
#include <iterator>

#include "text/unicode_ranges.hpp"
#include "text/utf8.hpp"

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

// One comparison for both ends of a range: what is below it wraps around to a large number.
bool is_ascii_digit(uint32_t code) { return code - '0' < 10u; }
bool is_ascii_letter(uint32_t code) { return (code | 0x20) - 'a' < 26u; }

}  // namespace

Character longer_character(std::string_view text) {
  const auto byte = [&](size_t at) { return static_cast<uint32_t>(static_cast<uint8_t>(text[at])); };
  const uint32_t first = byte(0);
  const size_t size = char_size(uint8_t(first));
  if (size > text.size()) return {first, 1};
  uint32_t code = first & (0xFFu >> (size + 1));
  for (size_t at = 1; at < size; ++at) code = (code << 6) | (byte(at) & 0x3F);
  return {code, size};
}

Character last_character(std::string_view text) {
  size_t at = text.size() - 1;
  while (at > 0 && text.size() - at < 4 && is_trail(text[at])) --at;
  return first_character(text.substr(at));
}

void append_longer(std::string &out, uint32_t code) {
  const auto put = [&](uint32_t byte) { out.push_back(static_cast<char>(byte)); };
  const auto put_rest = [&](int shift) { put(0x80 | ((code >> shift) & 0x3F)); };
  if (code < 0x800) {
    put(0xC0 | (code >> 6));
    put_rest(0);
  } else if (code < 0x10000) {
    put(0xE0 | (code >> 12));
    put_rest(6);
    put_rest(0);
  } else {
    put(0xF0 | (code >> 18));
    put_rest(12);
    put_rest(6);
    put_rest(0);
  }
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
    const auto byte = static_cast<uint8_t>(text.back());
    const Character last = byte < 0x80 ? Character{byte, 1} : last_character(text);
    if (!is_space(last.code)) break;
    text.remove_suffix(last.size);
  }
  return text;
}

std::string_view stripped(std::string_view text) {
  while (!text.empty()) {
    const auto byte = static_cast<uint8_t>(text.front());
    const Character first = byte < 0x80 ? Character{byte, 1} : first_character(text);
    if (!is_space(first.code)) break;
    text.remove_prefix(first.size);
  }
  return right_stripped(text);
}

}  // namespace skord
