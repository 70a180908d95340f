// The lines of a page's Markdown, what may stand before a block in them, and blocks of code.

#pragma once

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

namespace skord {

using Lines = std::vector<std::string_view>;

// What "\n" parts, as Python's `str.split` does: one more than there are "\n".
Lines lines_of(std::string_view text);

// Whether it is all blanks, as Python's `str.strip` sees them.
bool is_blank(std::string_view line);

// Whether it holds nothing that Python's `\w` finds.
bool has_no_word(std::string_view text);

// Size of the mark of an item that begins at `at`, without the blanks behind it; else 0.
size_t mark_size(std::string_view line, size_t at);

// Of a heading, from 1 to 6; 0 for any other line.
size_t heading_level(std::string_view line);

// How far quote signs, indentation and marks of items reach that stand before a block.
size_t after_holders(std::string_view line);

// Size of the run of backticks or tildes that a text begins with, if a block of code begins so; else 0.
size_t fence_size(std::string_view text);

// First line of each block of code between fences, and the line after its last:
// `skord.markdown.fences`.
std::vector<std::pair<size_t, size_t>> fenced_blocks(const Lines &lines);

// Of each line whether it is in such a block, the fences among it.
std::vector<bool> code_lines(const Lines &lines);

}  // namespace skord
