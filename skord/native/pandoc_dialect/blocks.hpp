// What a page is made of before it is written: blocks, and the text within them.
//
// The shapes are those of pandoc's document model, as far as HTML can reach them: how a list, a
// table or a paragraph is written depends on what stands in it and beside it.

#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pandoc_dialect/inlines.hpp"

namespace skord::pandoc_dialect {

enum class BlockKind : uint8_t {
  none,
  plain,  // text without a paragraph of its own
  para,
  heading,
  code,
  rule,
  quote,
  list,
  definitions,
  table,
  nothing,  // an empty <div>
};

struct Block;
using Blocks = std::vector<Block>;
using Row = std::vector<Blocks>;  // of a table: cells

struct Definition {
  Inlines terms;  // with breaks between them
  std::vector<Blocks> meanings;
};

// Rows of as many cells each, those of the head empty where there is none.
struct Table {
  Inlines caption;
  Row head;
  std::vector<Row> rows;
};

struct Block {
  BlockKind kind = BlockKind::none;
  bool in_div = false;
  int64_t number = 0;       // level of a heading
  std::vector<int64_t> numbers;  // of a list's items
  bool is_numbered = false;  // of a list
  Inlines inlines;
  Blocks blocks;              // of a quotation
  std::vector<Blocks> items;  // of a list
  std::string text, name;     // of code, and its language
  std::vector<Definition> terms;
  std::unique_ptr<Table> table;
};

inline Block block_of(BlockKind kind) {
  Block block;
  block.kind = kind;
  return block;
}

inline bool is_text(const Block &block) {
  return (block.kind == BlockKind::plain || block.kind == BlockKind::para) && !block.in_div;
}

// Makes plain texts paragraphs if another block calls for that.
void with_paragraphs(Blocks &blocks, bool in_list = false);

using Item = std::vector<const Block *>;
Item pointers_to(const Blocks &blocks);

// The items of a list; of definitions, terms and what they mean, a break between.
struct Items {
  std::vector<Item> items;
  std::deque<Block> made;  // what of them stands nowhere else
};
Items items_of(const Block &block);

// Whether all items begin with plain text or are empty: no empty lines part them then.
bool is_tight(const std::vector<Item> &items);

// Whether a cell holds one line at most, and so fits into a row of Markdown.
bool is_simple(const Blocks &cell);

}  // namespace skord::pandoc_dialect
