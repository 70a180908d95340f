#include <algorithm>

#include "markdown/backticks.hpp"
#include "markdown/formulas.hpp"
#include "markdown/plain_lines.hpp"
#include "page_text/kept_text.hpp"
#include "text/unicode.hpp"

namespace skord {

namespace {

constexpr size_t kLongestLine = 10'000;

bool is_ascii_letter(char sign) { return (sign | 0x20) >= 'a' && (sign | 0x20) <= 'z'; }

bool begins_tag(std::string_view text) {
  return !text.empty() && (is_ascii_letter(text[0]) || std::string_view("/!?").find(text[0]) != text.npos);
}

bool begins_blank(std::string_view text) {
  return !text.empty() && is_space(first_character(text).code);
}

bool ends_blank(std::string_view text) {
  return !text.empty() && is_space(last_character(text).code);
}

bool is_digits(std::string_view text) {
  if (text.empty()) return false;
  for (; !text.empty(); text.remove_prefix(first_character(text).size)) {
    if (!is_digit(first_character(text).code)) return false;
  }
  return true;
}

// How far quotations, and items around them, reach that may stand before a block in its line.
size_t end_of_holders(std::string_view line) {
  size_t at = 0;
  while (at < line.size()) {
    if (line[at] == ' ' || line[at] == '\t') {
      ++at;
    } else if (line[at] == '>') {
      at += starts_with(line.substr(at), "> ") ? 2 : 1;
    } else {
      const size_t size = mark_size(line, at);
      constexpr size_t kMostDigits = 9;
      if (size == 0 || count_characters(line.substr(at, size)) > kMostDigits + 1) break;
      if (at + size == line.size() || line[at + size] != ' ') break;
      at += size + 1;
    }
  }
  return at;
}

std::string without_pictures(std::string_view line) {
  std::string text;
  for (size_t at = 0; at < line.size();) {
    const bool may_begin = line[at] == '!' && (at == 0 || line[at - 1] != '\\');
    const size_t size = may_begin ? picture_size(line.substr(at)) : 0;
    if (size == 0) text.push_back(line[at]);
    at += std::max<size_t>(size, 1);
  }
  return text;
}

// Whether brackets, were they not escaped, would be those of an address, a line's text or a box.
bool is_like_link(std::string_view line) {
  std::string text;
  for (size_t at = 0; at < line.size(); ++at) {
    const bool escapes = line[at] == '\\' && at + 1 < line.size() && (line[at + 1] == '[' || line[at + 1] == ']');
    if (!escapes) text.push_back(line[at]);
  }
  bool is_open = false;
  for (size_t at = 0; at < text.size(); ++at) {
    const std::string_view rest = std::string_view(text).substr(at);
    if (starts_with(rest, "](") || starts_with(rest, "][")) return true;
    if (is_open && starts_with(rest, "]:")) return true;
    if (rest[0] == '[' || rest[0] == ']') is_open = rest[0] == '[';
    if (rest[0] != '-' && rest[0] != '*' && rest[0] != '+') continue;
    const size_t box = rest.find_first_not_of(' ', 1);
    if (box == rest.npos || box == 1) continue;
    for (const std::string_view ticked : {"[ ] ", "[x] ", "[X] "}) {
      if (starts_with(rest.substr(box), ticked)) return true;
    }
  }
  return false;
}

bool has_tag(std::string_view text) {
  for (size_t at = text.find('<'); at != text.npos; at = text.find('<', at + 1)) {
    if ((at == 0 || text[at - 1] != '\\') && begins_tag(text.substr(at + 1))) return true;
  }
  return false;
}

// Whether there are two stars that do not stand alone.
bool has_partners(std::string_view text) {
  size_t stars = 0;
  for (size_t at = text.find('*'); at != text.npos; at = text.find('*', at + 1)) {
    const size_t start = at > 0 && text[at - 1] == '\\' ? at - 1 : at;
    const std::string_view after = text.substr(at + 1);
    const bool is_lone = ends_blank(text.substr(0, start)) && (after.empty() || begins_blank(after));
    stars += !is_lone;
  }
  return stars > 1;
}

// A line as a whole, as far as it decides what an escaped sign would mark.
struct Around {
  explicit Around(std::string_view line)
      : start(end_of_holders(line)), is_heading(starts_with(line.substr(start), "#")) {
    const bool may_hold = line.find("](") != line.npos;
    const std::string without = may_hold ? without_pictures(line) : std::string(line);
    is_linked = is_like_link(without);
    has_tag = skord::has_tag(without);
    has_partners = skord::has_partners(without);
  }
  size_t start;
  bool is_heading, is_linked, has_tag, has_partners;
};

// Whether an ASCII sign would mark something; `before` begins where the block does.
bool is_needed(char sign, std::string_view before, std::string_view after, const Around &around) {
  switch (sign) {
    case '[': case ']':
      return around.is_linked;
    case '*':
      if (!before.empty() && !ends_blank(before)) return around.has_partners;
      return before.empty() || (!after.empty() && !begins_blank(after));
    case '#':
      if (around.is_heading) return after.find_first_not_of("# ") == after.npos;
      after.remove_prefix(std::min(after.find_first_not_of('#'), after.size()));
      return before.empty() && (after.empty() || begins_blank(after));
    case '-': case '+':
      return before.empty() && (after.empty() || std::string_view(" \t-").find(after[0]) != after.npos);
    case '.': case ')':
      return around.is_linked ||
             (is_digits(before) && (after.empty() || after[0] == ' ' || after[0] == '\t'));
    case '>':
      return before.empty() || around.has_tag;
    case '<':
      return begins_tag(after);
    case '\\':
      return after.empty() || is_punctuation(after[0]);
    default:
      return true;
  }
}

}  // namespace

std::string without_needless_escapes(std::string_view line) {
  // What pictures cost to find grows as the square of a line.
  if (count_characters(line) > kLongestLine) return std::string(line);
  const Around around(line);
  const Backticks backticks(line);
  std::string plain;
  for (size_t at = 0; at < line.size();) {
    const size_t code = backticks.size_of_code(at);
    const size_t picture = line[at] == '!' ? picture_size(line.substr(at)) : 0;
    const size_t whole = code ? code : picture ? picture : size_of_formula(line.substr(at));
    if (whole > 0) {  // code, pictures and formulas stay as they are
      plain.append(line.substr(at, whole));
      at += whole;
      continue;
    }
    if (line[at] != '\\' || at + 1 == line.size()) {
      plain.push_back(line[at++]);
      continue;
    }
    const Character sign = first_character(line.substr(at + 1));
    const size_t end = at + 1 + sign.size;
    const std::string_view before = line.substr(around.start, at - std::min(at, around.start));
    const bool is_kept = sign.code >= 0x80 || is_needed(line[at + 1], before, line.substr(end), around);
    plain.append(line.substr(is_kept ? at : at + 1, end - (is_kept ? at : at + 1)));
    at = end;
  }
  return plain;
}

}  // namespace skord
