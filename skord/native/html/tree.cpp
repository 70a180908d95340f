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
  for (uint32_t at = 0; at < node->attribute_count; ++at) {
    if (node->attributes[at].name == name) return node->attributes + at;
  }
  return nullptr;
}

void add_escaped(std::string &out, std::string_view text, bool in_value) {
  size_t done = 0;
  const auto replace = [&](size_t at, size_t size, std::string_view with) {
    out.append(text.substr(done, at - done)).append(with);
    done = at + size;
  };
  for (size_t at = 0; at < text.size(); ++at) {
    switch (text[at]) {
      case '&': replace(at, 1, "&amp;"); break;
      case '<': replace(at, 1, "&lt;"); break;
      case '>': replace(at, 1, "&gt;"); break;
      case '"':
        if (in_value) replace(at, 1, "&quot;");
        break;
      case '\xC2':
        if (at + 1 < text.size() && text[at + 1] == '\xA0') replace(at, 2, "&nbsp;");
        break;
      default: break;
    }
  }
  out.append(text.substr(done));
}

namespace {

void add_start_tag(std::string &out, const Node *node) {
  out.append("<").append(node->text);
  for (uint32_t at = 0; at < node->attribute_count; ++at) {
    out.append(" ").append(node->attributes[at].name).append("=\"");
    add_escaped(out, node->attributes[at].value, true);
    out.append("\"");
  }
  out.append(">");
}

bool is_raw(const Node *text) {
  return text->parent->kind == Kind::element && is(text->parent->tag, kRaw);
}

void add_node(std::string &out, const Node *node) {
  switch (node->kind) {
    case Kind::element: add_start_tag(out, node); break;
    case Kind::comment: out.append("<!--").append(node->text).append("-->"); break;
    case Kind::instruction: out.append("<?").append(node->text).append("?>"); break;
    case Kind::doctype: out.append("<!DOCTYPE ").append(node->text).append(">"); break;
    case Kind::text:
      if (is_raw(node)) out.append(node->text);
      else add_escaped(out, node->text, false);
      break;
    case Kind::document: break;
  }
}

}  // namespace

std::string serialized(const Tree &tree) {
  std::string out;
  const auto left = [&](const Node *node) {
    if (node->kind != Kind::element || (node->space == Space::html && is(node->tag, kVoid))) return;
    out.append("</").append(node->text).append(">");
  };
  // Along the links and without recursion: pages nest deeper than a stack of calls may.
  for (const Node *node = tree.document; node;
       node = node_after(node, tree.document, true, left)) {
    add_node(out, node);
  }
  return out;
}

}  // namespace skord::html
