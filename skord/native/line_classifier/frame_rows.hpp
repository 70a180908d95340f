// Rows of a page's frame: `skord.models.line_classifier.features.rows`.

#pragma once

#include <cstdint>
#include <string>

#include "bindings/numbers.hpp"
#include "page_text/lines_of.hpp"

namespace skord {

// From when on a line is such a row.
struct RowLimits {
  int64_t longest_controls;     // words
  float controlled, linked;     // shares
  int64_t signs;                // between links
  float trail;                  // share of links
};

// For each visible line 1 if it is a row of controls, of links and signs, or a trail; else 0. Throws
// std::invalid_argument where numbers do not fit one another.
std::string framing_rows(const Lines &lines, Numbers<const int64_t> visible, Numbers<const int64_t> words,
                         Numbers<const float> links, Numbers<const float> controls,
                         const RowLimits &limits);

}  // namespace skord
