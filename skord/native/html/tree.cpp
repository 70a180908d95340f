#include "tree.hpp"

namespace skord::html {

void insert_before(Node *parent, Node *node, Node *before) {
  node->parent = parent;
  node->next = before;
  node->prev = before ? before->prev : parent->last;
  (node->prev ? node->prev->next : parent->first) = node;
  (before ? before->prev : parent->last) = node;
}

void remove(Node *node) {
  if (!node->parent) return;
  (node->prev ? node->prev->next : node->parent->first) = node->next;
  (node->next ? node->next->prev : node->parent->last) = node->prev;
  node->parent = node->prev = node->next = nullptr;
}

const Attribute *find_attribute(const Node *node, std::string_view name) {
  for (const Attribute &attribute : node->all_attributes()) {
    if (attribute.name == name) return &attribute;
  }
  return nullptr;
}

void copy_attributes(const Node *from, Node *to) {
  to->attributes = from->attributes;
  to->attribute_count = from->attribute_count;
  to->name_bits = from->name_bits;
  to->has_odd_name = from->has_odd_name;
}

}  // namespace skord::html
