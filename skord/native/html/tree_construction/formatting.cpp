// End tags of formatting elements: the adoption agency (WHATWG HTML 13.2.6.4.7).

#include "html/tree_construction/builder.hpp"

namespace skord::html {

namespace {

constexpr int kRounds = 8;         // of the outer loop
constexpr int kKeptFormatting = 3; // rounds of the inner loop that keep an element as formatting

}  // namespace

void Builder::end_formatting(Token &token) {
  const Tag tag = token.tag;
  if (current()->is_html(tag) && place_in_formatting(current()) == formatting_.size()) return pop();
  for (int round = 0; round < kRounds; ++round) {
    Node *formatting = last_formatting(tag);
    if (!formatting) return any_other_end_tag(token);
    const size_t listed = place_in_formatting(formatting);
    if (!formatting->is_open) {
      formatting_.erase(formatting_.begin() + std::ptrdiff_t(listed));
      return;
    }
    if (!node_in_scope(formatting)) return;
    const size_t place = place_in_stack(formatting);
    size_t below = place + 1;
    while (below < stack_.size() && !is_special(stack_[below])) ++below;
    charge(below - place);
    // No block inside of it: nothing is nested wrongly, and it just ends.
    if (below == stack_.size()) {
      pop_until(formatting);
      formatting_.erase(formatting_.begin() + std::ptrdiff_t(listed));
      return;
    }
    adopt(formatting, place, below);
  }
}

// Moves what follows a block inside of a formatting element out of it: the block leaves the
// element, and a copy of the element goes around what the block holds.
void Builder::adopt(Node *formatting, size_t place, size_t block_place) {
  Node *block = stack_[block_place];
  Node *common = stack_[place - 1];
  Node *bookmark = formatting;  // the copy takes the place behind this one in the list
  Node *last = rewrap(block, place, block_place, bookmark);
  remove(last);
  const Place destination = insertion_place(common);
  insert_before(destination.parent, last, destination.before);

  Node *copy = make_like(formatting);
  while (Node *child = block->first) {
    charge(1);
    remove(child);
    insert_before(copy, child, nullptr);
  }
  insert_before(block, copy, nullptr);
  relist(formatting, copy, bookmark);
  remove_from_stack(formatting);
  push_behind(block, copy);
}

// The inner loop: copies each formatting element between the block and the one that ends, around
// the block. Returns the outermost copy, or the block.
Node *Builder::rewrap(Node *block, size_t place, size_t block_place, Node *&bookmark) {
  Node *last = block;
  int round = 0;
  for (size_t at = block_place; --at > place;) {
    charge(1);
    Node *node = stack_[at];
    ++round;
    size_t listed = place_in_formatting(node);
    const bool is_listed = listed < formatting_.size();
    if (is_listed && round > kKeptFormatting) {
      formatting_.erase(formatting_.begin() + std::ptrdiff_t(listed));
    }
    if (!is_listed || round > kKeptFormatting) {
      remove_from_stack(node);
      continue;
    }
    Node *copy = make_like(node);
    formatting_[listed] = copy;
    replace_in_stack(at, copy);
    if (last == block) bookmark = copy;
    remove(last);
    insert_before(copy, last, nullptr);
    last = copy;
  }
  return last;
}

void Builder::relist(Node *formatting, Node *copy, Node *bookmark) {
  const size_t listed = place_in_formatting(formatting);
  if (bookmark == formatting) {
    formatting_[listed] = copy;
    return;
  }
  formatting_.erase(formatting_.begin() + std::ptrdiff_t(listed));
  // Sought only now: the erasure may have moved it.
  const size_t behind = place_in_formatting(bookmark) + 1;
  formatting_.insert(formatting_.begin() + std::ptrdiff_t(behind), copy);
}

}  // namespace skord::html
