#include "pandoc_dialect/blocks.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace skord::pandoc_dialect {

namespace {

bool calls_for_paragraphs(const Block &block, bool in_list) {
  switch (block.kind) {
    case BlockKind::para:
    case BlockKind::code:
    case BlockKind::heading:
    case BlockKind::quote:
      return !block.in_div;
    case BlockKind::list:
    case BlockKind::definitions:
      return !in_list && !block.in_div;
    default:
      return false;
  }
}

Item item_of(const Definition &definition, std::deque<Block> &made) {
  Item item;
  for (const Blocks &meaning : definition.meanings) {
    for (const Block &block : meaning) item.push_back(&block);
  }
  const bool joins = !definition.meanings.empty() && !definition.meanings[0].empty() &&
                     is_text(definition.meanings[0][0]);
  Block &begun = made.emplace_back();
  begun.inlines = definition.terms;
  if (!joins) {
    begun.kind = BlockKind::para;
    item.insert(item.begin(), &begun);
    return item;
  }
  const Block &first = *item[0];
  begun.kind = first.kind;
  begun.inlines.push_back(break_piece());
  begun.inlines.insert(begun.inlines.end(), first.inlines.begin(), first.inlines.end());
  item[0] = &begun;
  return item;
}

}  // namespace

Item pointers_to(const Blocks &blocks) {
  Item result;
  result.reserve(blocks.size());
  for (const Block &block : blocks) result.push_back(&block);
  return result;
}

void with_paragraphs(Blocks &blocks, bool in_list) {
  const auto calls = [=](const Block &block) { return calls_for_paragraphs(block, in_list); };
  if (std::none_of(blocks.begin(), blocks.end(), calls)) return;
  for (Block &block : blocks) {
    if (block.kind == BlockKind::plain && !block.in_div) block.kind = BlockKind::para;
  }
}

Items items_of(const Block &block) {
  Items result;
  if (block.kind == BlockKind::list) {
    for (const Blocks &item : block.items) result.items.push_back(pointers_to(item));
  } else {
    for (const Definition &term : block.terms) result.items.push_back(item_of(term, result.made));
  }
  return result;
}

bool is_tight(const std::vector<Item> &items) {
  return std::all_of(items.begin(), items.end(), [](const Item &item) {
    return item.empty() || (item[0]->kind == BlockKind::plain && !item[0]->in_div);
  });
}

bool is_simple(const Blocks &cell) {
  return cell.empty() || (cell.size() == 1 && is_text(cell[0]) && !has_break(cell[0].inlines));
}

}  // namespace skord::pandoc_dialect
