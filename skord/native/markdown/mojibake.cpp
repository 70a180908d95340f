#include "markdown/mojibake.hpp"

#include "text/parts.hpp"
#include "text/unicode.hpp"

namespace skord {

namespace {

// What ftfy does to a line when it repairs mojibake alone, and which characters are none of its business:
// - C1 controls and surrogates are replaced one by one;
// - mojibake is undone where `ftfy.badness` finds some. Each of its patterns asks for a C1 control,
//   for one of "ÂÃŒœ", or for two neighbours beyond ASCII: `may_be_mojibake`.
// Controls that mean nothing are deleted by the same function of Python.
bool is_plain(uint32_t code) {
  if (code < 0x80) return (code >= ' ' && code != 0x7F) || code == '\t' || code == '\f' || code == '\r' || code == 0x1B;
  return code >= 0xA0 && !(code >= 0xD800 && code < 0xE000) && code != 0xFEFF;
}

bool is_latin(uint32_t code) {
  return code >= 0xC0 && code <= 0x17E && code != 0xD7 && code != 0xF7;
}

// Letters that ftfy counts as common to their script, where they are in a word of it.
bool is_cyrillic(uint32_t code) {
  return (code >= 0x410 && code <= 0x44F) || code == 0x401 || code == 0x451;
}

bool is_greek(uint32_t code) { return code >= 0x386 && code <= 0x3CE && code != 0x387; }

// What no pattern asks for: it is made of scripts that no charset with one byte for each has.
bool is_foreign(uint32_t code) {
  const bool is_asked_for = code == 0xF8FF || code == 0xFB01 || code == 0xFB02 || code == 0xFFFD;
  return (code >= 0x5D0 && code < 0x2000) || (code >= 0x2600 && !is_asked_for);
}

// What is suspect behind the capitals that begin two bytes of UTF-8, and behind two signs, alone.
bool is_common(uint32_t code) {
  switch (code) {
    case 0xA0: case 0xAD: case 0xB4: case 0xB7:
    case 0x2013: case 0x2014: case 0x2015: case 0x2019: case 0x2026:
      return true;
    default:
      return false;
  }
}

bool makes_common_suspect(uint32_t before) {
  return before == 0xCE || before == 0xD0 || before == 0xD8 || before == 0xD9 || before == 0x20AC ||
         before == 0x221A;
}

bool may_be_mojibake(uint32_t before, uint32_t code) {
  if (code == 0xC2 || code == 0xC3 || code == 0x152 || code == 0x153) return true;
  if (before < 0x80 || is_foreign(before) || is_foreign(code) || is_common(before)) return false;
  if (is_common(code)) return makes_common_suspect(before);
  if (is_latin(before) && is_latin(code)) {
    const bool rises = lower(before) == before && lower(code) != code;
    return rises || (code > 0xFF && makes_common_suspect(before));
  }
  return !(is_cyrillic(before) && is_cyrillic(code)) && !(is_greek(before) && is_greek(code));
}

// What is plain whatever stands beside it: most of any text.
bool is_quiet(uint8_t sign) { return (sign >= ' ' && sign < 0x7F) || sign == '\t'; }

bool is_doubtful(std::string_view line) {
  uint32_t before = ' ';
  for (size_t at = 0; at < line.size();) {
    if (is_quiet(static_cast<uint8_t>(line[at]))) {
      before = ' ';
      ++at;
      continue;
    }
    const Character sign = first_character(line.substr(at));
    at += sign.size;
    if (!is_plain(sign.code) || (sign.code >= 0x80 && may_be_mojibake(before, sign.code))) return true;
    before = sign.code;
  }
  return false;
}

}  // namespace

std::vector<size_t> doubtful_lines(std::string_view text) {
  std::vector<size_t> numbers;
  size_t number = 0;
  for_each_part(text, '\n', [&](std::string_view line) {
    if (is_doubtful(line)) numbers.push_back(number);
    ++number;
  });
  return numbers;
}

}  // namespace skord
