// Tables that Markdown cannot hold, as the HTML that pandoc 2.9.2.1 writes for them.

#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "pandoc_dialect/blocks.hpp"

namespace skord::pandoc_dialect {

class HtmlWriter {
 public:
  // Takes the blocks of the whole page, whose headings' names must differ, and which stay.
  explicit HtmlWriter(const Blocks &page) : page_(page) {}

  std::string table(const Table &table);  // one line a tag

 private:
  void write_table(const Table &table);
  void write_row(const char *name, const char *tag, const Row &cells);
  void write_blocks(const Blocks &blocks);
  void write_block(const Block &block);
  void write_paragraph(const Block &block);
  void write_heading(const Block &block);
  void write_code(const Block &block);
  void write_list(const Block &block);
  void write_definitions(const Block &block);
  void write_inlines(const Inlines &inlines);
  void write_styled(const Inline &piece);
  void write_image(const Inline &image, bool is_said);

  const Blocks &page_;
  std::optional<std::unordered_map<const Block *, std::string>> names_;
  std::string out_;
};

}  // namespace skord::pandoc_dialect
