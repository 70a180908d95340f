// A table under way.

#pragma once

#include <utility>
#include <vector>

#include "pandoc_dialect/blocks.hpp"
#include "pandoc_dialect/tags.hpp"

namespace skord::pandoc_dialect {

// Takes a table's parts in their order, and gives its block.
class TableReader {
 public:
  void open(Tag tag);
  void close(Tag tag);

  void add_caption(Inlines inlines) { table_->caption = std::move(inlines); }
  void add_cell(Blocks blocks) { table_->rows.back().push_back(std::move(blocks)); }

  bool has_cells() const;
  Block block();  // each row with as many cells; throws Decline

 private:
  std::unique_ptr<Table> table_ = std::make_unique<Table>();
  bool in_head_ = false;
};

// Whether a part of a table may hold another.
bool can_hold(Tag outer, Tag inner);

}  // namespace skord::pandoc_dialect
