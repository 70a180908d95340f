#include "page_text/line_verdicts.hpp"

#include <algorithm>
#include <unordered_map>

#include "markdown/images.hpp"
#include "markdown/line_words.hpp"
#include "text/parts.hpp"
#include "text/unicode.hpp"

namespace skord {

namespace {

constexpr size_t kRepeatWords = 4;  // a line of so many that stands on the page once more is kept once

constexpr size_t kTitleReach = 6;       // visible lines above a text, among which is its title
constexpr size_t kBeginning = 5;        // visible lines of it, none of which is a title
constexpr float kPerhapsTitle = 0.05F;  // rules leave a line .02 of a chance
constexpr size_t kTitleWords = 2;
constexpr size_t kMostLastHeadings = 2, kLeastLines = 4;

// A thematic break: three signs or more, perhaps with one blank between each two.
bool is_break(std::string_view line) {
  const char sign = line[0];
  if (sign != '-' && sign != '*' && sign != '_') return false;
  size_t signs = 1;
  for (size_t at = 1; at < line.size(); ++at, ++signs) {
    at += line[at] == ' ';
    if (at == line.size() || line[at] != sign) return false;
  }
  return signs > 2;
}

// Takes away those lines, in this order, that are breaks, up to the first with another visible sign.
template <class Number>
void drop_breaks(const Lines &lines, Number number, Number end, std::string &kept) {
  for (; number != end; ++number) {
    const std::string_view line = stripped(lines[*number]);
    if (line.empty()) continue;
    if (!is_break(line)) return;
    kept[*number] = 0;
  }
}

bool breaks_hard(std::string_view line) { return ends_with(line, "  "); }

bool is_heading_within(std::string_view line) {
  const size_t start = line.find_first_not_of(" -*+>");
  return start != line.npos && line[start] == '#';
}

bool is_title(std::string_view line) { return starts_with(line, "# ") || starts_with(line, "## "); }

// Chooses the title just above a text that begins without one.
void choose_title(const Lines &lines, Numbers<const float> chances, std::vector<size_t> &chosen) {
  size_t first = 0, seen = 0;
  for (const size_t number : chosen) {
    if (stripped(lines[number]).empty()) continue;
    if (is_title(lines[number])) return;
    if (seen == 0) first = number;
    if (++seen == kBeginning) break;
  }
  for (size_t number = first, above = 0; number-- > 0 && above < kTitleReach;) {
    const std::string_view line = lines[number];
    if (stripped(line).empty()) continue;
    ++above;
    if (!is_title(line) || chances[number] < kPerhapsTitle) continue;
    if (small_words(line).size() < kTitleWords || code_lines(lines)[number]) continue;
    chosen.insert(std::lower_bound(chosen.begin(), chosen.end(), number), number);
    return;
  }
}

// Takes away the last lines of a text where they are one heading or two, which head nothing. More of
// them are a list.
void drop_last_headings(const Lines &lines, std::vector<size_t> &chosen) {
  size_t headings = 0, seen = 0, end = chosen.size();
  for (size_t at = chosen.size(); at-- > 0 && seen < kLeastLines;) {
    if (stripped(lines[chosen[at]]).empty()) continue;
    if (headings == seen && heading_level(lines[chosen[at]]) > 0) {
      ++headings;
      end = at;
    }
    ++seen;
  }
  if (headings <= kMostLastHeadings && seen >= kLeastLines) chosen.resize(end);
}

// The words that a reader sees, one blank behind each: none of the pictures' addresses.
std::string seen_words(std::string_view line, size_t &count) {
  std::string text;
  const std::vector<std::string> words = small_words(with_blank_images(line));
  count = words.size();
  for (const std::string &word : words) text.append(word).push_back(' ');
  return text;
}

void drop_repeats(const Lines &lines, const std::vector<size_t> &chosen, std::string &kept) {
  std::string page;
  for (const size_t number : chosen) page.append(lines[number]).push_back('\n');
  const std::string alike = lines_perhaps_alike(page, kRepeatWords);
  if (alike.find('\1') == alike.npos) return;
  const std::vector<bool> is_code = code_lines(lines);
  std::unordered_map<std::string, size_t> met;
  // Whether what a heading heads is new: a guide has the same step twice, a shop the same article.
  const auto heads_more = [&](size_t at) {
    for (++at; at < chosen.size(); ++at) {
      const std::string_view line = lines[chosen[at]];
      if (stripped(line).empty()) continue;
      size_t words = 0;
      const std::string text = seen_words(line, words);
      return heading_level(line) == 0 && words >= kRepeatWords && met.find(text) == met.end();
    }
    return false;
  };
  for (size_t at = 0; at < chosen.size(); ++at) {
    const size_t number = chosen[at];
    const std::string_view line = lines[number];
    if (!alike[at] || is_code[number] || starts_with(line, "|") || breaks_hard(line)) continue;
    size_t words = 0;
    std::string text = seen_words(line, words);
    if (words < kRepeatWords) continue;
    size_t &before = met.emplace(std::move(text), number).first->second;
    if (before != number && heading_level(line) > 0 && heading_level(line) == heading_level(lines[before]) && heads_more(at)) continue;
    if (line[0] == '#' && !is_heading_within(lines[before])) {
      kept[before] = 0;
      before = number;
    } else {
      // A line behind a hard break is one of a verse, whose refrain is no repetition.
      kept[number] = before == number || breaks_hard(lines[number - 1]);
    }
  }
}

}  // namespace

std::vector<std::string> small_words(std::string_view line) {
  constexpr uint32_t kDottedI = 0x130, kFinalSigma = 0x3C2, kSigma = 0x3C3;
  std::vector<std::string> words;
  bool in_word = false;
  while (!line.empty()) {
    const Character sign = first_character(line);
    line.remove_prefix(sign.size);
    const uint32_t small = sign.code == kDottedI ? 'i' : lower(sign.code);
    if (!is_word(small)) {
      in_word = false;
      continue;
    }
    if (!in_word) words.emplace_back();
    append_utf8(words.back(), small == kFinalSigma ? kSigma : small);
    in_word = sign.code != kDottedI;  // small, it is an "i" and a dot that is no letter
  }
  return words;
}

std::string line_verdicts(const Lines &lines, Numbers<const float> chances, float threshold) {
  must_fit(lines.size() >= chances.size);
  std::vector<size_t> chosen;
  for (size_t number = 0; number < chances.size; ++number) {
    if (chances[number] >= threshold) chosen.push_back(number);
  }
  choose_title(lines, chances, chosen);
  drop_last_headings(lines, chosen);
  std::string kept(chances.size, 0);
  for (const size_t number : chosen) kept[number] = 1;
  drop_breaks(lines, chosen.begin(), chosen.end(), kept);
  drop_breaks(lines, chosen.rbegin(), chosen.rend(), kept);
  std::vector<size_t> left;
  for (const size_t number : chosen) {
    if (kept[number]) left.push_back(number);
  }
  const std::vector<size_t> quoted = repeated_quotations(lines, left);
  drop_repeats(lines, chosen, kept);
  for (const size_t number : quoted) kept[number] = 0;
  return kept;
}

}  // namespace skord
