// Making nodes and putting them where they belong (WHATWG HTML 13.2.6.1).

#include <algorithm>
#include <string>

#include "html/letters.hpp"
#include "html/tree_construction/builder.hpp"

namespace skord::html {

namespace {

constexpr size_t kBudget = 100'000'000;  // a fraction of a second

}  // namespace

Builder::Builder(std::string_view source, Tree &tree)
    : tree_(tree), tokenizer_(source, tree.arena), budget_(kBudget) {
  tree_.document = tree_.make(Kind::document);
}

// "The appropriate place for inserting a node", with foster parenting.
Builder::Place Builder::insertion_place(Node *target) {
  if (!target) target = current();
  const bool is_of_table =
      target->space == Space::html &&
      is_one_of(target->tag, {Tag::table_, Tag::tbody_, Tag::tfoot_, Tag::thead_, Tag::tr_});
  if (!is_fostering_ || !is_of_table) return {target, nullptr};
  for (size_t at = stack_.size(); at-- > 0; charge(1)) {
    Node *node = stack_[at];
    if (node->is_html(Tag::template_)) return {node, nullptr};
    if (!node->is_html(Tag::table_)) continue;
    // Foster parenting: what may not stand in a table goes before it.
    if (node->parent) return {node->parent, node};
    return {stack_[at - 1], nullptr};
  }
  return {stack_[0], nullptr};
}

Node *Builder::make_element(const Token &token, Space space) {
  Node *node = tree_.make(Kind::element, token.text);
  node->tag = token.tag;
  node->has_odd_name = token.has_odd_name;
  tree_.has[static_cast<size_t>(token.tag)] = true;
  node->space = space;
  node->attribute_count = static_cast<uint32_t>(token.attributes.size());
  if (node->attribute_count) {
    node->attributes = tree_.arena.make<Attribute>(node->attribute_count);
    std::copy(token.attributes.begin(), token.attributes.end(), node->attributes);
  }
  if (space != Space::html) adjust_names(node);
  for (const Attribute &attribute : node->all_attributes()) node->name_bits |= name_bit(attribute.name);
  return node;
}

// Attributes are never changed but those of `html` and `body`, so copies may share them.
Node *Builder::make_like(const Node *node) {
  Node *copy = tree_.make(Kind::element, node->text);
  copy->tag = node->tag;
  copy_attributes(node, copy);
  return copy;
}

Node *Builder::insert_element(const Token &token, Space space) {
  Node *node = make_element(token, space);
  const Place place = insertion_place();
  insert_before(place.parent, node, place.before);
  push(node);
  return node;
}

Node *Builder::insert_named(Tag tag) {
  Token token;
  token.tag = tag;
  token.text = facts_of(tag).name;
  return insert_element(token);
}

// Texts that follow each other become one node; it grows where it lies as long as it can.
void Builder::insert_text(std::string_view text) {
  if (text.empty()) return;
  const Place place = insertion_place();
  if (place.parent->kind == Kind::document) return;
  Node *before = place.before ? place.before->prev : place.parent->last;
  if (!before || before->kind != Kind::text) {
    insert_before(place.parent, tree_.make(Kind::text, text), place.before);
    return;
  }
  std::string_view &old = before->text;
  // They lie one behind the other, as pieces of the source do: longer without a copy. There is
  // no room from now on, for what lies behind is not of this text.
  if (old.data() + old.size() == text.data()) {
    old = {old.data(), old.size() + text.size()};
    before->room = 0;
    return;
  }
  const size_t size = old.size() + text.size();
  char *out = const_cast<char *>(old.data());  // ours where there is room
  if (size > before->room) {
    // Twice what is needed, or a text of many pieces would be copied for each of them.
    out = tree_.arena.take(2 * size);
    std::copy(old.begin(), old.end(), out);
    before->room = static_cast<uint32_t>(std::min<size_t>(2 * size, UINT32_MAX));
  }
  std::copy(text.begin(), text.end(), out + old.size());
  old = {out, size};
}

void Builder::insert_comment(const Token &token, Node *parent) {
  const Place place = parent ? Place{parent, nullptr} : insertion_place();
  const Kind kind = token.is_instruction ? Kind::instruction : Kind::comment;
  insert_before(place.parent, tree_.make(kind, token.text), place.before);
}

void Builder::insert_raw(const Token &token, Tokenizer::Content content) {
  insert_element(token);
  tokenizer_.read_content_of(token.text, content);
  return_mode_ = mode_;
  mode_ = Mode::text;
}

// What a second `<html>` or `<body>` adds to the first.
void Builder::merge_attributes(Node *node, const Token &token) {
  node->has_odd_name |= token.has_odd_name;
  for (const Attribute &attribute : token.attributes) {
    charge(node->attribute_count + 1);
    if (attribute_of(node, attribute.name)) continue;
    if (node->attribute_count >= node->room) {  // doubles, or many would cost their square
      node->room = 2 * node->attribute_count + 4;
      Attribute *more = tree_.arena.make<Attribute>(node->room);
      std::copy(node->attributes, node->attributes + node->attribute_count, more);
      node->attributes = more;
    }
    node->attributes[node->attribute_count++] = attribute;
    node->name_bits |= name_bit(attribute.name);
  }
}

std::string_view Builder::without_nul(std::string_view text) {
  if (text.find('\0') == text.npos) return text;
  return tree_.arena.keep(with_replaced(text, {"", 1}, ""));
}

bool is_hidden_input(const Token &token) {
  return std::any_of(token.attributes.begin(), token.attributes.end(), [](const Attribute &one) {
    return one.name == "type" && is_lowered(one.value, "hidden");
  });
}

bool Builder::insert_spaces(std::string_view &text) {
  const size_t size = text.size() - without_spaces(text).size();
  insert_text(text.substr(0, size));
  text.remove_prefix(size);
  return text.empty();
}

}  // namespace skord::html
