#include <unordered_map>
#include <unordered_set>

#include "html/reading/reshape.hpp"

namespace skord::html {

namespace {

Node *shadow_root_of(const Node *host) {
  for (Node *child = host->first; child; child = child->next) {
    if (!child->is_html(Tag::template_)) continue;
    const std::string mode = lowered(value_of(child, "shadowrootmode"));
    if (mode == "open" || mode == "closed") return child;
  }
  return nullptr;
}

bool is_slot(const Node *node) { return is_element(node) && node->text == "slot"; }

// Hands a host's children to the slots of its shadow tree, the first of each name, and puts that
// tree in their place. Children without a slot are not shown; a slot without children shows its own.
void show(Node *host, Node *root) {
  remove(root);
  std::unordered_map<std::string_view, Node *> slots;
  for (Node *node = root->first; node;
       node = next_node(node, root, !node->is_html(Tag::template_))) {
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

}  // namespace

void show_shadow_trees(Tree &tree) {
  for (Node *node = tree.document; node;
       node = next_node(node, tree.document, !node->is_html(Tag::template_))) {
    if (!is_element(node) || node->is_html(Tag::template_)) continue;
    if (Node *root = shadow_root_of(node)) show(node, root);
  }
}

}  // namespace skord::html
