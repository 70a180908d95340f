// Which lines of a page are its text.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bindings/numbers.hpp"
#include "page_text/lines_of.hpp"

namespace skord {

// Of each line with a probability whether it is kept, 1 or 0: `skord.markdown.extraction`,
// `line_verdicts`. Throws std::invalid_argument where there are fewer lines.
std::string line_verdicts(const Lines &lines, Numbers<const float> chances, float threshold);

// Numbers of the kept lines of quotations whose words stand before them in what is kept, ascending,
// and of the lines that say who said so.
std::vector<size_t> repeated_quotations(const Lines &lines, const std::vector<size_t> &kept);

// Whether a line says no more than who is quoted.
bool is_naming(std::string_view line);

// Words of a line as Python's `\w+` finds them, in small letters; a sigma that ends one is any sigma.
std::vector<std::string> small_words(std::string_view line);

}  // namespace skord
