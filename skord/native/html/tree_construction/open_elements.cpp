// The stack of open elements and the list of active formatting elements (WHATWG HTML 13.2.4.2, 3).

#include <algorithm>

#include "html/tree_construction/builder.hpp"

namespace skord::html {

namespace {

constexpr size_t kMostOpen = 5'000;        // the deepest of 3,256 real pages had 1,533
constexpr size_t kMostFormatting = 1'500;  // each is opened again in every later paragraph
constexpr size_t kElementCost = 200;       // steps that an element repeated without a tag counts

// What ends the search for an element in scope.
bool ends_scope(const Node *node) {
  return node->space == Space::html ? is(node->tag, kScope) : is_special(node);
}

bool have_equal_attributes(const Node *one, const Node *other) {
  if (one->attribute_count != other->attribute_count) return false;
  for (const Attribute &attribute : one->all_attributes()) {
    const Attribute *same = attribute_of(other, attribute.name);
    if (!same || same->value != attribute.value) return false;
  }
  return true;
}

}  // namespace

void Builder::push(Node *node) {
  if (stack_.size() == kMostOpen) {
    throw Refused(Refusal::too_deep, "more than 5000 open tags");
  }
  stack_.push_back(node);
  node->is_open = true;
  if (node->space == Space::html) ++open_[static_cast<size_t>(node->tag)];
}

void Builder::pop() {
  Node *node = stack_.back();
  stack_.pop_back();
  node->is_open = false;
  if (node->space == Space::html) --open_[static_cast<size_t>(node->tag)];
}

void Builder::pop_until(Tag tag) {
  while (!current()->is_html(tag)) pop();
  pop();
}

void Builder::pop_until(const Node *node) {
  while (current() != node) pop();
  pop();
}

// 13.2.6.4.9, "clear the stack back to a table context", and its like for bodies and rows.
void Builder::pop_to_context(Names names) {
  while (current()->space != Space::html ||
         !(is_one_of(current()->tag, names) ||
           is_one_of(current()->tag, {Tag::template_, Tag::html_}))) {
    pop();
  }
}

size_t Builder::place_in_stack(const Node *node) {
  size_t at = stack_.size();
  while (stack_[--at] != node) charge(1);
  return at;
}

void Builder::remove_from_stack(Node *node) {
  if (!node->is_open) return;
  stack_.erase(stack_.begin() + static_cast<std::ptrdiff_t>(place_in_stack(node)));
  node->is_open = false;
  if (node->space == Space::html) --open_[static_cast<size_t>(node->tag)];
}

void Builder::replace_in_stack(size_t place, Node *node) {
  stack_[place]->is_open = false;  // a formatting element for another like it
  stack_[place] = node;
  node->is_open = true;
}

void Builder::push_behind(const Node *node, Node *new_one) {
  push(new_one);
  const size_t place = place_in_stack(node);
  // `push` has counted it at the top; the others above its place move up by one.
  std::rotate(stack_.begin() + static_cast<std::ptrdiff_t>(place) + 1, stack_.end() - 1,
              stack_.end());
}

bool Builder::in_scope(Tag tag, Names more_limits) {
  const auto ends = [&](const Node *node) {
    return ends_scope(node) || (node->space == Space::html && is_one_of(node->tag, more_limits));
  };
  return has_open(tag) && search_stack([&](const Node *node) { return node->is_html(tag); }, ends);
}

bool Builder::in_table_scope(Tag tag) {
  const auto ends = [](const Node *node) {
    return node->space == Space::html && is_one_of(node->tag, {Tag::html_, Tag::table_, Tag::template_});
  };
  return has_open(tag) && search_stack([&](const Node *node) { return node->is_html(tag); }, ends);
}

bool Builder::node_in_scope(const Node *node) {
  return search_stack([&](const Node *open) { return open == node; }, ends_scope);
}

bool Builder::heading_in_scope() { return search_stack(is_html_heading, ends_scope); }

void Builder::imply_end_tags(Tag except) {
  while (current()->space == Space::html && is(current()->tag, kImplied) &&
         current()->tag != except) {
    pop();
  }
}

void Builder::imply_end_tags_thoroughly() {
  while (current()->space == Space::html && is(current()->tag, kImplied | kTablePart)) pop();
}

void Builder::close_paragraph() {
  imply_end_tags(Tag::p_);
  pop_until(Tag::p_);
}

// 13.2.4.1
Mode Builder::mode_of_stack() {
  for (size_t at = stack_.size(); at-- > 0; charge(1)) {
    const Node *node = stack_[at];
    if (node->space != Space::html) continue;
    switch (node->tag) {
      case Tag::td_:
      case Tag::th_:
        if (at > 0) return Mode::in_cell;
        break;
      case Tag::tr_: return Mode::in_row;
      case Tag::tbody_:
      case Tag::thead_:
      case Tag::tfoot_: return Mode::in_table_body;
      case Tag::caption_: return Mode::in_caption;
      case Tag::colgroup_: return Mode::in_column_group;
      case Tag::table_: return Mode::in_table;
      case Tag::template_: return template_modes_.back();
      case Tag::head_: return Mode::in_head;
      case Tag::body_: return Mode::in_body;
      case Tag::frameset_: return Mode::in_frameset;
      case Tag::html_: return head_ ? Mode::after_head : Mode::before_head;
      default: break;
    }
  }
  return Mode::in_body;
}

// Three elements that are equal are enough: an earlier one goes.
void Builder::push_formatting(Node *node) {
  size_t equal = 0;
  for (size_t at = formatting_.size(); at-- > 0 && formatting_[at]; charge(1)) {
    if (formatting_[at]->tag != node->tag) continue;
    if (!have_equal_attributes(formatting_[at], node)) continue;
    if (++equal == 3) {
      formatting_.erase(formatting_.begin() + static_cast<std::ptrdiff_t>(at));
      break;
    }
  }
  if (formatting_.size() == kMostFormatting) {
    throw Refused(Refusal::too_deep, "more than 1500 open tags of text style");
  }
  formatting_.push_back(node);
}

void Builder::clear_to_marker() {
  while (!formatting_.empty()) {
    const bool is_marker = formatting_.back() == nullptr;
    formatting_.pop_back();
    if (is_marker) return;
  }
}

void Builder::reconstruct() {
  size_t at = formatting_.size();
  // Back to a marker or to one that is still open: all behind it ended with some other element.
  while (at > 0 && formatting_[at - 1] && !formatting_[at - 1]->is_open) --at;
  for (; at < formatting_.size(); ++at) {
    charge(kElementCost);
    Node *copy = make_like(formatting_[at]);
    const Place place = insertion_place();
    insert_before(place.parent, copy, place.before);
    push(copy);
    formatting_[at] = copy;
  }
}

size_t Builder::place_in_formatting(const Node *node) {
  for (size_t at = formatting_.size(); at-- > 0; charge(1)) {
    if (formatting_[at] == node) return at;
  }
  return formatting_.size();
}

// The last formatting element of a name behind the last marker; null for none.
Node *Builder::last_formatting(Tag tag) {
  for (size_t at = formatting_.size(); at-- > 0 && formatting_[at]; charge(1)) {
    if (formatting_[at]->tag == tag) return formatting_[at];
  }
  return nullptr;
}

}  // namespace skord::html
