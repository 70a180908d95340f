#include "markdown/prose.hpp"

#include <algorithm>

#include "markdown/formulas.hpp"
#include "text/parts.hpp"
#include "text/unicode.hpp"

namespace skord {

namespace {

bool is_space_or_none(std::string_view before) {
  return before.empty() || is_space(last_character(before).code);
}

bool ends_alnum(std::string_view before) {
  return !before.empty() && is_alnum(last_character(before).code);
}

bool begins_alnum(std::string_view after) {
  return !after.empty() && is_alnum(first_character(after).code);
}

// Whether the backslash at a place, and not the sign behind it alone, has to stay.
bool is_needed(std::string_view text, size_t at) {
  const std::string_view before = text.substr(0, at), after = text.substr(at + 2);
  switch (text[at + 1]) {
    case '&':
    case '=':
      return false;
    case '.':
      return text[0] != '#';
    case '!':
      return starts_with(after, "\\[");
    case '~':
      return starts_with(after, "\\~") || ends_with(before, "\\~");  // one of two, which strike out
    case '#':
      return is_space_or_none(before);
    case '_':
      return !(ends_alnum(before) && begins_alnum(after));
    default:
      return true;
  }
}

std::string without_needless_backslashes(std::string_view text) {
  std::string out;
  size_t done = 0;
  for (size_t at = text.find_first_of("\\$"); at != text.npos; at = text.find_first_of("\\$", at)) {
    if (at + 1 == text.size()) break;
    if (const size_t size = size_of_formula(text.substr(at))) {
      at += size;
      continue;
    }
    if (text[at] == '$' || !is_ascii_punctuation(text[at + 1])) {
      ++at;
      continue;
    }
    if (!is_needed(text, at)) {
      out.append(text.substr(done, at - done));
      done = at + 1;
    }
    at += 2;
  }
  return out.append(text.substr(done));
}

bool is_table_rule(std::string_view text) {
  if (text.size() < 2 || text.front() != '|' || text.back() != '|') return false;
  for (size_t start = 1; start < text.size();) {
    const size_t end = text.find('|', start);
    std::string_view cell = text.substr(start, end - start);
    const auto drop = [&](char sign, bool all) {
      const size_t size = cell.size();
      while (!cell.empty() && cell[0] == sign) {
        cell.remove_prefix(1);
        if (!all) break;
      }
      return cell.size() < size;
    };
    drop(' ', true);
    drop(':', false);
    if (!drop('-', true)) return false;
    drop(':', false);
    drop(' ', true);
    if (!cell.empty()) return false;
    start = end + 1;
  }
  return true;
}

bool is_run_of(std::string_view text, char sign, size_t least, size_t most) {
  return text.size() >= least && text.size() <= most && text.find_first_not_of(sign) == text.npos;
}

// One blank for each run of several between two characters that are none.
std::string without_gaps(std::string_view text) {
  std::string out;
  size_t done = 0;
  for (size_t at = text.find("  "); at != text.npos; at = text.find("  ", at)) {
    const size_t end = std::min(text.find_first_not_of(' ', at), text.size());
    if (!is_space_or_none(text.substr(0, at)) && end < text.size() &&
        !is_space(first_character(text.substr(end)).code)) {
      out.append(text.substr(done, at + 1 - done));
      done = end;
    }
    at = end;
  }
  return out.append(text.substr(done));
}

}  // namespace

std::string_view without_edges(std::string_view text) {
  constexpr std::string_view kNoBreak = "\xC2\xA0";
  while (starts_with(text, " ") || starts_with(text, kNoBreak)) text.remove_prefix(text[0] == ' ' ? 1 : 2);
  while (ends_with(text, " ") || ends_with(text, kNoBreak)) text.remove_suffix(text.back() == ' ' ? 1 : 2);
  return text;
}

std::string plain_prose(std::string_view line) {
  const bool is_break = ends_with(line, "  ");
  std::string text(without_edges(line));
  if (contains(text, "\\")) text = without_needless_backslashes(text);
  if (contains(text, "*") || contains(text, "~~")) text = with_paired_marks(text);
  if (text == "<!-- end list -->" || is_run_of(text, '#', 1, 6)) return {};
  if (is_run_of(text, '-', 4, text.npos)) return "---";
  return is_break && !text.empty() ? text + "  " : text;
}

std::string plain_row(std::string_view text) {
  if (!is_table_rule(text)) return without_gaps(plain_prose(text));
  std::string out = "|";
  for (auto left = std::count(text.begin(), text.end(), '|'); left > 1; --left) out += "---|";
  return out;
}

}  // namespace skord
