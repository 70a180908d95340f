#include "line_classifier/element_tree.hpp"

#include <algorithm>
#include <cmath>

namespace skord {

namespace {

// What an element holds: words, words in links, words of running text, lines.
struct Held {
  double words = 0, linked = 0, good = 0, lines = 0;

  void add(const Held &other) {
    words += other.words;
    linked += other.linked;
    good += other.good;
    lines += other.lines;
  }
};

bool is_tree(const Elements &elements) {
  const size_t size = elements.parents.size;
  if (size == 0 || elements.flags.size != size || elements.alike.size != size) return false;
  if (elements.kinds.size != size) return false;
  if (elements.token_starts.size != size + 1) return false;
  for (size_t at = 0; at < size; ++at) {
    // Parents come first, so that every way upwards ends: no other check for cycles is needed.
    if (elements.parents[at] >= int64_t(at)) return false;
    if (elements.alike[at] < 0 || elements.alike[at] >= int64_t(size)) return false;
  }
  return true;
}

bool fit(const ElementLines &lines, size_t num_elements) {
  const auto is_line = [&](int64_t line) {
    return line >= 0 && line < int64_t(lines.elements.size) &&
           lines.elements[size_t(line)] < int64_t(num_elements);
  };
  return lines.visible.size == lines.words.size && lines.elements.size == lines.links.size &&
         std::all_of(lines.visible.begin(), lines.visible.end(), is_line);
}

// A line whose element is not known counts to that of the line before, the first to 0.
void find_leaves(const ElementLines &lines, size_t num_elements, Tree &tree) {
  std::vector<int64_t> place(num_elements, -1);
  size_t owner = 0;
  for (size_t line = 0; line < lines.size(); ++line) {
    if (lines.element(line) >= 0) owner = size_t(lines.element(line));
    place[owner] = 0;
    tree.leaves.push_back(int64_t(owner));
  }
  for (size_t element = 0; element < num_elements; ++element) {
    if (place[element] < 0) continue;
    place[element] = int64_t(tree.used.size());
    tree.used.push_back(element);
  }
  for (int64_t &leaf : tree.leaves) leaf = place[size_t(leaf)];
}

void find_paths(Numbers<const int32_t> parents, Tree &tree) {
  tree.depth.resize(parents.size);
  constexpr size_t kMostSteps = size_t(1) << 25;  // of all paths: 5,000 deep by 6,700 leaves
  tree.path_starts.push_back(0);
  for (const size_t leaf : tree.used) {
    must_fit(tree.path.size() < kMostSteps);
    int64_t step = 0;
    for (int64_t at = int64_t(leaf); at >= 0; at = parents[size_t(at)]) {
      tree.path.push_back(at);
      tree.steps.push_back(step++);
    }
    const auto end = int64_t(tree.path.size());
    for (int64_t at = tree.path_starts.back(); at < end; ++at) {
      // Every leaf below an element writes the same number: its steps from the outermost one.
      tree.depth[size_t(tree.path[size_t(at)])] = end - 1 - at;
    }
    tree.path_starts.push_back(end);
  }
}

void find_sizes(const ElementLines &lines, const TreeSettings &settings, Tree &tree) {
  std::vector<Held> of_leaf(tree.used.size()), of(tree.depth.size());
  Held whole;
  for (size_t line = 0; line < lines.size(); ++line) {
    const double words = double(lines.words[line]), linked = words * double(lines.linked(line));
    const bool is_good = lines.words[line] >= settings.good_words &&
                         lines.linked(line) < settings.good_links;
    const Held its{words, linked, is_good ? words : 0, 1};
    of_leaf[size_t(tree.leaves[line])].add(its);
    whole.add(its);
  }
  for (size_t leaf = 0; leaf < tree.used.size(); ++leaf) {
    for (int64_t at = tree.path_starts[leaf]; at < tree.path_starts[leaf + 1]; ++at) {
      of[size_t(tree.path[size_t(at)])].add(of_leaf[leaf]);
    }
  }
  for (const Held &held : of) {
    // Where there are no words, the shares are 0 over 1.
    const double some = std::max(held.words, 1.0);
    tree.sizes.push_back(
        {float(std::log1p(held.words)), float(held.linked / some),
         float(held.good / std::max(whole.good, 1.0)), float(std::log1p(held.lines)),
         float(held.good / some), float(held.words / std::max(whole.words, 1.0))});
  }
}

}  // namespace

Tree tree_of(const Elements &elements, const ElementLines &lines, const TreeSettings &settings) {
  must_fit(is_tree(elements) && fit(lines, elements.parents.size) && settings.num_flags < 64);
  must_fit(settings.up < 256 && settings.up_flags < 256 && settings.menu_steps < 256 && settings.main_shares.size() < 256);
  Tree tree;
  find_leaves(lines, elements.parents.size, tree);
  find_paths(elements.parents, tree);
  find_sizes(lines, settings, tree);
  return tree;
}

}  // namespace skord
