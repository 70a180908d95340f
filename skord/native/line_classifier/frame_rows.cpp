#include "line_classifier/frame_rows.hpp"

#include <algorithm>

#include "text/parts.hpp"
#include "text/unicode.hpp"

namespace skord {

namespace {

constexpr std::string_view kSigns[] = {"|", "›", "»", "/", "→", ">"};
// Nordic languages and English, as they stand in small letters.
constexpr std::string_view kHome[] = {"home",     "hem",      "hjem",       "heim",      "forside",
                                      "forsiden", "forsíða", "startsida", "startside"};

// Size of the sign that a text begins with; 0 for none.
size_t sign_size(std::string_view text) {
  for (const std::string_view sign : kSigns) {
    if (starts_with(text, sign)) return sign.size();
  }
  return 0;
}

// What is left behind marks of items and quotations, each with its blank; behind those and other blanks
// and signs of quotations where they may be loose.
std::string_view within_holders(std::string_view line, bool are_loose) {
  while (!line.empty()) {
    if (are_loose && (line[0] == ' ' || line[0] == '>')) {
      line.remove_prefix(1);
      continue;
    }
    const size_t size = line[0] == '>' ? 1 : mark_size(line, 0);
    if (size == 0 || size == line.size() || line[size] != ' ') break;
    line.remove_prefix(size + 1);
  }
  return line;
}

// Whether it is a heading or a row of a table.
bool is_headed(std::string_view line) {
  const std::string_view inner = within_holders(line, true);
  const size_t level = std::min(inner.find_first_not_of('#'), inner.size());
  return starts_with(inner, "|") || (level > 0 && starts_with(inner.substr(level), " "));
}

// These and questions unfold what stands under them; an item of a task list, too, is its own box's
// label, and no control.
bool unfolds(std::string_view line) {
  const std::string_view inner = within_holders(line, true);
  if (starts_with(inner, "[ ] ") || starts_with(inner, "[x] ") || is_headed(inner)) return true;
  const size_t question = line.rfind('?');
  return question != line.npos && has_no_word(line.substr(question));
}

// How many signs stand with blanks around them.
int64_t count_signs(std::string_view line) {
  int64_t signs = 0;
  for (size_t at = line.find(' '); at != line.npos; at = line.find(' ', at + 1)) {
    const size_t size = sign_size(line.substr(at + 1));
    signs += size > 0 && starts_with(line.substr(at + 1 + size), " ");
  }
  return signs;
}

// Whether a line begins with the name of a front page, a sign, and something more.
bool begins_at_home(std::string_view line) {
  line = within_holders(line, false);
  if (line.empty() || std::string_view("HhFfSs").find(line[0]) == line.npos) return false;
  std::string small;
  for (std::string_view rest = line; !rest.empty() && small.size() < 16;) {
    const Character sign = first_character(rest);
    append_utf8(small, lower(sign.code));
    rest.remove_prefix(sign.size);
  }
  for (const std::string_view home : kHome) {
    if (!starts_with(small, home)) continue;
    // Of these words capitals and small letters are as many bytes.
    std::string_view rest = line.substr(home.size());
    if (starts_with(rest, " ")) rest.remove_prefix(1);
    const size_t size = sign_size(rest);
    if (size == 0) continue;
    rest.remove_prefix(size);
    if (starts_with(rest, " ")) rest.remove_prefix(1);
    if (!rest.empty() && !is_space(first_character(rest).code)) return true;
  }
  return false;
}

// How many signs end a sentence.
int64_t count_ends(std::string_view line) {
  int64_t ends = 0;
  while (!line.empty()) {
    const Character sign = first_character(line);
    line.remove_prefix(sign.size);
    const bool is_end = sign.code == '.' || sign.code == '!' || sign.code == '?' || sign.code == 0x2026;
    ends += is_end && (line.empty() || is_space(first_character(line).code));
  }
  return ends;
}

// Marks long lists of options, unless they have half of the words that are not framed.
void add_option_lists(const Lines &lines, const RowLines &rows, const RowLimits &limits, std::string &marked) {
  int64_t all = 0, listed = 0;
  std::vector<size_t> lists;
  for (size_t at = 0; at < rows.visible.size; ++at) {
    if (rows.framed[at]) continue;
    all += rows.words[at];
    if (rows.controls[at] < limits.options || rows.words[at] < limits.longest_controls) continue;
    listed += rows.words[at];
    lists.push_back(at);
  }
  if (2 * listed >= all) return;
  for (const size_t at : lists) {
    const std::string_view line = lines[size_t(rows.visible[at])];
    marked[at] |= count_ends(line) * limits.words_a_sentence < rows.words[at] && !is_headed(line);
  }
}

}  // namespace

std::string framing_rows(const Lines &lines, const RowLines &rows, bool leads_away, const RowLimits &limits) {
  const auto &[visible, words, links, controls, framed] = rows;
  must_fit(words.size == visible.size && links.size == visible.size &&
           controls.size == visible.size && framed.size == visible.size);
  std::string marked(visible.size, 0);
  for (size_t at = 0; at < visible.size; ++at) {
    must_fit(visible[at] >= 0 && visible[at] < int64_t(lines.size()));
    const std::string_view line = lines[size_t(visible[at])];
    const bool is_short = words[at] < limits.longest_controls;
    marked[at] = framed[at] || (is_short && controls[at] >= limits.controlled && !unfolds(line)) ||
                 (links[at] >= limits.linked && count_signs(line) >= limits.signs && !unfolds(line)) ||
                 (is_short && links[at] >= limits.trail && begins_at_home(line)) ||
                 (leads_away && links[at] >= limits.leading_away && !is_headed(line));
  }
  add_option_lists(lines, rows, limits, marked);
  return marked;
}

}  // namespace skord
