#include "pandoc_dialect/tables.hpp"

#include <algorithm>
#include <utility>

#include "pandoc_dialect/convert.hpp"

namespace skord::pandoc_dialect {

namespace {

// As far as browsers follow a row (WHATWG HTML, section 4.9.11).
constexpr size_t kMostColumns = 1'000;

bool spans_others(std::string_view attributes) {
  for (const std::string_view start : {" colspan=\"", " rowspan=\""}) {
    for (size_t at = attributes.find(start); at != attributes.npos;
         at = attributes.find(start, at + 1)) {
      const std::string_view value = attributes.substr(at + start.size(), 2);
      if (value.substr(0, 1) != "\"" && value != "1\"") return true;
    }
  }
  return false;
}

Row padded(Row row, size_t width) {
  row.resize(width);
  return row;
}

bool holds_any(const Row &row) {
  return std::any_of(row.begin(), row.end(), [](const Blocks &cell) { return !cell.empty(); });
}

}  // namespace

bool can_hold(Tag outer, Tag inner) {
  switch (outer) {
    case Tag::table:
      return inner == Tag::caption || inner == Tag::colgroup || inner == Tag::col ||
             inner == Tag::thead || inner == Tag::tr;
    case Tag::thead:
      return inner == Tag::tr;
    case Tag::tr:
      return is_cell(inner);
    case Tag::colgroup:
      return inner == Tag::col;
    default:
      return false;
  }
}

bool TableReader::open(Tag tag, std::string_view attributes) {
  bool can_stand = false;
  if (tag == Tag::caption) {
    can_stand = !begun_ && columns_ == 0;
  } else if (tag == Tag::col || tag == Tag::colgroup) {
    can_stand = rows_.empty() && !had_head_;
    columns_ += tag == Tag::col;
  } else if (tag == Tag::thead) {
    can_stand = rows_.empty() && !had_head_;
    had_head_ = in_head_ = true;
  } else if (tag == Tag::tr) {
    can_stand = !(in_head_ && !rows_.empty());
    rows_.emplace_back();
    heads_ = 0;
  } else {
    can_stand = !spans_others(attributes);
    heads_ += tag == Tag::th;
  }
  begun_ = true;
  return can_stand;
}

void TableReader::close(Tag tag) {
  const auto last_row = [&] {
    Row row = std::move(rows_.back());
    rows_.pop_back();
    return row;
  };
  if (tag == Tag::thead) {
    in_head_ = false;
    if (!rows_.empty()) head_ = last_row();
    head_rows_ = head_.empty() ? 1 : 0;
  } else if (tag == Tag::tr && head_rows_ != 0 && !in_head_) {
    --head_rows_;
    if (heads_ == rows_.front().size()) head_ = last_row();
    if (!head_.empty() || !rows_.empty()) head_rows_ = 0;
  }
  if (rows_.size() > kMostFields) throw Decline::columns;
}

std::optional<Block> TableReader::block() {
  const auto has_cells = [](const Row &row) { return !row.empty(); };
  if (head_.empty() && std::none_of(rows_.begin(), rows_.end(), has_cells)) return std::nullopt;
  size_t width = head_.size();
  if (head_.empty()) {
    for (const Row &row : rows_) width = std::max(width, row.size());
  }
  if (columns_ > 0) width = std::min(width, columns_);
  if (width > kMostColumns || width * rows_.size() > kMostFields) throw Decline::columns;
  auto table = std::make_unique<Table>();
  if (holds_any(head_)) table->head = padded(std::move(head_), width);
  for (Row &row : rows_) table->rows.push_back(padded(std::move(row), width));
  table->caption = std::move(caption_);
  table->width = width;
  Block block = block_of(BlockKind::table);
  block.table = std::move(table);
  return block;
}

}  // namespace skord::pandoc_dialect
