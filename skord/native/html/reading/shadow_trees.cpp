#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "html/reading/reshape.hpp"

namespace skord::html {

namespace {

Node *shadow_root_of(const Node *host) {
  for (Node *child = host->first; child; child = child->next) {
    if (!child->is_html(Tag::template_)) continue;
    const std::string_view mode = value_of(child, "shadowrootmode");
    if (is_lowered(mode, "open") || is_lowered(mode, "closed")) return child;
  }
  return nullptr;
}

bool is_slot(const Node *node) { return is_element(node) && node->text == "slot"; }

// Hands a host's children to the slots of its shadow tree, the first of each name, and puts that
// tree in their place. Children without a slot are not shown; a slot without children shows its own.
void show(Node *host, Node *root) {
  remove(root);
  std::unordered_map<std::string_view, Node *> slots;
  for (Node *node = root->first; node; node = node_after(node, root, !node->is_html(Tag::template_))) {
    if (is_slot(node)) slots.emplace(value_of(node, "name"), node);
  }
  std::unordered_set<const Node *> filled;
  while (Node *child = host->first) {
    remove(child);
    const auto slot = slots.find(is_element(child) ? value_of(child, "slot") : "");
    if (slot == slots.end()) continue;
    const bool says_nothing =
        !is_element(child) && (child->kind != Kind::text || is_blank_text(child->text));
    if (filled.count(slot->second) == 0) {
      if (says_nothing) continue;
      remove_children(slot->second);
      filled.insert(slot->second);
    }
    append(slot->second, child);
  }
  move_children(root, host);
}

// Parts of a page that came late: a script would put what is in `<div hidden id="S:1">` where
// `<template id="B:1">` stands, as React's servers write it.
void show_streamed_parts(Tree &tree) {
  std::unordered_map<std::string_view, Node *> places;
  std::vector<Node *> parts;
  for (Node *node = tree.document; node; node = node_after(node, tree.document)) {
    if (!is_element(node)) continue;
    const std::string_view id = value_of(node, "id");
    if (starts_with(id, "B:") && node->is_html(Tag::template_)) places.emplace(id.substr(2), node);
    if (starts_with(id, "S:") && attribute_of(node, "hidden")) parts.push_back(node);
  }
  for (Node *part : parts) {
    const auto place = places.find(value_of(part, "id").substr(2));
    if (place == places.end() || !place->second->parent) continue;
    bool is_inside = false;
    for (const Node *around = place->second; around && !is_inside; around = around->parent) is_inside = around == part;
    if (is_inside) continue;
    while (part->first) move_before(part->first, place->second);
  }
}

}  // namespace

void show_shadow_trees(Tree &tree) {
  if (!tree.has_any(Tag::template_)) return;
  show_streamed_parts(tree);
  for (Node *node = tree.document; node; node = node_after(node, tree.document, !node->is_html(Tag::template_))) {
    if (!is_element(node) || node->is_html(Tag::template_)) continue;
    if (Node *root = shadow_root_of(node)) show(node, root);
  }
}

}  // namespace skord::html
