// Logits of a page's lines after the network.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "bindings/numbers.hpp"

namespace skord {

// Logits as probabilities.
std::vector<float> chances_of(Numbers<const float> logits);

// How logits are drawn towards those of like lines; `skord.models.line_classifier.smoothing` says why.
struct Smoothing {
  Numbers<const double> shares;  // of the mean of each kind of group
  double rest, surest;           // share of the line itself; logits beyond it count as it
  float step;                    // to the next multiple of which results are rounded
};

// Groups are numbered below the number of lines, kind after kind. Throws std::invalid_argument where
// shapes or numbers do not fit one another.
std::vector<float> smoothed(Numbers<const float> logits, Numbers<const int64_t> words,
                            Numbers<const int64_t> groups, const Smoothing &smoothing);

// How lines are drawn up to their headings; `skord.models.line_classifier.smoothing` says why.
struct Drawing {
  float share, least, farthest, most_linked, step;
};

// Logits of the visible lines, `links` of whose words are links, drawn up to those of their headings.
// Throws as above.
std::vector<float> drawn_to_headings(std::string_view plain, Numbers<const int64_t> visible,
                                     Numbers<const float> logits, Numbers<const float> links,
                                     const Drawing &drawing);

// Logits of all lines from those of the visible ones, which are numbered ascending: a blank line has
// the greatest of the block before it. Throws as above.
std::vector<float> with_blank_lines(Numbers<const int64_t> lines, Numbers<const float> logits,
                                    size_t line_count, float blank);

}  // namespace skord
