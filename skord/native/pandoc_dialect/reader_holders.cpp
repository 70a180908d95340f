// What holds blocks, under way: boxes, quotations, lists, definitions, tables, code and figures.

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <utility>

#include "pandoc_dialect/convert.hpp"
#include "pandoc_dialect/escapes.hpp"
#include "pandoc_dialect/reader.hpp"
#include "text/parts.hpp"
#include "text/unicode.hpp"

namespace skord::pandoc_dialect {

namespace {

// The whole number that an attribute says, if it does.
std::optional<int64_t> number_after(std::string_view attributes, std::string_view start) {
  const std::string_view text = stripped(value_after(attributes, start).value_or(""));
  const char *const stop = text.data() + text.size();
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), stop, number);
  const bool is_one = error == std::errc() && end == stop && std::abs(number) < 1'000'000'000;
  return is_one ? std::optional(number) : std::nullopt;
}

// As far as browsers follow a row (WHATWG HTML, section 4.9.11); columns times rows, empty fields included.
constexpr size_t kMostColumns = 1'000, kMostFields = 200'000;

// Whether a part of a table may hold another.
bool can_hold(Tag outer, Tag inner) {
  if (outer == Tag::table_) return inner == Tag::caption_ || inner == Tag::thead_ || inner == Tag::tr_;
  return outer == Tag::thead_ ? inner == Tag::tr_ : outer == Tag::tr_ && is_cell(inner);
}

}  // namespace

void Reader::open_found(const Part &part) {
  const Tag tag = part.tag;
  if (is_list(tag)) return open_list(part);
  if (tag == Tag::p_ || is_heading(tag)) context_ = tag;
  switch (tag) {
    case Tag::li_:
      if (top() != Tag::ul_ && top() != Tag::ol_) return;
      begin_item(part);
      push(tag);
      container_ = new_container();
      return;
    case Tag::dt_:
    case Tag::dd_:
      return open_definition(tag);
    case Tag::caption_:
    case Tag::thead_:
    case Tag::tr_:
    case Tag::td_:
    case Tag::th_:
      return open_table_part(tag);
    case Tag::table_:
      return open_table();
    case Tag::blockquote_:
      push(tag);
      return enter(new_container());
    case Tag::div_:
      push(tag);
      ++container_->divs;
      return;
    case Tag::hr_:
      return add_block(block_of(BlockKind::rule));
    case Tag::pre_:
      return open_code(part.attributes);
    default:
      return;
  }
}

void Reader::close_block(const Open opened) {
  if (is_list(opened.tag)) return close_list(opened);
  switch (opened.tag) {
    case Tag::caption_:
    case Tag::thead_:
    case Tag::tr_:
    case Tag::td_:
    case Tag::th_:
      return close_table_part(opened);
    case Tag::li_:
    case Tag::dd_:
      return close_item(opened);
    case Tag::blockquote_:
      return close_quote(opened);
    case Tag::div_:
      return close_div(opened);
    case Tag::dt_:
      return close_term();
    case Tag::table_:
      return close_table(opened);
    default:
      return;
  }
}

void Reader::close_div(const Open &opened) {
  end();
  stack_.pop_back();
  if (container_->blocks.size() == opened.blocks) add_block(block_of(BlockKind::nothing));
  --container_->divs;
}

void Reader::close_quote(const Open &opened) {
  end();
  stack_.pop_back();
  Block block = block_of(BlockKind::quote);
  block.blocks = leave(opened);
  with_paragraphs(block.blocks);
  add_block(std::move(block));
}

void Reader::open_list(const Part &part) {
  ListReader &list = lists_.emplace_back();
  list.is_numbered = part.tag == Tag::ol_;
  list.number = number_after(part.attributes, " start=\"").value_or(1);
  push(part.tag).list = &list;
  enter(container_);
}

// An item's number: its own, or the next.
void Reader::begin_item(const Part &part) {
  ListReader &list = *stack_.back().list;
  const int64_t next = list.numbers.empty() ? list.number : list.numbers.back() + 1;
  list.numbers.push_back(number_after(part.attributes, " value=\"").value_or(next));
}

void Reader::close_list(const Open &opened) {
  ListReader &list = *opened.list;
  const bool is_definitions = opened.tag == Tag::dl_;
  if (is_definitions) {
    const bool is_bare = opened.place + 1 == at_ && parts_[opened.place].text.empty();
    if (list.terms.empty() ? !is_bare : list.terms.back().meanings.empty()) return fail();
  }
  Block block = block_of(is_definitions ? BlockKind::definitions : BlockKind::list);
  block.terms = std::move(list.terms);
  block.items = std::move(list.items);
  block.numbers = std::move(list.numbers);
  block.is_numbered = list.is_numbered;
  stack_.pop_back();
  leave(opened);
  add_block(std::move(block));
}

void Reader::close_item(const Open &opened) {
  end();
  stack_.pop_back();
  Blocks blocks = std::move(container_->blocks);
  with_paragraphs(blocks, true);
  container_ = opened.container;
  ListReader &list = *stack_.back().list;
  (opened.tag == Tag::dd_ ? list.terms.back().meanings : list.items).push_back(std::move(blocks));
}

void Reader::open_definition(Tag tag) {
  if (top() != Tag::dl_) return;
  if (tag == Tag::dd_ && stack_.back().list->terms.empty()) return fail();
  push(tag);
  if (tag == Tag::dd_) container_ = new_container();
}

void Reader::close_term() {
  stack_.pop_back();
  Inlines term = run_.take();
  std::vector<Definition> &terms = stack_.back().list->terms;
  if (terms.empty() || !terms.back().meanings.empty()) {
    terms.push_back({std::move(term), {}});
    return;
  }
  add_break(terms.back().terms);
  for (Inline &piece : term) add(terms.back().terms, std::move(piece));
}

void Reader::open_table() {
  push(Tag::table_).table = &tables_.emplace_back();
  enter(container_);
}

void Reader::open_table_part(Tag tag) {
  if (!can_hold(top(), tag)) return;
  TableReader &reader = *stack_.back().table;
  std::vector<Row> &rows = reader.table->rows;
  if (tag == Tag::tr_) rows.emplace_back();
  if (tag == Tag::thead_) reader.in_head = rows.empty() && reader.table->head.empty();
  push(tag).table = &reader;
  if (is_cell(tag)) container_ = new_container();
}

void Reader::close_table_part(const Open &opened) {
  Table &table = *opened.table->table;
  if (opened.tag == Tag::caption_) {
    table.caption = run_.take(true);
  } else if (is_cell(opened.tag)) {
    end();
    table.rows.back().push_back(std::move(container_->blocks));
    container_ = opened.container;
  } else if (opened.tag == Tag::thead_ && opened.table->in_head && !table.rows.empty()) {
    table.head = std::move(table.rows.front());
    table.rows.erase(table.rows.begin());
  }
  stack_.pop_back();
}

void Reader::close_table(const Open &opened) {
  end();
  stack_.pop_back();
  leave(opened);
  Table &table = *opened.table->table;
  size_t width = table.head.size();
  for (const Row &row : table.rows) width = std::max(width, row.size());
  if (width == 0) return;
  if (width > kMostColumns || width * table.rows.size() > kMostFields) throw Decline::columns;
  table.head.resize(width);
  for (Row &row : table.rows) row.resize(width);
  Block block = block_of(BlockKind::table);
  block.table = std::move(opened.table->table);
  add_block(std::move(block));
}

void Reader::open_code(std::string_view attributes) {
  in_code_ = true;
  code_.clear();
  code_language_ = unescaped(value_after(attributes, " class=\"").value_or(""));
}

// The code, without blank lines before and after; only breaks show of tags within.
Block Reader::take_code() {
  in_code_ = false;
  Block block = block_of(BlockKind::code);
  std::string &text = block.text;
  text = with_replaced(code_, "\xC2\xA0", " ");
  code_.clear();
  text.resize(right_stripped(text).size());
  const size_t first = text.find_first_not_of(" \t\n");
  const size_t line = first == text.npos ? text.npos : text.rfind('\n', first);
  if (line != text.npos) text.erase(0, line + 1);
  block.name = std::exchange(code_language_, {});
  return block;
}

}  // namespace skord::pandoc_dialect
