// From the lines of a page that are kept to its text: `skord.markdown.extraction`.

#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "page_text/lines_of.hpp"

namespace skord {

using Rewrite = std::function<std::string(std::string_view)>;

// The kept lines, each behind its "\n", with a blank one where what was left out between two kept
// them apart. `kept` has a byte for each of the first lines; `heading` is asked about headings that
// end with what may be their own address, or a button. Backslashes stay where `escaped`.
std::string joined_lines(const Lines &lines, std::string_view kept, const Rewrite &heading,
                         bool escaped);

// A line that is no code without the backslashes before signs that are shown without them, too.
std::string without_needless_escapes(std::string_view line);

// Where a picture ends that begins with "![" here, address and title included, as CommonMark has it
// but for nested brackets; 0 where none does.
size_t picture_size(std::string_view text);

// Addresses of images, and where they stood: bytes from the start.
using Images = std::vector<std::pair<size_t, std::string>>;

struct Text {
  std::string text;
  Images images;
};

// A text without its images. Lines stay where they are: one that held only images is left empty.
// Code is not searched.
Text without_images(std::string_view markdown);

// Where a text holds lines that say nothing, in order: first byte, and the one after. They are tables
// without a word, lines of characters that nobody sees, and headings that repeat the heading before
// them, on whatever level. Code is not looked at.
std::vector<std::pair<size_t, size_t>> emptied_spans(std::string_view text);

// The same without those lines, without blanks at the ends of lines, with single blank lines, and
// none at its start and end.
Text folded(const Text &text);

}  // namespace skord
