// The insertion modes in tables (WHATWG HTML 13.2.6.4.9 to 15).

#include "html/tree_construction/builder.hpp"

namespace skord::html {

namespace {

using Type = Token::Kind;

constexpr std::initializer_list<Tag> kTableContext = {Tag::table_};
constexpr std::initializer_list<Tag> kBodyContext = {Tag::tbody_, Tag::tfoot_, Tag::thead_};
constexpr std::initializer_list<Tag> kRowContext = {Tag::tr_};

bool starts_part(const Token &token) {
  return token.kind == Type::start && (is(token.tag, kTablePart) || token.tag == Tag::col_);
}

// Of parts of tables, where none of them is open that the mode looks for, and of what is around.
bool ends_nothing(const Token &token) {
  return token.kind == Type::end && (is(token.tag, kTablePart) || is_one_of(token.tag, {Tag::body_, Tag::col_, Tag::html_}));
}

}  // namespace

// 13.2.6.4.9
bool Builder::in_table(Token &token) {
  switch (token.kind) {
    case Type::text:
      if (current()->space == Space::html &&
          is_one_of(current()->tag, {Tag::table_, Tag::tbody_, Tag::template_, Tag::tfoot_,
                                     Tag::thead_, Tag::tr_})) {
        table_text_.clear();
        return_mode_ = mode_;
        return mode_ = Mode::in_table_text, true;
      }
      break;
    case Type::comment: return insert_comment(token), false;
    case Type::doctype: return false;
    case Type::start:
      if (is_one_of(token.tag, {Tag::style_, Tag::script_, Tag::template_})) return in_head(token);
      if (token.tag == Tag::table_) {
        if (!in_table_scope(Tag::table_)) return false;
        pop_until(Tag::table_);
        return reset_mode(), true;
      }
      if (start_in_table(token)) return is_one_of(token.tag, {Tag::col_, Tag::td_, Tag::th_, Tag::tr_});
      break;
    case Type::end:
      if (token.tag == Tag::template_) return in_head(token);
      if (token.tag == Tag::table_) {
        if (!in_table_scope(Tag::table_)) return false;
        pop_until(Tag::table_);
        return reset_mode(), false;
      }
      if (ends_nothing(token)) return false;
      break;
    case Type::eof: return in_body(token);
  }
  is_fostering_ = true;
  // Anything else: as in the body, but put before the table where a table would hold it.
  const bool once_more = in_body(token);
  is_fostering_ = false;
  return once_more;
}

// Start tags that belong into a table; false for others. After `col`, `td`, `th` and `tr` what
// holds them has been opened, and the token comes once more.
bool Builder::start_in_table(Token &token) {
  switch (token.tag) {
    case Tag::caption_:
      pop_to_context(kTableContext);
      push_marker();
      insert_element(token);
      return mode_ = Mode::in_caption, true;
    case Tag::colgroup_:
    case Tag::col_:
      pop_to_context(kTableContext);
      if (token.tag == Tag::col_) insert_named(Tag::colgroup_);
      else insert_element(token);
      return mode_ = Mode::in_column_group, true;
    case Tag::tbody_:
    case Tag::tfoot_:
    case Tag::thead_:
      pop_to_context(kTableContext);
      insert_element(token);
      return mode_ = Mode::in_table_body, true;
    case Tag::td_:
    case Tag::th_:
    case Tag::tr_:
      pop_to_context(kTableContext);
      insert_named(Tag::tbody_);
      return mode_ = Mode::in_table_body, true;
    case Tag::input_:
      if (!is_hidden_input(token)) return false;
      return insert_void(token), true;
    case Tag::form_:
      if (has_open(Tag::template_) || form_) return true;
      form_ = insert_element(token);
      return pop(), true;
    default: return false;
  }
}

// 13.2.6.4.10
bool Builder::in_table_text(Token &token) {
  if (token.kind == Type::text) {
    const std::string_view text = without_nul(token.text);
    if (!text.empty()) table_text_.push_back(text);
    return false;
  }
  // If any of the text shows, all of it goes before the table, its blanks as well.
  bool is_space_only = true;
  for (const std::string_view text : table_text_) is_space_only &= is_blank_text(text);
  for (const std::string_view text : table_text_) {
    if (is_space_only) {
      insert_text(text);
    } else {
      is_fostering_ = true;
      text_in_body(text);
      is_fostering_ = false;
    }
  }
  return mode_ = return_mode_, true;
}

bool Builder::close_caption() {
  if (!in_table_scope(Tag::caption_)) return false;
  imply_end_tags();
  pop_until(Tag::caption_);
  clear_to_marker();
  return mode_ = Mode::in_table, true;
}

// 13.2.6.4.11
bool Builder::in_caption(Token &token) {
  if (is_end(token, {Tag::caption_})) return close_caption(), false;
  if (starts_part(token) || is_end(token, {Tag::table_})) return close_caption();
  return !ends_nothing(token) && in_body(token);
}

// 13.2.6.4.12
bool Builder::in_column_group(Token &token) {
  if (token.kind == Type::text && insert_spaces(token.text)) return false;
  if (token.kind == Type::comment) return insert_comment(token), false;
  if (token.kind == Type::doctype) return false;
  if (is_start(token, {Tag::html_}) || token.kind == Type::eof) return in_body(token);
  if (is_start(token, {Tag::col_})) return insert_void(token), false;
  if (is_start(token, {Tag::template_}) || is_end(token, {Tag::template_})) return in_head(token);
  if (is_end(token, {Tag::col_})) return false;
  if (!current()->is_html(Tag::colgroup_)) return false;
  pop();
  mode_ = Mode::in_table;
  return !is_end(token, {Tag::colgroup_});
}

bool Builder::close_table_body() {
  pop_to_context(kBodyContext);
  pop();
  return mode_ = Mode::in_table, true;
}

// 13.2.6.4.13
bool Builder::in_table_body(Token &token) {
  if (is_start(token, {Tag::tr_})) {
    pop_to_context(kBodyContext);
    insert_element(token);
    return mode_ = Mode::in_row, false;
  }
  if (is_start(token, {Tag::td_, Tag::th_})) {
    pop_to_context(kBodyContext);
    insert_named(Tag::tr_);
    return mode_ = Mode::in_row, true;
  }
  if (is_end(token, kBodyContext)) {
    if (in_table_scope(token.tag)) close_table_body();
    return false;
  }
  if (starts_part(token) || is_end(token, {Tag::table_})) {
    const bool has_body = in_table_scope(Tag::tbody_) || in_table_scope(Tag::thead_) ||
                          in_table_scope(Tag::tfoot_);
    return has_body && close_table_body();
  }
  return !ends_nothing(token) && in_table(token);
}

bool Builder::close_row() {
  if (!in_table_scope(Tag::tr_)) return false;
  pop_to_context(kRowContext);
  pop();
  return mode_ = Mode::in_table_body, true;
}

// 13.2.6.4.14
bool Builder::in_row(Token &token) {
  if (is_start(token, {Tag::td_, Tag::th_})) {
    pop_to_context(kRowContext);
    insert_element(token);
    push_marker();
    return mode_ = Mode::in_cell, false;
  }
  if (is_end(token, {Tag::tr_})) return close_row(), false;
  if (starts_part(token) || is_end(token, {Tag::table_})) return close_row();
  if (is_end(token, kBodyContext)) return in_table_scope(token.tag) && close_row();
  return !ends_nothing(token) && in_table(token);
}

bool Builder::close_cell() {
  imply_end_tags();
  while (!current()->is_html(Tag::td_) && !current()->is_html(Tag::th_)) pop();
  pop();
  clear_to_marker();
  return mode_ = Mode::in_row, true;
}

// 13.2.6.4.15
bool Builder::in_cell(Token &token) {
  if (is_end(token, {Tag::td_, Tag::th_})) {
    if (!in_table_scope(token.tag)) return false;
    imply_end_tags();
    pop_until(token.tag);
    clear_to_marker();
    return mode_ = Mode::in_row, false;
  }
  if (starts_part(token)) return (in_table_scope(Tag::td_) || in_table_scope(Tag::th_)) && close_cell();
  if (is_end(token, {Tag::table_, Tag::tbody_, Tag::tfoot_, Tag::thead_, Tag::tr_})) {
    return in_table_scope(token.tag) && close_cell();
  }
  return !ends_nothing(token) && in_body(token);
}

}  // namespace skord::html
