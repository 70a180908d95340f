#include <algorithm>
#include <cmath>
#include <utility>

#include "line_classifier/element_tree.hpp"

namespace skord {

namespace {

// One of the elements that hold most of the running text, and how the leaves stand to it.
struct Main {
  size_t element = 0;
  std::vector<int64_t> common;  // of each leaf: elements around both, less one
  std::vector<bool> inside;     // of each leaf
  size_t first = 0, last = 0;   // lines inside
};

// The innermost element that holds a share of the running text; 0 where none does.
size_t main_element(const Tree &tree, float share) {
  size_t deepest = tree.sizes.size();
  for (size_t element = 0; element < tree.sizes.size(); ++element) {
    // Elements around one that holds a share hold it too: the innermost says where the text is.
    if (tree.sizes[element][kMainShare] < share) continue;
    const bool is_first = deepest == tree.sizes.size();
    if (is_first || tree.depth[element] > tree.depth[deepest]) deepest = element;
  }
  return deepest == tree.sizes.size() ? 0 : deepest;
}

void find_span(const Tree &tree, Main &main) {
  main.last = tree.leaves.size();
  bool is_first = true;
  for (size_t line = 0; line < tree.leaves.size(); ++line) {
    if (!main.inside[size_t(tree.leaves[line])]) continue;
    if (is_first) main.first = line;
    main.last = line;
    is_first = false;
  }
}

Main main_of(const Tree &tree, Numbers<const int32_t> parents, float share) {
  Main main{main_element(tree, share), {}, {}};
  std::vector<bool> around(tree.sizes.size());
  for (int64_t at = int64_t(main.element); at >= 0; at = parents[size_t(at)]) {
    around[size_t(at)] = true;
  }
  // The elements around both, less one: the depth of the innermost of them, from which the steps to
  // either side are counted. Parents come first.
  std::vector<int64_t> common;
  std::vector<bool> inside;
  for (size_t at = 0; at < around.size(); ++at) {
    const int32_t parent = parents[at];
    common.push_back((parent < 0 ? -1 : common[size_t(parent)]) + around[at]);
    inside.push_back(at == main.element || (parent >= 0 && inside[size_t(parent)]));
  }
  for (const size_t element : tree.used) {
    main.common.push_back(common[element]);
    main.inside.push_back(inside[element]);
  }
  find_span(tree, main);
  return main;
}

// Logarithms of 1 and more, up to the steps between any two elements.
std::vector<float> logs_of(const std::vector<int64_t> &depth) {
  std::vector<float> logs(size_t(*std::max_element(depth.begin(), depth.end())) + 2);
  for (size_t at = 0; at < logs.size(); ++at) logs[at] = float(std::log1p(double(at)));
  return logs;
}

// The bits of each byte as numbers.
struct Bits {
  float of[256][8];
  constexpr Bits() : of() {
    for (int byte = 0; byte < 256; ++byte) {
      for (int bit = 0; bit < 8; ++bit) of[byte][bit] = float(byte >> bit & 1);
    }
  }
};

constexpr Bits kBits;

float *add_flags(int64_t flags, size_t count, float *to) {
  for (; count >= 8; count -= 8, flags >>= 8) to = std::copy_n(kBits.of[flags & 255], 8, to);
  return std::copy_n(kBits.of[flags & 255], count, to);
}

// Of each element its flags and those of all around it.
std::vector<int64_t> flags_above(const Elements &elements) {
  std::vector<int64_t> flags(elements.flags.begin(), elements.flags.end());
  for (size_t at = 0; at < flags.size(); ++at) {
    if (elements.parents[at] >= 0) flags[at] |= flags[size_t(elements.parents[at])];
  }
  return flags;
}

}  // namespace

std::vector<float> leaf_rows(const Tree &tree, const Elements &elements,
                             const TreeSettings &settings) {
  const size_t num_flags = settings.num_flags, num_sizes = Sizes().size();
  const size_t width = settings.up * num_sizes + (settings.up_flags + 1) * num_flags;
  const std::vector<int64_t> above = flags_above(elements);
  std::vector<float> rows(tree.used.size() * width);
  float *to = rows.data();
  for (size_t leaf = 0; leaf < tree.used.size(); ++leaf) {
    const auto start = size_t(tree.path_starts[leaf]), end = size_t(tree.path_starts[leaf + 1]);
    for (size_t at = start; at < start + settings.up; ++at) {
      const size_t element = at < end ? size_t(tree.path[at]) : 0;
      if (at < end) std::copy_n(tree.sizes[element].begin(), num_sizes, to);
      to += num_sizes;
      if (at >= start + settings.up_flags) continue;
      to = add_flags(at < end ? elements.flags[element] : 0, num_flags, to);
    }
    to = add_flags(above[tree.used[leaf]], num_flags, to);
  }
  return rows;
}

std::vector<float> line_rows(const Tree &tree, const Elements &elements, const ElementLines &lines,
                             const TreeSettings &settings) {
  std::vector<Main> mains;
  for (const float share : settings.main_shares) {
    mains.push_back(main_of(tree, elements.parents, share));
  }
  const std::vector<float> logs = logs_of(tree.depth);
  std::vector<float> rows;
  rows.resize(lines.size() * (5 + 5 * mains.size()));
  float *to = rows.data();
  for (size_t line = 0; line < lines.size(); ++line) {
    const auto leaf = size_t(tree.leaves[line]);
    const int64_t depth = tree.depth[tree.used[leaf]];
    *to++ = lines.element(line) < 0;
    *to++ = lines.linked(line);
    *to++ = float(double(depth) / 10);
    for (const Main &main : mains) {
      *to++ = main.inside[leaf];
      *to++ = logs[size_t(tree.depth[main.element] - main.common[leaf])];
      *to++ = logs[size_t(depth - main.common[leaf])];
      *to++ = line < main.first;
      *to++ = line > main.last;
    }
    *to++ = line + 1 < lines.size() && size_t(tree.leaves[line + 1]) == leaf;
    *to++ = line > 0 && size_t(tree.leaves[line - 1]) == leaf;
  }
  return rows;
}

// Hashes of what elements are called, and, of those that say no more than their tag, of what these
// stand in, up to one that does: `<li>` of a menu is set otherwise than `<li>` of a recipe.
static std::vector<uint64_t> styles_of(const Elements &elements) {
  std::vector<uint64_t> styles;
  for (size_t at = 0; at < elements.parents.size; ++at) {
    const int32_t parent = elements.parents[at];
    const bool alone = parent < 0 || elements.is_named(at);
    const uint64_t around = alone ? 0 : styles[size_t(parent)];
    styles.push_back(split_mixed(around + uint64_t(elements.alike[at]) + 1));
  }
  return styles;
}

std::vector<int64_t> kin_of(const Tree &tree, const Elements &elements) {
  using Key = std::pair<uint64_t, int64_t>;
  const size_t count = tree.used.size();
  const std::vector<uint64_t> styles = styles_of(elements);
  std::vector<int64_t> kin(2 * count);
  for (const bool by_name : {false, true}) {
    std::vector<std::pair<Key, size_t>> keys;
    for (size_t leaf = 0; leaf < count; ++leaf) {
      const auto around = size_t(std::max(elements.parents[tree.used[leaf]], 0));
      keys.push_back({{by_name ? styles[around] : around, elements.alike[tree.used[leaf]]}, leaf});
    }
    // Leaves are the second part of what is sorted, so the first of equal keys is the first leaf.
    std::sort(keys.begin(), keys.end());
    for (size_t at = 0, first = 0; at < count; ++at) {
      if (keys[at].first != keys[first].first) first = at;
      kin[by_name * count + keys[at].second] = int64_t(keys[first].second);
    }
  }
  return kin;
}

std::vector<uint8_t> kinds_of_lines(const Elements &elements, const ElementLines &lines) {
  std::vector<uint8_t> around(elements.kinds.begin(), elements.kinds.end()), kinds;
  for (size_t at = 0; at < around.size(); ++at) {
    if (elements.parents[at] >= 0) around[at] |= around[size_t(elements.parents[at])];
  }
  for (size_t line = 0; line < lines.size(); ++line) {
    const int32_t element = lines.element(line);
    kinds.push_back(element < 0 ? 0 : around[size_t(element)]);
  }
  return kinds;
}

std::vector<uint8_t> framed_lines(const Tree &tree, const Elements &elements,
                                  const ElementLines &lines, const TreeSettings &settings) {
  const std::vector<int64_t> above = flags_above(elements);
  std::vector<bool> in_frame, in_menu;  // of each leaf
  for (size_t leaf = 0; leaf < tree.used.size(); ++leaf) {
    in_frame.push_back((above[tree.used[leaf]] & settings.frames) != 0);
    int64_t near = 0;
    const auto start = size_t(tree.path_starts[leaf]), end = size_t(tree.path_starts[leaf + 1]);
    for (size_t at = start; at < std::min(end, start + settings.menu_steps); ++at) {
      near |= elements.flags[size_t(tree.path[at])];
    }
    in_menu.push_back((near & settings.menus) != 0);
  }
  std::vector<uint8_t> framed;
  for (size_t line = 0; line < lines.size(); ++line) {
    const auto leaf = size_t(tree.leaves[line]);
    const bool is_linked = lines.links[size_t(lines.visible[line])] >= settings.menu_links;
    framed.push_back(in_frame[leaf] || (in_menu[leaf] && is_linked));
  }
  return framed;
}

}  // namespace skord
