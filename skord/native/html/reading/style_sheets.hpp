// What a page's own `<style>` elements say of how its elements are drawn, and whether they are.

#pragma once

#include <bitset>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "html/tree.hpp"

namespace skord::html {

enum class Hiding { none, by_display, by_visibility };

class StyleSheets {
 public:
  explicit StyleSheets(Tree &tree);

  // Of classes, by selectors that are one class and no more.
  bool draws_as_block(const Node *node) const { return has(blocks_, node); }
  bool draws_apart(const Node *node) const { return has(apart_, node); }
  bool draws_as_row(const Node *node) const { return has(rows_, node); }
  bool keeps_lines(const Node *node) const { return has(lined_, node); }

  // How the sheets hide an element, its inline style counted, by selectors of elements, classes and ids
  // (CSS Cascading 5, section 6). They do not where another rule shows it: one for a state, for what is
  // around it, or for some screens alone; so what scripts and hands unfold stays.
  Hiding hiding_of(const Node *node) const;

 private:
  // What a sheet says of the elements that a compound selector, such as `p.a#b`, matches.
  struct Rule {
    std::string_view compound;
    int weight = 0;           // importance and specificity
    bool is_escaped = false;  // the compound is one class or id with signs in it
    bool always = true;       // whether nothing else has to hold
    bool has_display = false, is_none = false, has_visibility = false, is_hidden = false;
  };
  using Names = std::unordered_set<std::string_view>;

  void read(std::string_view sheet, bool always);
  void take(std::string_view selectors, std::string_view body, bool always);
  void add(Rule rule, std::string_view selector);
  static bool has(const Names &names, const Node *node);
  static bool matches(const Rule &rule, const Node *node);
  static size_t sign_of(char mark, std::string_view word);
  template <class Take>
  static void for_names_of(const Node *node, Take take);

  Tree &tree_;
  Names blocks_, apart_, lined_, rows_;
  std::vector<Rule> rules_;
  std::unordered_map<std::string_view, std::vector<uint32_t>> by_name_;  // rules by `p`, `.a`, `#b`
  mutable size_t steps_ = 0;  // rules that were looked at: a hostile page would have many for many elements
  std::bitset<4096> hiding_names_;  // `sign_of` names in rules that hide
};

bool is_drawn_as_block(std::string_view display);
bool is_drawn_apart(std::string_view display);
// Whether what an element holds is drawn as boxes beside one another.
bool is_drawn_as_row(std::string_view display);
bool keeps_lines(std::string_view white_space);

}  // namespace skord::html
