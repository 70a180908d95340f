// A page under way: tags and texts in, in their order, blocks out.
//
// Every tag is met once, and what it opens stands on a stack of our own, so that depth costs
// nothing. Where a text without a tag of its own belongs are the rules of pandoc 2.9.2.1's HTML
// reader. It looks ahead: a list that turns out to be none is read once more, without its tag. So does
// this, from the tag on; a tag is passed over once, and no more than kMostNested of them stand in one
// another, so the time stays linear. Cleaned markup is well formed, but for an end tag too many; other
// markup is read as far as it goes: what stands in a table outside of its cells goes before it.

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pandoc_dialect/blocks.hpp"
#include "pandoc_dialect/run.hpp"
#include "pandoc_dialect/tags.hpp"

namespace skord::pandoc_dialect {

// Lists, quotations and tables inside one another; each indents all lines within. What follows
// the blocks of a page down from the outermost, as the writer does, may therefore call itself.
constexpr size_t kMostNested = 50;

class Reader {
 public:
  // Throws Decline.
  Reader(const Parts &parts, std::string_view base);
  Blocks take_blocks() { return std::move(root_->blocks); }

 private:
  // What holds blocks: the page, an item, a quotation, a cell. `divs` are open in it now.
  struct Container {
    Blocks blocks;
    size_t divs = 0;
  };

  // The items of a list, or the terms of definitions, so far.
  struct ListReader {
    bool is_numbered = false;
    int64_t number = 0;
    std::vector<Blocks> items;
    std::vector<int64_t> numbers;  // of the items
    std::vector<Definition> terms;
  };

  struct TableReader {
    std::unique_ptr<Table> table = std::make_unique<Table>();
    bool in_head = false;
  };

  // An open tag, and what its end, or its failure, has to know: where blocks went before it and
  // how many there were; the place of its tag; the list or table under way.
  struct Open {
    Tag tag;
    size_t place;
    Container *container;
    size_t blocks, divs;
    ListReader *list;
    TableReader *table;
    std::string_view link_mark;
  };

  static constexpr size_t kBeforeAll = static_cast<size_t>(-1);

  void read_on();  // from the present place to the end; a failure sets it back
  void text(std::string_view markup);
  void text_of_block(std::string_view markup);

  void open(const Part &part);
  void open_inline(const Part &part);
  void open_block(const Part &part);
  void open_found(const Part &part);
  void close(Tag tag);
  void close_block(const Open opened);

  void end(Tag before = kNoTag);
  void add_block(Block block);
  void enter(Container *container);
  Blocks leave(const Open &opened);
  Container *new_container() { return &containers_.emplace_back(); }
  Open &push(Tag tag);
  void fail(Tag tag = kNoTag);
  void forget(const Open &opened);
  Tag top() const { return stack_.back().tag; }

  void close_div(const Open &opened);
  void close_quote(const Open &opened);
  void open_list(const Part &part);
  void begin_item(const Part &part);
  void close_list(const Open &opened);
  void close_item(const Open &opened);
  void open_definition(Tag tag);
  void close_term();
  void open_table();
  void open_table_part(Tag tag);
  void close_table_part(const Open &opened);
  void close_table(const Open &opened);
  void open_code(std::string_view attributes);
  Block take_code();
  void open_formula(const Part &part);

  const std::vector<Part> &parts_;
  size_t at_ = kBeforeAll;
  std::string_view base_;
  std::deque<Container> containers_;  // what the stack points to stays where it is
  std::deque<ListReader> lists_;
  std::deque<TableReader> tables_;
  Container *root_, *container_;
  std::vector<Open> stack_;
  std::vector<bool> passed_over_;  // by place
  Run run_;
  Tag context_ = kNoTag;
  bool in_code_ = false;
  std::string code_, code_language_, unescaped_;
  size_t nested_ = 0, indented_ = 0;
  std::string_view link_mark_;
};

}  // namespace skord::pandoc_dialect
