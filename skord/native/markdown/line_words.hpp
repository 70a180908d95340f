// Words of the lines of a page's Markdown: `skord.markdown.extraction`.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bindings/numbers.hpp"

namespace skord {

// How many words a line has, as Python's `str.split` parts them.
int64_t count_words(std::string_view line);

// The same of each line; none of a line that is an image.
std::vector<int64_t> count_line_words(std::string_view markdown);

// A threshold for the lines' probabilities, and the F1 of words that a page is expected to have with
// it, at its best: `skord.markdown.extraction.best_cut`. The last lines may be without a
// probability; they count as having no words. Throws std::invalid_argument where lines are missing.
struct Cut {
  double threshold, expected_f1;
};
Cut best_cut(std::string_view markdown, Numbers<const float> chances);

// Of each line 1 if its words, as Python's `\w+` finds them in small letters, may be those of another
// line, and `least_words` or more; 0 if they are not. It looks at letters and digits of ASCII alone.
std::string lines_perhaps_alike(std::string_view markdown, size_t least_words);

// Of each of these lines its words in small letters with one blank between, as
// `skord.models.line_classifier.features.phrases` reads them; nothing of rows of tables, of lines of more
// characters, and of those that have more words. Throws as above where there is no such line.
std::string said_lines(std::string_view markdown, Numbers<const int64_t> numbers, size_t most_letters,
                       size_t most_words);

// Those of these lines of at most so many characters that hold one of the parts, in any case. Parts
// are in small letters, fewer than 255, each of four bytes or more. Throws as above.
std::vector<int64_t> lines_holding(std::string_view markdown, Numbers<const int64_t> numbers,
                                   size_t most_letters, const std::vector<std::string_view> &parts);

// A text in small letters, as Python's `str.lower` has it but for the last sigma of a word.
std::string in_small(std::string_view text);

}  // namespace skord
