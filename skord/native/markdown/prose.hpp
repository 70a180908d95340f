// The text of a line of Markdown as plain as it can be said, once what holds it is off.

#pragma once

#include <string>
#include <string_view>

namespace skord {

// A line of running text, a heading, a rule.
std::string plain_prose(std::string_view text);

// A row of a table, or the rule below its head.
std::string plain_row(std::string_view text);

// Without the blanks, broken or not, at both ends.
std::string_view without_edges(std::string_view text);

// A text without marks that mark nothing, and without halves of pairs.
std::string with_paired_marks(std::string_view text);

}  // namespace skord
