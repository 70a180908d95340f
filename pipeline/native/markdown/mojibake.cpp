#include "markdown/mojibake.hpp"

#include <algorithm>

#include "text/unicode.hpp"

namespace skord {

namespace {

// What ftfy does to a line, and why these characters alone are none of its business:
// - entities become characters where there is "&", perhaps "#", and a letter or digit: `is_entity`;
// - controls, ends of lines but "\n", surrogates, ligatures, full and half widths are replaced one by
//   one: none of them is plain;
// - so are curly quotes, by `straight` here: with ASCII around them they take part in nothing else;
// - it is composed (NFC): what lies below U+0300, and punctuation from U+2010 on, is so already;
// - mojibake is undone where `ftfy.badness` finds some. Each of its patterns asks for a C1 control,
//   for one of "ÂÃŒœ", or for two neighbours beyond ASCII, of which two letters of Latin-1 are
//   only found where the first is small and the second is not: `may_be_mojibake`.
bool is_plain(uint32_t code) {
  if (code < 0x80) return (code >= ' ' && code != 0x7F) || code == '\t' || code == '\f';
  if (code < 0xA0) return false;
  if (code < 0x300) {
    const bool is_ligature = code == 0x132 || code == 0x133 || code == 0x149 ||
                             (code >= 0x1C4 && code <= 0x1CC) || (code >= 0x1F1 && code <= 0x1F3);
    return !is_ligature;
  }
  return (code >= 0x2010 && code <= 0x2027) || code == 0x20AC;
}

// The straight quote that ftfy writes for a curly one; 0 for any other character.
char straight(uint32_t code) {
  if (code == 0x2BC || (code >= 0x2018 && code <= 0x201B)) return '\'';
  return code >= 0x201C && code <= 0x201F ? '"' : '\0';
}

bool is_entity(std::string_view after) {  // what follows "&"
  if (after.empty()) return false;
  const char sign = after[0];
  return sign == '#' || (sign >= '0' && sign <= '9') || (sign >= 'A' && sign <= 'Z') ||
         (sign >= 'a' && sign <= 'z');
}

bool is_latin1_letter(uint32_t code) {
  return code >= 0xC0 && code <= 0xFF && code != 0xD7 && code != 0xF7;
}

bool may_be_mojibake(uint32_t before, uint32_t code) {
  if (code == 0xC2 || code == 0xC3 || code == 0x152 || code == 0x153) return true;
  if (before < 0x80) return false;
  const bool are_letters = is_latin1_letter(before) && is_latin1_letter(code);
  const bool rises = before >= 0xDF && code < 0xDF;
  return !are_letters || rises;
}

// Appends a line with straight quotes; false, and `out` as it was, if more may have to be done.
bool append_straight(std::string &out, std::string_view line) {
  const size_t size = out.size();
  uint32_t before = ' ';
  size_t done = 0;
  for (size_t at = 0; at < line.size();) {
    const Character sign = first_character(line.substr(at));
    const size_t start = at;
    at += sign.size;
    if (!is_plain(sign.code) || (sign.code == '&' && is_entity(line.substr(at))) ||
        (sign.code >= 0x80 && may_be_mojibake(before, sign.code))) {
      out.resize(size);
      return false;
    }
    before = sign.code;
    if (const char quote = sign.code < 0x80 ? '\0' : straight(sign.code)) {
      out.append(line.substr(done, start - done)).push_back(quote);
      done = at;
    }
  }
  out.append(line.substr(done));
  return true;
}

}  // namespace

PartlyMended partly_mended(std::string_view text) {
  PartlyMended found;
  found.text.reserve(text.size());
  size_t number = 0;
  for (size_t start = 0; start < text.size(); ++number) {
    const size_t end = std::min(text.find('\n', start), text.size());
    const std::string_view line = text.substr(start, end - start);
    if (!append_straight(found.text, line)) {
      found.text.append(line);
      found.doubtful.push_back(number);
    }
    if (end < text.size()) found.text.push_back('\n');
    start = end + 1;
  }
  return found;
}

}  // namespace skord
