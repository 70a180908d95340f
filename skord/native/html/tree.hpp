// A page as a tree of nodes, as WHATWG HTML 13.2 builds it.

#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "arena.hpp"
#include "bindings/numbers.hpp"
#include "page.hpp"
#include "tags.hpp"

namespace skord::html {

enum class Kind : uint8_t { document, doctype, element, text, comment, instruction };
enum class Space : uint8_t { html, mathml, svg };

struct Attribute {
  std::string_view name, value;
};

// One of 32 bits for an attribute's name, by which an element says at once which names it lacks.
constexpr uint32_t name_bit(std::string_view name) {
  if (name.empty()) return 1;
  const auto first = static_cast<uint8_t>(name.front()), last = static_cast<uint8_t>(name.back());
  return uint32_t(1) << ((name.size() + 30 * first + 18 * last) % 32);
}

struct Node {
  Node *parent = nullptr, *first = nullptr, *last = nullptr, *prev = nullptr, *next = nullptr;
  std::string_view text;  // of a text, comment or instruction; the name of an element or doctype
  Attribute *attributes = nullptr;
  uint32_t attribute_count = 0;
  uint32_t name_bits = 0;  // `name_bit` of each attribute
  uint32_t room = 0;  // bytes that a text, or attributes that an element, may fill where they lie
  uint16_t class_signs = 0;  // what its classes say to html/reading/reshape.hpp
  Tag tag = Tag::unknown;
  Kind kind = Kind::element;
  Space space = Space::html;
  bool is_open = false;  // in the stack of open elements
  bool has_odd_name = false;  // its own, or an attribute's, is not of visible ASCII, or has a "="

  Numbers<Attribute> all_attributes() const { return {attributes, attribute_count}; }

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
  std::array<bool, static_cast<size_t>(Tag::count)> has{};  // which elements its source has

  bool has_any(Tag tag) const { return has[static_cast<size_t>(tag)]; }

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
const Attribute *find_attribute(const Node *node, std::string_view name);
inline const Attribute *attribute_of(const Node *node, std::string_view name) {
  return node->name_bits & name_bit(name) ? find_attribute(node, name) : nullptr;
}

// The value of an attribute; "" where there is none.
inline std::string_view value_of(const Node *node, std::string_view name) {
  const Attribute *attribute = attribute_of(node, name);
  return attribute ? attribute->value : std::string_view();
}

// Space of HTML (WHATWG Infra, "ASCII whitespace"); U+000D too, which references can make.
constexpr bool is_space(char c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\f' || c == '\r';
}

// Whether a text holds nothing but such space.
inline bool is_blank_text(std::string_view text) {
  for (const char c : text) {
    if (!is_space(c)) return false;
  }
  return true;
}

// A text without the spaces that it begins with.
inline std::string_view without_spaces(std::string_view text) {
  while (!text.empty() && is_space(text[0])) text.remove_prefix(1);
  return text;
}

void copy_attributes(const Node *from, Node *to);

// The node behind another in the order of the source, children first; null behind the last.
// `left` is called with each element that ends on the way.
template <class Left>
Node *node_after(const Node *node, const Node *root, bool go_down, Left left) {
  if (go_down && node->first) return node->first;
  for (; node != root; node = node->parent) {
    left(node);
    if (node->next) return node->next;
  }
  return nullptr;
}
inline Node *node_after(const Node *node, const Node *root, bool go_down = true) {
  return node_after(node, root, go_down, [](const Node *) {});
}

}  // namespace skord::html
