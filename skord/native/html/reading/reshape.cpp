#include "html/reading/reshape.hpp"

#include <algorithm>

#include "html/reading/style_sheets.hpp"

namespace skord::html {

namespace {

// Each level of these indents the lines within, which a page of many levels would make too long.
constexpr int kMostHolders = 40;
constexpr int kMostStyles = 60;

bool is_pushed_style(const Node *node) {
  return node->space == Space::html && is_one_of(node->tag, {Tag::b_, Tag::strong_, Tag::i_, Tag::em_, Tag::s_,
                                                             Tag::strike_, Tag::del_});
}

// Whether a block stands in an element, and no more than a style would be put around.
bool holds_blocks(const Node *root) {
  constexpr size_t kMostNodes = 500, kMostBytes = 5'000;
  size_t nodes = 0, bytes = 0;
  bool has_block = false;
  for (const Node *node = root->first; node; node = seen_after(node, root)) {
    bytes += node->text.size();
    if (++nodes > kMostNodes || bytes > kMostBytes) return false;
    has_block = has_block || is_block(node);
  }
  return has_block;
}

// Puts a style around each run of what stands in lines, but for headings, code and tables.
void push_into(Tree &tree, Node *parent, Tag style) {
  Node *run = nullptr;
  for (Node *child = parent->first; child;) {
    Node *next = child->next;
    if (is_block(child) || (is_element(child) && child->first && holds_blocks(child))) {
      run = nullptr;
      const std::string_view name = facts_of(child->tag).cleaned;
      if (!is_heading(child->tag) && name != "pre" && name != "table") push_into(tree, child, style);
    } else if (!is_gone(child) && (run || child->kind != Kind::text || !is_blank_text(child->text))) {
      if (!run) {
        run = make_element(tree, style);
        insert_before(parent, run, child);
      }
      append(run, child);
    }
    child = next;
  }
}

// A style around paragraphs is one of each of them: Markdown's end with the paragraph.
void push_styles(Tree &tree) {
  for (Node *node = tree.document; node; node = seen_after(node, tree.document)) {
    if (!node->first || !is_pushed_style(node) || !holds_blocks(node)) continue;
    const Tag style = node->tag;
    node->tag = Tag::span_;
    push_into(tree, node, style);
  }
}

struct ClassWord {
  std::string_view word;
  uint16_t signs;
};

constexpr ClassWord kClassWords[] = {
    {"sr-only", kScreenReader}, {"visually-hidden", kScreenReader}, {"visuallyhidden", kScreenReader},
    {"screen-reader-text", kScreenReader}, {"element-invisible", kScreenReader},
    {"u-visually-hidden", kScreenReader}, {"show-for-sr", kScreenReader},
    {"screen-reader-only", kScreenReader}, {"sr-text", kScreenReader},
    {"flex", kRow}, {"d-flex", kRow}, {"grid", kRow}, {"d-grid", kRow}, {"inline-flex", kRow},
    {"d-block", kDrawnAsBlock}, {"block", kBlockOfSpan}, {"katex", kKatex}, {"mwe-math-element", kWikiFormula},
    {"math", kFormulaSource}, {"arithmatex", kFormulaSource}, {"tex2jax_process", kFormulaSource}};

// Whether any of these words begins so and is as long.
struct ClassStarts {
  bool of[32][32] = {};
  constexpr ClassStarts() {
    for (const ClassWord &one : kClassWords) of[one.word[0] & 31][one.word.size()] = true;
  }
};
constexpr ClassStarts kClassStarts;

}  // namespace

uint16_t signs_in_class(std::string_view name) {
  uint16_t signs = 0;
  bool has_x = false;  // as all that MathJax writes has
  for (size_t at = 0; at < name.size(); ++at) {
    const size_t start = at;
    for (; at < name.size() && !is_space(name[at]); ++at) has_x |= (name[at] | 32) == 'x';
    const std::string_view word = name.substr(start, at - start);
    if (word.empty() || word.size() > 31 || !kClassStarts.of[word[0] & 31][word.size()]) continue;
    for (const ClassWord &one : kClassWords) signs |= one.word == word ? one.signs : 0;
  }
  if (has_x) {
    for (const std::string_view part : {"MathJax", "mjx-chtml", "MJXc-display"}) {
      if (name.find(part) != name.npos) signs |= kMathJax;
    }
  }
  return signs;
}

void reshape(Tree &tree) {
  show_shadow_trees(tree);
  reshape_formulas(tree);
  const StyleSheets sheets(tree);
  remove_unseen(tree, sheets);
  reshape_code(tree);
  reshape_text(tree, sheets);
  reshape_lists(tree);
  reshape_tables(tree);
  push_styles(tree);
  limit_depth(tree);
}

void limit_depth(Tree &tree) {
  int holders = 0, styles = 0;
  std::vector<std::pair<const Node *, bool>> counted;  // what is open; whether it is a holder
  const auto left = [&](const Node *node) {
    if (counted.empty() || counted.back().first != node) return;
    (counted.back().second ? holders : styles) -= 1;
    counted.pop_back();
  };
  for (Node *node = tree.document; node; node = node_after(node, tree.document, !is_gone(node), left)) {
    if (is(node->tag, kHolder)) {
      if (holders >= kMostHolders) {
        node->tag = Tag::div_;
      } else if (node->first) {
        ++holders;
        counted.emplace_back(node, true);
      }
    } else if (is(node->tag, kHolderPart) && holders >= kMostHolders && node->parent &&
               (node->parent->tag == Tag::div_ || node->parent->tag == Tag::tbody_)) {
      node->tag = Tag::div_;
    } else if (is(node->tag, kStyle)) {
      if (styles >= kMostStyles) {
        node->tag = Tag::span_;
      } else if (node->first) {
        ++styles;
        counted.emplace_back(node, false);
      }
    }
  }
}

bool has_word(std::string_view words, std::string_view word) {
  for (size_t at = words.find(word); at != words.npos; at = words.find(word, at + 1)) {
    const size_t end = at + word.size();
    if ((at == 0 || is_space(words[at - 1])) && (end == words.size() || is_space(words[end]))) {
      return true;
    }
  }
  return false;
}

std::string value_in_style(std::string_view style, std::string_view property) {
  std::string_view found;  // the last one holds
  for_each_part(style, ';', [&](std::string_view rule) {
    const size_t colon = rule.find(':');
    if (colon == rule.npos || !is_lowered(stripped(rule.substr(0, colon)), property)) return;
    const std::string_view value = rule.substr(colon + 1);
    found = stripped(value.substr(0, value.find('!')));
  });
  return lowered(found);
}

std::string text_of(const Node *root, size_t most) {
  std::string text;
  for (const Node *node = root; node && text.size() < most; node = seen_after(node, root)) {
    if (node->kind == Kind::text) text.append(node->text);
  }
  return text;
}

Node *make_element(Tree &tree, Tag tag) {
  Node *node = tree.make(Kind::element, facts_of(tag).name);
  node->tag = tag;
  return node;
}

Node *make_text(Tree &tree, std::string_view text) {
  return tree.make(Kind::text, tree.arena.keep(text));
}

void set_attribute(Tree &tree, Node *node, std::string_view name, std::string_view value) {
  value = tree.arena.keep(value);
  for (Attribute &attribute : node->all_attributes()) {
    if (attribute.name != name) continue;
    attribute.value = value;
    return;
  }
  Attribute *attributes = tree.arena.make<Attribute>(node->attribute_count + 1);
  std::copy(node->attributes, node->attributes + node->attribute_count, attributes);
  attributes[node->attribute_count] = {tree.arena.keep(name), value};
  node->attributes = attributes;
  ++node->attribute_count;
  node->name_bits |= name_bit(name);
}

void append(Node *parent, Node *child) {
  remove(child);
  insert_before(parent, child, nullptr);
}

void move_children(Node *from, Node *to) {
  while (from->first) append(to, from->first);
}

void move_before(Node *node, Node *place) {
  remove(node);
  insert_before(place->parent, node, place);
}

void remove_children(Node *node) {
  while (node->first) remove(node->first);
}

void replace_with(Node *old, Node *made) {
  Node *parent = old->parent, *next = old->next;
  remove(old);
  remove(made);
  insert_before(parent, made, next);
}

bool is_tracking_image(const Node *image) {
  for (const std::string_view name : {"width", "height"}) {
    const std::string_view size = value_of(image, name);
    if (size == "0" || size == "1" || size == "0px" || size == "1px") return true;
  }
  return false;
}

}  // namespace skord::html
