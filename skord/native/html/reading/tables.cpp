#include <algorithm>
#include <charconv>
#include <vector>

#include "html/reading/reshape.hpp"

namespace skord::html {

namespace {

// As far as browsers follow a row (WHATWG HTML, section 4.9.11); columns times rows of one table.
constexpr size_t kMostColumns = 1'000, kMostFields = 200'000;

// Bytes of a cell with blocks that is still read as one field, beside others without and with a head.
constexpr size_t kLongCell = 300, kLongCellUnderHead = 1'500;
constexpr size_t kMostBlocks = 8, kMostBlocksUnderHead = 20;
constexpr size_t kMostNodes = 5'000;  // of one cell
constexpr size_t kMostLines = 6, kLongCode = 300;  // of a block of code that is part of a field
constexpr size_t kLongRow = 200;  // bytes of a table's only row that may be one of data

struct Cell {
  Node *node = nullptr;  // none: covered by a cell above or before, or not there
  bool is_head = false;
};

struct Row {
  Node *node;
  bool in_head;
  std::vector<Cell> cells;
};

struct Grid {
  Node *caption = nullptr;
  std::vector<Row> rows;
  size_t width = 0;
  bool has_head = false, is_too_large = false;
};

bool is_cell(const Node *node) { return is_one_of(node->tag, {Tag::td_, Tag::th_}); }

size_t span_of(const Node *cell, std::string_view name, size_t most) {
  const std::string_view text = stripped(value_of(cell, name));
  size_t span = 1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), span);
  if (error == std::errc::result_out_of_range) return most;
  if (end == text.data()) return 1;
  return std::min(span, most);
}

// Rows in the order in which they are drawn, and what covers what.
Grid grid_of(Node *table) {
  Grid grid;
  std::vector<Node *> sections[3];  // of the head, of the bodies and of the foot
  for (Node *child = table->first; child; child = child->next) {
    if (!is_element(child)) continue;
    if (child->tag == Tag::caption_ && !grid.caption) grid.caption = child;
    else if (child->tag == Tag::thead_) sections[0].push_back(child);
    else if (child->tag == Tag::tfoot_) sections[2].push_back(child);
    else sections[1].push_back(child);
  }
  size_t fields = 0;
  for (int kind = 0; kind < 3; ++kind) {
    std::vector<size_t> down;  // of each column: rows that a cell above still covers
    for (Node *section : sections[kind]) {
      if (section->tag != Tag::tr_) down.clear();
      for (Node *row = section->tag == Tag::tr_ ? section : section->first; row;
           row = section->tag == Tag::tr_ ? nullptr : row->next) {
        if (row->tag != Tag::tr_) continue;
        Row &taken = grid.rows.emplace_back(Row{row, kind == 0, {}});
        const auto cover = [&] {
          while (taken.cells.size() < down.size() && down[taken.cells.size()] > 0) {
            --down[taken.cells.size()];
            taken.cells.emplace_back();
          }
        };
        for (Node *cell = row->first; cell; cell = cell->next) {
          if (!is_cell(cell)) continue;
          cover();
          const size_t left = kMostColumns - std::min(taken.cells.size(), kMostColumns);
          const size_t columns = std::max<size_t>(std::min(span_of(cell, "colspan", kMostColumns), left), 1);
          size_t below = span_of(cell, "rowspan", kMostFields);
          below = below == 0 ? kMostFields : below - 1;
          for (size_t step = 0; step < columns; ++step) {
            const size_t at = taken.cells.size();
            if (down.size() <= at) down.resize(at + 1);
            down[at] = below;
            taken.cells.push_back({step == 0 ? cell : nullptr, cell->tag == Tag::th_});
          }
          if (taken.cells.size() > kMostColumns) grid.is_too_large = true;
        }
        cover();
        for (size_t at = taken.cells.size(); at < down.size(); ++at) down[at] -= down[at] > 0;
        grid.width = std::max(grid.width, taken.cells.size());
        fields += taken.cells.size() + 1;
        if (fields > kMostFields) grid.is_too_large = true;
        if (grid.is_too_large) return grid;
      }
    }
  }
  // Spans that reach over all that other rows have add no columns.
  size_t width = 1;
  for (const Row &row : grid.rows) {
    for (size_t at = row.cells.size(); at > width; --at) {
      if (row.cells[at - 1].node) width = at;
    }
  }
  grid.width = std::min(grid.width, width);
  grid.is_too_large = grid.width * grid.rows.size() > kMostFields;
  return grid;
}

struct Content {
  size_t bytes = 0, blocks = 0, breaks = 0, rules = 0;
  bool has_any = false, is_long = false;  // anything to see; a block that parts no field
};

Content content_of(const Node *cell) {
  Content content;
  size_t steps = 0;
  for (const Node *node = cell->first; node; node = seen_after(node, cell)) {
    if (++steps > kMostNodes) content.is_long = content.has_any = true;
    if (content.is_long) break;
    if (node->kind == Kind::text) {
      for (size_t at = 0; at < node->text.size();) {
        const size_t start = at;
        if (!is_blank(next_code(node->text, at))) content.bytes += at - start;
      }
      continue;
    }
    const Tag tag = node->tag;
    if (tag == Tag::pre_) {
      const std::string text = text_of(node, 2'000);
      const auto lines = static_cast<size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
      content.is_long = content.is_long || (lines > 1 && (lines > kMostLines || text.size() > kLongCode));
    }
    content.rules += tag == Tag::hr_;
    content.breaks += tag == Tag::br_;
    content.blocks += is_heading(tag) || is_one_of(tag, {Tag::p_, Tag::li_, Tag::dd_});
    content.has_any = content.has_any || tag == Tag::math_ || (tag == Tag::img_ && !is_tracking_image(node));
    // A table in a cell, unless it has turned out to be boxes, makes the one around it boxes.
    content.is_long = content.is_long || is_one_of(tag, {Tag::table_, Tag::blockquote_, Tag::article_, Tag::form_, Tag::nav_});
  }
  content.has_any = content.has_any || content.bytes > 0;
  // A line alone in its cell parts rows; beside text it makes the table boxes.
  content.is_long = content.is_long || (content.rules > 0 && content.has_any);
  return content;
}

// Lines of code in a cell, each as code.
void part_lines(Tree &tree, Node *code) {
  const std::string text = text_of(code);
  remove_children(code);
  code->tag = Tag::span_;
  for_each_part(text, '\n', [&](std::string_view line) {
    if (stripped(line).empty()) return;
    Node *part = make_element(tree, Tag::code_);
    append(part, make_text(tree, stripped(line)));
    append(code, part);
    append(code, make_text(tree, " "));
  });
}

// Makes a cell's content a text: blocks and breaks are blanks in it.
void flatten(Tree &tree, Node *cell) {
  for (Node *node = cell->first; node;) {
    Node *next = seen_after(node, cell);
    const bool is_break = is_one_of(node->tag, {Tag::br_, Tag::hr_});
    if (is_break || is_block(node)) {
      insert_before(node->parent, make_text(tree, " "), node);
      if (is_break) {
        remove(node);
      } else if (node->tag == Tag::pre_) {
        next = node_after(node, cell, false);
        part_lines(tree, node);
      } else {
        append(node, make_text(tree, " "));
        node->tag = Tag::span_;
      }
    }
    node = next;
  }
}

void make_boxes(Node *table) {
  for (Node *node = table; node;) {
    Node *next = seen_after(node, table);
    if (node->tag == Tag::table_ && node != table) {
      next = node_after(node, table, false);  // it has been read already
    } else if (is_one_of(node->tag, {Tag::table_, Tag::caption_, Tag::thead_, Tag::tr_, Tag::td_, Tag::th_})) {
      node->tag = Tag::div_;
    } else if (is_one_of(node->tag, {Tag::colgroup_, Tag::col_})) {
      next = node_after(node, table, false);
      remove(node);
    }
    node = next;
  }
}

class TableReader {
 public:
  TableReader(Tree &tree, Node *table) : tree_(tree), table_(table), grid_(grid_of(table)) {}

  void reshape() {
    if (grid_.rows.empty() && !grid_.caption) return remove(table_);
    if (!is_data()) return make_boxes(table_);
    rebuild();
  }

 private:
  bool is_data() {
    const std::string_view role = value_of(table_, "role");
    if (is_lowered(role, "presentation") || is_lowered(role, "none") || grid_.is_too_large) return false;
    bool has_head = grid_.caption != nullptr;
    for (const Row &row : grid_.rows) {
      for (const Cell &cell : row.cells) has_head = has_head || cell.is_head || row.in_head;
    }
    const size_t long_cell = has_head ? kLongCellUnderHead : kLongCell;
    const size_t most_blocks = has_head ? kMostBlocksUnderHead : kMostBlocks;
    std::vector<bool> used(grid_.width);
    size_t rows = 0, bytes = 0, parts = 0;
    for (Row &row : grid_.rows) {
      bool has_any = false;
      for (size_t at = 0; at < row.cells.size(); ++at) {
        const Node *cell = row.cells[at].node;
        if (!cell) continue;
        const Content content = content_of(cell);
        if (content.is_long || content.blocks > most_blocks ||
            (content.blocks > 1 && content.bytes > long_cell)) {
          return false;
        }
        bytes += content.bytes;
        parts += content.blocks + content.breaks;
        has_any = has_any || content.has_any;
        if (content.has_any) used[at] = true;
      }
      rows += has_any;
      if (!has_any) row.node = nullptr;
    }
    columns_ = used;
    const auto columns = std::count(used.begin(), used.end(), true);
    if (rows == 0 || columns == 0) return false;
    if (has_head) return columns > 1 || rows > 1;
    return columns > 1 && (rows > 1 || (bytes <= kLongRow && parts == 0));
  }

  // One row of the head, if any, and then the others, each with as many cells.
  void rebuild() {
    const auto first = std::find_if(grid_.rows.begin(), grid_.rows.end(), [](const Row &row) { return row.node; });
    const auto is_of_head = [](const Cell &cell) { return cell.is_head; };
    const bool has_head = first->in_head || std::all_of(first->cells.begin(), first->cells.end(), is_of_head);
    if (grid_.caption) {
      remove(grid_.caption);
      flatten(tree_, grid_.caption);
    }
    remove_children(table_);
    if (grid_.caption) append(table_, grid_.caption);
    for (auto row = first; row != grid_.rows.end(); ++row) {
      if (!row->node) continue;
      remove_children(row->node);
      const bool is_head = row == first && has_head;
      row->cells.resize(grid_.width);
      for (size_t at = 0; at < grid_.width; ++at) {
        if (!columns_[at]) continue;
        Node *cell = row->cells[at].node;
        if (cell) flatten(tree_, cell);
        else cell = make_element(tree_, Tag::td_);
        cell->tag = is_head ? Tag::th_ : Tag::td_;
        append(row->node, cell);
      }
      Node *section = is_head ? make_element(tree_, Tag::thead_) : table_;
      if (is_head) append(table_, section);
      append(section, row->node);
    }
  }

  Tree &tree_;
  Node *table_;
  Grid grid_;
  std::vector<bool> columns_;
};

}  // namespace

void reshape_tables(Tree &tree) {
  if (!tree.has_any(Tag::table_)) return;
  std::vector<Node *> tables;
  for (Node *node = tree.document; node; node = seen_after(node, tree.document)) {
    if (node->is_html(Tag::table_)) tables.push_back(node);
  }
  // The innermost first: what a table is depends on those that it holds.
  for (auto table = tables.rbegin(); table != tables.rend(); ++table) TableReader(tree, *table).reshape();
}

}  // namespace skord::html
