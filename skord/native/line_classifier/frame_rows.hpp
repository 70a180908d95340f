// Rows of a page's frame: `skord.models.line_classifier.features.rows`.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "bindings/numbers.hpp"

namespace skord {

// From when on a line is such a row.
struct RowLimits {
  int64_t longest_controls;     // words
  float controlled, linked;     // shares
  int64_t signs;                // between links
  float trail;                  // share of links
  float options;                // share of controls
  int64_t words_a_sentence;
  float leading_away;           // share of links
};

// A page's visible lines: their numbers, how many words each has, shares of these in links and in
// controls, and whether it stands in a menu or the like.
struct RowLines {
  Numbers<const int64_t> visible, words;
  Numbers<const float> links, controls;
  Numbers<const uint8_t> framed;
};

// For each visible line 1 if it stands in a menu, is a row of controls, of links and signs, a trail,
// a list of options, or, where `leads_away` says so, leads away; else 0. Throws std::invalid_argument
// where numbers do not fit one another.
std::string framing_rows(std::string_view plain, const RowLines &rows, bool leads_away,
                         const RowLimits &limits);

}  // namespace skord
