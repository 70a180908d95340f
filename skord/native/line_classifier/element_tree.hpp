// Where a page's lines stand in the tree of its elements, and the features that this gives them.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bindings/numbers.hpp"

namespace skord {

// The elements of a page.
struct Elements {
  Numbers<const int32_t> parents;  // of each, -1 for an outermost one
  Numbers<const int64_t> flags;    // of each
  Numbers<const int64_t> alike;    // of each the number of the first that is called alike
  Numbers<const int64_t> token_starts;  // where each one's tokens start, and the end of the last
  Numbers<const uint8_t> kinds;         // of each what it is to the text: `NotedKind`

  // Whether it says more than its tag.
  bool is_named(size_t at) const { return token_starts[at + 1] - token_starts[at] > 1; }
};

// The lines of a page.
struct ElementLines {
  Numbers<const int64_t> visible;   // numbers of the visible ones
  Numbers<const int64_t> words;     // how many each of these has
  Numbers<const int32_t> elements;  // of all lines: the innermost element, or -1
  Numbers<const uint8_t> links;     // of all lines: share of words in links, times 255

  size_t size() const { return visible.size; }
  int32_t element(size_t line) const { return elements[size_t(visible[line])]; }
  float linked(size_t line) const { return float(double(links[size_t(visible[line])]) / 255); }
};

// What is looked at; `skord.models.line_classifier.features.context` says what each is.
struct TreeSettings {
  size_t num_flags, up, up_flags;
  int64_t frames, menus;  // flags
  size_t menu_steps;
  int64_t menu_links, good_words;
  float good_links;
  std::vector<float> main_shares;
};

// What an element holds, as shares and logarithms: its words, those in links, its share of the
// page's running text, its lines, the share of running text in it, its share of the page's words.
using Sizes = std::array<float, 6>;
constexpr size_t kMainShare = 2;

// The elements around the visible lines. Leaves are those that hold one themselves, ascending.
struct Tree {
  std::vector<size_t> used;                        // the elements that are leaves
  std::vector<int64_t> leaves;                     // of each line
  std::vector<int64_t> path, steps, path_starts;   // from each leaf upwards
  std::vector<int64_t> depth;                      // of each element; 0 where it holds no line
  std::vector<Sizes> sizes;                        // of each element
};

// Throws std::invalid_argument where shapes or numbers do not fit one another, and for a parent
// that is not before its child.
Tree tree_of(const Elements &elements, const ElementLines &lines, const TreeSettings &settings);

// As `ContextFeatures` has them.
std::vector<float> leaf_rows(const Tree &tree, const Elements &elements,
                             const TreeSettings &settings);
std::vector<float> line_rows(const Tree &tree, const Elements &elements, const ElementLines &lines,
                             const TreeSettings &settings);
std::vector<int64_t> kin_of(const Tree &tree, const Elements &elements);
// Of each line the kinds of all elements around it; 0 where these are not known.
std::vector<uint8_t> kinds_of_lines(const Elements &elements, const ElementLines &lines);
std::vector<uint8_t> framed_lines(const Tree &tree, const Elements &elements,
                                  const ElementLines &lines, const TreeSettings &settings);

}  // namespace skord
