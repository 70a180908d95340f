// Blocks as lines of Markdown, as pandoc 2.9.2.1 writes them.
//
// That version hands its document to libcmark (0.29). What stands between two blocks, and what
// before each line, follow its renderer (`render.c`, `commonmark.c`): an empty line is asked for
// when a block ends and written when the next text begins, with the indentation that holds then.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pandoc_dialect/blocks.hpp"

namespace skord::pandoc_dialect {

// The Markdown of a page; it ends in one line break, or is empty.
std::string markdown_of(const Blocks &blocks);

// Takes blocks in their order.
class Writer {
 public:
  // In a cell of a table of pipes, a pipe in code gets a backslash.
  explicit Writer(bool in_cell) : in_cell_(in_cell) {}

  // Blocks of one item, quotation or page; no empty lines in a tight list.
  void write(const Item &blocks, bool is_tight, bool in_item = false);
  std::string take() { return std::move(out_); }

 private:
  void write_block(const Item &blocks, size_t at, bool is_tight, bool in_item);
  void write_quote(const Block &block);
  void write_list(const Block &block, bool is_tight_here, BlockKind following);
  void write_code(const Block &block, bool is_first);
  void write_cells(const Row &row);
  void write_table(const Block &block, bool is_first);
  void write_inlines(const Inlines &inlines);
  void write_inline(const Inline &piece);
  void write_text(const std::string &text);
  void write_break();
  void write_styled(const Inline &piece);
  void write_script(const Inline &piece, std::string_view before);

  void put(std::string_view text);          // without line ends
  void put_lines(std::string_view text);    // of several lines, as it is
  void end_lines();
  void need(int line_ends) { needed_ = line_ends > needed_ ? line_ends : needed_; }

  bool in_cell_;
  std::string out_, prefix_;
  int needed_ = 0, ends_ = 0;   // line ends, two for an empty line, before the next text; written
  bool begins_line_ = true;     // the indentation has not been written
  bool begins_content_ = true;  // a text now could be read as the mark of a list
  bool is_tight_ = false;
};

// Rows padded to columns of one width; the first is the head.
std::string pipe_table(const std::vector<std::vector<std::string>> &rows);

}  // namespace skord::pandoc_dialect
