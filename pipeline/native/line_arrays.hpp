// The lines and words of a page as arrays, and sums of the vectors of what they hold.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace skord {

// What a character is to lines and words.
enum class Kind : uint8_t {
  mark = 0,   // visible, and in no word
  letter = 1, // words are runs of these
  alone = 2,  // a word by itself
  blank = 3,
};

// What each code point counts as; the last entry of a table stands for all above.
struct CharacterTables {
  std::vector<uint8_t> groups;  // by code point
  std::vector<uint32_t> small;  // lower case, by code point
  std::vector<uint8_t> kinds;   // by group
};

// As `models.line_classifier.page_arrays.PageArrays` has it.
struct LineArrays {
  std::vector<uint8_t> groups;  // of each character
  std::vector<int64_t> lines, starts, ends, first, last;  // of each visible line
  std::vector<int64_t> counts;  // characters of each group, shape (visible lines, groups)
  std::vector<int64_t> word_at, word_line;
  std::vector<uint64_t> hashes;  // of each word
};

// Throws std::invalid_argument where the tables do not fit one another.
CharacterTables character_tables(std::vector<uint8_t> groups, std::vector<uint32_t> small,
                                 std::vector<uint8_t> kinds);

// What comes after the last line feed is in no line.
LineArrays line_arrays(const std::vector<uint32_t> &codes, const CharacterTables &tables);

// The nodes from each used one up to its root, one way after another.
struct Ways {
  std::vector<int64_t> nodes, steps, starts;
};

// Throws std::invalid_argument for a number that is no node, and a parent that is not before its
// child.
Ways ways_up(const std::vector<int32_t> &parents, const std::vector<int64_t> &used);

// Rows of numbers, each `width` long.
struct Rows {
  const float *values;
  size_t count, width;
};

// Of each stretch the sum of the rows that are numbered in it, each times its share; without
// shares each counts once. Throws std::invalid_argument for a row or a stretch that is not there.
std::vector<float> sums_of_rows(const Rows &rows, const std::vector<int64_t> &numbers,
                                const std::vector<int64_t> &starts,
                                const std::vector<float> &shares);

}  // namespace skord
