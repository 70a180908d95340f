#include "references.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>

#include "text/parts.hpp"
#include "text/unicode.hpp"

namespace skord::html {

namespace {

struct Named {
  std::string_view name, text;
};

constexpr Named kNamed[] = {
#include "character_references.inc"
};

constexpr size_t kLongestName = 32;       // and its `;`
constexpr size_t kLongestWithoutEnd = 6;  // names that may stand without `;`

// Of the references &#128; to &#159;, which mean windows-1252 (13.2.5.80).
constexpr uint16_t kWindows1252[32] = {
    0x20AC, 0x81,   0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0x8D,   0x017D, 0x8F,   0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D,   0x017E, 0x0178};

bool is_of_name(char c) { return is_ascii_letter(c) || is_ascii_digit(c); }

int hex_of(char c) {
  if (is_ascii_digit(c)) return c - '0';
  const int letter = (c | 32) - 'a';
  return letter >= 0 && letter < 6 ? letter + 10 : -1;
}

const Named *named(std::string_view name) {
  const Named *at = std::lower_bound(std::begin(kNamed), std::end(kNamed), name,
                                     [](const Named &a, std::string_view b) { return a.name < b; });
  return at != std::end(kNamed) && at->name == name ? at : nullptr;
}

// What stands for a reference that was found behind a `&`.
struct Reference {
  size_t size = 0;  // characters of it, without the `&`; 0: there is none
  char text[8] = {};
  size_t text_size = 0;
};

Reference made(size_t size, std::string_view text) {
  Reference reference;
  reference.size = size;
  reference.text_size = text.size();
  std::memcpy(reference.text, text.data(), text.size());
  return reference;
}

// A number behind `&#`: how many characters it has with its `;`, 0 for none.
size_t read_number(std::string_view rest, uint32_t &code) {
  const bool is_hex = rest.size() > 1 && (rest[1] | 32) == 'x';
  const size_t start = is_hex ? 2 : 1;
  size_t at = start;
  for (code = 0; at < rest.size(); ++at) {
    const int digit = is_hex ? hex_of(rest[at]) : is_ascii_digit(rest[at]) ? rest[at] - '0' : -1;
    if (digit < 0) break;
    // Held at 0x110000, beyond all characters: sixteen times that and a digit still fit 32 bits.
    code = std::min<uint32_t>(code * (is_hex ? 16 : 10) + uint32_t(digit), 0x110000);
  }
  if (at == start) return 0;
  return at + (at < rest.size() && rest[at] == ';');
}

// What html.unescape drops (`_invalid_codepoints`); the last line is the last two of each plane.
bool is_invalid_for_python(uint32_t code) {
  return (code >= 1 && code <= 8) || code == 0xB || (code >= 0xE && code <= 0x1F) || code == 0x7F ||
         (code >= 0xFDD0 && code <= 0xFDEF) || (code & 0xFFFE) == 0xFFFE;
}

Reference numeric(std::string_view rest, bool as_python) {
  uint32_t code;
  const size_t size = read_number(rest, code);
  if (size == 0) return {};
  if (code == 0 || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) code = 0xFFFD;
  else if (code >= 0x80 && code < 0xA0) code = kWindows1252[code - 0x80];
  else if (as_python && is_invalid_for_python(code)) return made(size, "");
  char text[4];
  return made(size, {text, put_utf8(code, text)});
}

// The names hold letters and digits only, with a `;` at the end or without.
Reference by_name(std::string_view rest, bool in_value) {
  size_t size = 0;
  while (size < rest.size() && size < kLongestName && is_of_name(rest[size])) ++size;
  if (size < rest.size() && rest[size] == ';') {
    if (const Named *whole = named(rest.substr(0, size + 1))) return made(size + 1, whole->text);
  }
  // The longest name that needs no `;`: of `&notit;` this is `&not`, and "it;" stays.
  for (size_t part = std::min(size, kLongestWithoutEnd); part > 1; --part) {
    const Named *legacy = named(rest.substr(0, part));
    if (!legacy) continue;
    const char next = part < rest.size() ? rest[part] : ' ';
    // "For historical reasons", says the standard: in `?a=b&copy=1` there is no reference.
    if (in_value && (next == '=' || is_of_name(next))) return {};
    return made(part, legacy->text);
  }
  return {};
}

// `as_python`: as html.unescape reads numbers.
char *with_references(std::string_view text, bool in_value, bool as_python, char *out) {
  while (true) {
    const size_t size = std::min(text.find('&'), text.size());
    out = std::copy_n(text.data(), size, out);
    text.remove_prefix(size);
    if (text.empty()) return out;
    const std::string_view rest = text.substr(1);
    const Reference reference = starts_with(rest, "#") ? numeric(rest, as_python) : by_name(rest, in_value);
    out = reference.size == 0 ? std::copy_n("&", 1, out) : std::copy_n(reference.text, reference.text_size, out);
    text.remove_prefix(reference.size + 1);
  }
}

}  // namespace

char *decode_references(std::string_view text, bool in_value, char *out) {
  return with_references(text, in_value, false, out);
}

std::string unescaped(std::string_view text) {
  std::string out(room_without_references(text.size()), '\0');
  out.resize(static_cast<size_t>(with_references(text, false, true, out.data()) - out.data()));
  return out;
}

}  // namespace skord::html
