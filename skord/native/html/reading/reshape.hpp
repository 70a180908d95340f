// A page's tree as its reader sees it: what a browser does not show goes, and what Markdown has to
// say in another way (formulas, code, lists, tables, shadow trees) gets one form each, whatever
// markup the page used. Cleaned markup and line context are both taken from the tree that is left.
//
// Elements keep their names, classes and ids, which line context describes; it is `tag` that is
// changed, and so what an element becomes in cleaned markup.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "html/tree.hpp"

namespace skord::html {

class StyleSheets;

// All of it, in the order that the parts need. Linear in the size of the tree.
void reshape(Tree &tree);

// Declarative shadow roots take the place of their hosts' children, which go to the slots
// (WHATWG DOM, section 4.2.2.4).
void show_shadow_trees(Tree &tree);

// MathML, KaTeX, MathJax 2 and 3, and pictures of formulas become `<math>` with TeX as their text,
// `display="block"` where they stand alone.
void reshape_formulas(Tree &tree);

// What no reader sees goes: elements that are hidden, readings of ruby, furniture for readers of
// screens, `<noscript>`, and the text of a page that is a question for consent and nothing else.
void remove_unseen(Tree &tree, const StyleSheets &sheets);

// Blocks of code become `<pre>` with text alone, their language as `class="language-x"`.
void reshape_code(Tree &tree);

// Lists hold items alone, and items know their numbers where these do not follow from the first.
void reshape_lists(Tree &tree);

// Tables of data get as many cells in each row, each with text alone; others become boxes.
void reshape_tables(Tree &tree);

// Inline elements that are drawn as blocks are such; ends of lines that mean something are breaks
// or ends of paragraphs, others within a text of East Asian letters are nothing.
void reshape_text(Tree &tree, const StyleSheets &sheets);

// Lists, quotations, tables and styles that stand deeper than any reader could follow become boxes.
void limit_depth(Tree &tree);

// --- What the parts share ---

inline bool is_element(const Node *node) { return node->kind == Kind::element; }

// Whether cleaning leaves nothing of it.
inline bool is_gone(const Node *node) {
  return node->kind == Kind::comment || node->kind == Kind::doctype ||
         node->kind == Kind::instruction || (is_element(node) && is(node->tag, kRemoved));
}

// The node behind another in the order of the source, passing over what is gone.
inline Node *seen_after(const Node *node, const Node *root) { return node_after(node, root, !is_gone(node)); }

// The first node of a tree that is asked for, in the order of the source; null where none of the first
// `most` is.
template <class AnyNode, class IsIt>
AnyNode *find_node(AnyNode *root, IsIt is_it, size_t most = std::string::npos) {
  for (AnyNode *node = root; node && most > 0; node = node_after(node, root), --most) {
    if (is_it(node)) return node;
  }
  return nullptr;
}

// What words in an element's class say, as programs for style sheets and for formulas write them.
enum ClassSign : uint16_t {
  kScreenReader = 1,  // it is said to readers of screens alone
  kRow = 2,           // what it holds stands beside one another
  kDrawnAsBlock = 4,
  kBlockOfSpan = 8,   // a block where it is a span
  kKatex = 16,
  kWikiFormula = 32,
  kFormulaSource = 64,
  kMathJax = 128,     // within a word: drawn by MathJax
  kSignsRead = 256,   // the class has been read
};

uint16_t signs_in_class(std::string_view name);
inline bool has_sign(Node *node, uint16_t sign) {
  if (!(node->class_signs & kSignsRead)) node->class_signs = kSignsRead | signs_in_class(value_of(node, "class"));
  return node->class_signs & sign;
}

// Whether an attribute's words, parted by blanks, hold one.
bool has_word(std::string_view words, std::string_view word);
inline bool has_class(const Node *node, std::string_view name) {
  return has_word(value_of(node, "class"), name);
}
template <class List>
bool has_any_word(std::string_view words, const List &list) {
  return std::any_of(std::begin(list), std::end(list), [&](std::string_view word) { return has_word(words, word); });
}

// Whether a text holds one of some words in lower case, each of three bytes or more: it is searched once.
template <const auto &words>
bool holds_any(std::string_view text) {
  struct Starts {
    uint32_t of[1024] = {};  // by the first two bytes, a bit for each third; of capitals and small letters the same
    static constexpr uint32_t low(char c) { return static_cast<uint8_t>(c) % 32u; }
    constexpr Starts() {
      for (const std::string_view word : words) of[low(word[0]) * 32 + low(word[1])] |= uint32_t(1) << low(word[2]);
    }
    constexpr bool has(const char *at) const { return of[low(at[0]) * 32 + low(at[1])] >> low(at[2]) & 1; }
  };
  static constexpr Starts kStarts;
  for (size_t at = 0; at + 2 < text.size(); ++at) {
    if (!kStarts.has(text.data() + at)) continue;
    for (const std::string_view word : words) {
      if (begins_lowered(text.substr(at), word)) return true;
    }
  }
  return false;
}

// What an inline style says of a property, in lower case; "" for nothing.
std::string value_in_style(std::string_view style, std::string_view property);
inline std::string style_value(const Node *node, std::string_view property) {
  const std::string_view style = value_of(node, "style");
  return style.empty() ? std::string() : value_in_style(style, property);
}

// The text below a node that cleaning would leave, up to the piece that makes it `most` bytes long.
std::string text_of(const Node *node, size_t most = std::string::npos);

Node *make_element(Tree &tree, Tag tag);
Node *make_text(Tree &tree, std::string_view text);  // which is copied
void set_attribute(Tree &tree, Node *node, std::string_view name, std::string_view value);
void append(Node *parent, Node *child);  // which is taken from where it is
void move_children(Node *from, Node *to);
void move_before(Node *node, Node *place);
void remove_children(Node *node);
void replace_with(Node *old, Node *made);

// Whether a picture is of one pixel: it counts readers and shows nothing.
bool is_tracking_image(const Node *image);

inline bool is_block(const Node *node) { return is(node->tag, kBlock); }

}  // namespace skord::html
