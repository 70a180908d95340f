// A table under way: what pandoc 2.9.2.1 takes for one, and what it makes of it.

#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "pandoc_dialect/blocks.hpp"
#include "pandoc_dialect/tags.hpp"

namespace skord::pandoc_dialect {

// Columns times rows of one table, empty fields included.
constexpr size_t kMostFields = 200'000;

// Takes a table's parts in their order, and gives its block.
//
// A table with a cell that spans others, with a head of more rows than one, or with a part out of
// its place is none: then its cells are blocks among the blocks around it.
class TableReader {
 public:
  // Begins a part; false if it cannot stand here.
  bool open(Tag tag, std::string_view attributes);
  void close(Tag tag);  // throws Decline

  bool has_cell() const { return !rows_.back().empty(); }  // the last row
  void add_caption(Inlines inlines) { caption_ = std::move(inlines); }
  void add_cell(Blocks blocks) { rows_.back().push_back(std::move(blocks)); }

  // The table; none if it has no cell, or no row at all. Throws Decline.
  std::optional<Block> block();

 private:
  Inlines caption_;
  std::vector<Row> rows_;
  Row head_;
  bool begun_ = false, in_head_ = false, had_head_ = false;
  size_t columns_ = 0, heads_ = 0;
  int head_rows_ = 2;
};

// Whether a part of a table may hold another; with anything else in it, it is none to pandoc.
bool can_hold(Tag outer, Tag inner);

}  // namespace skord::pandoc_dialect
