// A page as a tree of nodes, as WHATWG HTML 13.2 builds it.

#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "arena.hpp"
#include "page.hpp"
#include "tags.hpp"

namespace skord::html {

enum class Kind : uint8_t { document, doctype, element, text, comment, instruction };
enum class Space : uint8_t { html, mathml, svg };

struct Attribute {
  std::string_view name, value;
};

struct Node {
  Node *parent = nullptr, *first = nullptr, *last = nullptr, *prev = nullptr, *next = nullptr;
  std::string_view text;  // of a text, comment or instruction; the name of an element or doctype
  Attribute *attributes = nullptr;
  uint32_t attribute_count = 0;
  uint32_t room = 0;  // bytes that a text, or attributes that an element, may fill where they lie
  Tag tag = Tag::unknown;
  Kind kind = Kind::element;
  Space space = Space::html;
  bool is_open = false;  // in the stack of open elements

  // Whether it is the element of this name in HTML's namespace.
  bool is_html(Tag wanted) const { return tag == wanted && space == Space::html; }
};

// A page that would take more time or memory than any real one does.
struct Refused : std::runtime_error {
  Refused(Refusal reason, const std::string &said) : std::runtime_error(said), reason(reason) {}
  Refusal reason;
};

struct Tree {
  Arena arena;
  Node *document = nullptr;

  Node *make(Kind kind, std::string_view text = {}) {
    Node *node = arena.make<Node>();
    node->kind = kind;
    node->text = text;
    return node;
  }
};

// Puts a node, which has no parent, before another child, or last where that is null.
void insert_before(Node *parent, Node *node, Node *before);
void remove(Node *node);
const Attribute *attribute_of(const Node *node, std::string_view name);

// Space of HTML (WHATWG Infra, "ASCII whitespace"); U+000D too, which references can make.
inline bool is_space(char c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\f' || c == '\r';
}

// The markup of a tree, as WHATWG HTML 13.3 writes it.
std::string serialized(const Tree &tree);

// Adds a text with &, <, > and the no-break space escaped (13.3), for a value " as well.
void add_escaped(std::string &out, std::string_view text, bool in_value);

// The node behind another in the order of the source, children first; null behind the last.
// `left` is told of each element that ends on the way.
template <class Left>
const Node *node_after(const Node *node, const Node *root, bool go_down, Left left) {
  if (go_down && node->first) return node->first;
  for (; node != root; node = node->parent) {
    left(node);
    if (node->next) return node->next;
  }
  return nullptr;
}

}  // namespace skord::html
