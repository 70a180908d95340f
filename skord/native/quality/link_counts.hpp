// How many characters of a page's text its links show.

#pragma once

#include <cstdint>

#include "text/arrow_texts.hpp"

namespace skord {

// The links of some pages: half-open ranges of characters, ascending within each page.
struct LinkSpans {
  Numbers<const int64_t> first_of;  // of each page, and the end
  Numbers<const int32_t> starts, ends;
};

// Which lines of some pages are kept: a byte each, not 0 where one is.
struct LineVerdicts {
  Numbers<const uint8_t> kept;
  Numbers<const int64_t> first_of;
};

// Counts the characters of text that links show on the lines of `pages`, Markdown, that are kept.
// Tags and images, backslashes, and blanks beyond one are no text; an entity is one character.
// Throws std::invalid_argument where spans or verdicts are not there.
void count_linked(const ArrowTexts &pages, const LineVerdicts &verdicts, const LinkSpans &links,
                  Numbers<int64_t> linked);

}  // namespace skord
