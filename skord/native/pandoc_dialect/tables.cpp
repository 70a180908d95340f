#include "pandoc_dialect/tables.hpp"

#include <algorithm>
#include <utility>

#include "pandoc_dialect/convert.hpp"

namespace skord::pandoc_dialect {

namespace {

// As far as browsers follow a row (WHATWG HTML, section 4.9.11); columns times rows, empty fields included.
constexpr size_t kMostColumns = 1'000, kMostFields = 200'000;

}  // namespace

bool can_hold(Tag outer, Tag inner) {
  if (outer == Tag::table) return inner == Tag::caption || inner == Tag::thead || inner == Tag::tr;
  return outer == Tag::thead ? inner == Tag::tr : outer == Tag::tr && is_cell(inner);
}

void TableReader::open(Tag tag) {
  if (tag == Tag::tr) table_->rows.emplace_back();
  if (tag == Tag::thead) in_head_ = table_->rows.empty();
}

void TableReader::close(Tag tag) {
  if (tag != Tag::thead || !in_head_ || table_->rows.empty()) return;
  table_->head = std::move(table_->rows.front());
  table_->rows.erase(table_->rows.begin());
  in_head_ = false;
}

bool TableReader::has_cells() const {
  return !table_->head.empty() ||
         std::any_of(table_->rows.begin(), table_->rows.end(), [](const Row &row) { return !row.empty(); });
}

Block TableReader::block() {
  size_t width = table_->head.size();
  for (const Row &row : table_->rows) width = std::max(width, row.size());
  if (width > kMostColumns || width * table_->rows.size() > kMostFields) throw Decline::columns;
  table_->head.resize(width);
  for (Row &row : table_->rows) row.resize(width);
  Block block = block_of(BlockKind::table);
  block.table = std::move(table_);
  return block;
}

}  // namespace skord::pandoc_dialect
