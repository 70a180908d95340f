// The visible lines of a page's Markdown, and the features of each.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bindings/numbers.hpp"

namespace skord {

// What a character counts as, in the order of `skord.models.line_classifier.features.characters`; from `ending`
// on in the order of its listed characters.
enum Group : uint8_t {
  other, lower, upper, letter, alone, digit, blank, punctuation, symbol, ending
};

// What lines are read by. The last entry of a table stands for all code points above.
struct PageReader {
  static constexpr size_t kLogs = 1 << 12;

  // Throws std::invalid_argument where the tables do not fit one another, there are fewer groups
  // than have features of their own, or no buckets.
  PageReader(std::vector<uint8_t> groups, std::vector<uint32_t> small, size_t num_groups,
             int64_t buckets, int64_t most_words);

  // log(1 + number); small ones are looked up.
  double log1p(int64_t number) const;

  std::vector<uint8_t> groups;  // by code point
  std::vector<uint32_t> small;  // lower case, by code point
  size_t num_groups;
  uint64_t buckets;    // of words
  int64_t most_words;  // of a line that are looked up
  std::vector<double> logs;
};

// A line with a visible character.
struct Line {
  int64_t number, size, indent;  // among all lines; its characters; blanks before the first
  int64_t length;                // from the first visible character to the last
  uint32_t first, second, last;  // the first visible one, what follows it, the last visible one
  uint8_t first_group, last_group;
  int64_t level;                      // of a heading, or 0
  int64_t words, capitals, in_small;  // how many of them begin with a capital, with a small letter
  uint64_t key;                       // the sum of its words' hashes
};

// The visible lines of a page, and the words of all of them.
struct PageLines {
  std::vector<Line> lines;
  std::vector<int64_t> counts;   // characters of each group, shape (lines, groups)
  std::vector<int64_t> buckets;  // of the words that are looked up, one line after the other
  std::vector<int64_t> starts;   // where each line's buckets start, and the end
  int64_t total = 0;             // lines, blank ones among them
};

// "\n" alone ends a line; what comes after the last is in none.
PageLines page_lines(Numbers<const uint32_t> codes, const PageReader &reader);

// Features of the lines, a row for each: see `skord.models.line_classifier.features.lines`.
std::vector<float> page_rows(const PageLines &page, const PageReader &reader);

}  // namespace skord
