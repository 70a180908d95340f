#include "markdown/mojibake.hpp"

#include <algorithm>

#include "text/unicode.hpp"

namespace skord {

namespace {

bool is_ascii_alnum(char sign) {
  const char small = static_cast<char>(sign | 0x20);
  return (sign >= '0' && sign <= '9') || (small >= 'a' && small <= 'z');
}

// What ftfy does to a line, and why these characters alone are none of its business:
// - entities become characters where there is "&", perhaps "#", up to 24 letters or digits, and ";";
// - controls, ends of lines but "\n", surrogates, ligatures, full and half widths are replaced one by
//   one: none of them is plain;
// - so are curly quotes, and most wide signs, by `narrow` here: as ASCII they take part in nothing else;
// - it is composed (NFC): every plain character is so already, and none composes with one before it;
// - mojibake is undone where `ftfy.badness` finds some. Each of its patterns asks for a C1 control,
//   for one of "ÂÃŒœ", or for two neighbours beyond ASCII: `may_be_mojibake`.
struct Span {
  uint32_t first, last;
};

// Beyond U+02FF: Greek, Cyrillic, Hebrew, Arabic; signs; kana, ideographs, Hangul; pictures.
constexpr Span kPlain[] = {
    {0x386, 0x386},   {0x388, 0x482},   {0x48A, 0x52F},     {0x5D0, 0x5EA},     {0x60C, 0x60C},
    {0x61B, 0x64A},   {0x2002, 0x2027}, {0x2030, 0x205E},   {0x20A0, 0x20C0},   {0x2100, 0x2125},
    {0x2150, 0x218B}, {0x2190, 0x2328}, {0x2460, 0x2ADB},   {0x3001, 0x3029},   {0x3041, 0x3096},
    {0x309B, 0x30FF}, {0x3400, 0x9FFF}, {0xAC00, 0xD7A3},   {0xFE0F, 0xFE0F},   {0x1F300, 0x1F6D7},
    {0x1F900, 0x1FA53},
};

bool is_plain(uint32_t code) {
  if (code < 0x80) return (code >= ' ' && code != 0x7F) || code == '\t' || code == '\f';
  if (code < 0xA0) return false;
  if (code < 0x300) {
    const bool is_ligature = code == 0x132 || code == 0x133 || code == 0x149 ||
                             (code >= 0x1C4 && code <= 0x1CC) || (code >= 0x1F1 && code <= 0x1F3);
    return !is_ligature;
  }
  const Span *span = std::find_if(std::begin(kPlain), std::end(kPlain),
                                  [code](const Span &each) { return code <= each.last; });
  return span != std::end(kPlain) && code >= span->first;
}

// The ASCII that ftfy writes for a curly quote or a wide sign; 0 for any other character. Wide letters,
// and signs that begin or end an entity or a tag, are left to it.
char narrow(uint32_t code) {
  if (code == 0x2BC || (code >= 0x2018 && code <= 0x201B)) return '\'';
  if (code >= 0x201C && code <= 0x201F) return '"';
  if (code == 0x3000) return ' ';
  if (code < 0xFF01 || code > 0xFF5E) return '\0';
  const char sign = static_cast<char>(code - 0xFF00 + ' ');
  return is_ascii_alnum(sign) || std::string_view("&#;<").find(sign) != std::string_view::npos ? '\0'
                                                                                               : sign;
}

constexpr size_t kLongestEntity = 24;

bool is_entity(std::string_view after) {  // what follows "&"
  const size_t start = !after.empty() && after[0] == '#';
  size_t end = start;
  while (end < after.size() && end - start <= kLongestEntity && is_ascii_alnum(after[end])) ++end;
  return end > start && end - start <= kLongestEntity && end < after.size() && after[end] == ';';
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
bool is_foreign(uint32_t code) { return (code >= 0x5D0 && code < 0x2000) || code >= 0x2600; }

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
bool is_quiet(uint8_t sign) {
  return (sign >= ' ' && sign < 0x7F && sign != '&') || sign == '\t' || sign == '\f';
}

// Appends a line with straight quotes and narrow signs; false, and `out` as it was, if more may have
// to be done.
bool append_narrow(std::string &out, std::string_view line) {
  const size_t size = out.size();
  uint32_t before = ' ';
  size_t done = 0;
  for (size_t at = 0; at < line.size();) {
    if (is_quiet(static_cast<uint8_t>(line[at]))) {
      before = ' ';
      ++at;
      continue;
    }
    const Character sign = first_character(line.substr(at));
    const size_t start = at;
    at += sign.size;
    const char ascii = sign.code < 0x80 ? '\0' : narrow(sign.code);
    if ((ascii == '\0' && !is_plain(sign.code)) || (sign.code == '&' && is_entity(line.substr(at))) ||
        (sign.code >= 0x80 && may_be_mojibake(before, sign.code))) {
      out.resize(size);
      return false;
    }
    before = sign.code;
    if (ascii != '\0') {
      out.append(line.substr(done, start - done)).push_back(ascii);
      done = at;
    }
  }
  out.append(line.substr(done));
  return true;
}

}  // namespace

PartlyMended partly_mended(std::string_view text) {
  PartlyMended mended;
  mended.text.reserve(text.size());
  size_t number = 0;
  for (size_t start = 0; start < text.size(); ++number) {
    const size_t end = std::min(text.find('\n', start), text.size());
    const std::string_view line = text.substr(start, end - start);
    if (!append_narrow(mended.text, line)) {
      mended.text.append(line);
      mended.doubtful.push_back(number);
    }
    if (end < text.size()) mended.text.push_back('\n');
    start = end + 1;
  }
  return mended;
}

}  // namespace skord
