// The dispatcher, and the insertion modes around the body (WHATWG HTML 13.2.6.4.1 to 6, 8, 16, and
// 17 to 22).

#include "html/tree_construction/builder.hpp"

namespace skord::html {

namespace {

using Type = Token::Kind;

// Where an element is missing that the page may leave out, every start tag opens it, but only
// these end tags.
bool opens_what_is_missing(const Token &token, bool after_head) {
  if (token.kind != Type::end) return true;
  return is_one_of(token.tag, {Tag::body_, Tag::html_, Tag::br_}) ||
         (!after_head && token.tag == Tag::head_);
}

// Takes the spaces at the beginning off a text; whether nothing is left of it.
bool is_spent_without_spaces(Token &token) {
  if (token.kind != Type::text) return false;
  token.text = without_spaces(token.text);
  return token.text.empty();
}

// Of a text among frames only the spaces stay.
std::string_view only_spaces(std::string_view text, Arena &arena) {
  if (is_blank_text(text)) return text;
  char *out = arena.take(text.size());
  return {out, static_cast<size_t>(std::copy_if(text.begin(), text.end(), out, is_space) - out)};
}

}  // namespace

// 13.2.6, "tree construction dispatcher"
void Builder::take_token() {
  if (skips_line_feed_) {
    skips_line_feed_ = false;
    // Right behind `<pre>`, `<listing>` and `<textarea>`: "ignored as an authoring convenience".
    if (token_.kind == Type::text && token_.text[0] == '\n') {
      token_.text.remove_prefix(1);
      if (token_.text.empty()) return;
    }
  }
  while (uses_foreign_rules(token_) ? in_foreign(token_) : in_mode(mode_, token_)) {
  }
}

bool Builder::uses_foreign_rules(const Token &token) const {
  const Node *node = current();
  if (!is_foreign(node) || token.kind == Type::eof) return false;
  const bool is_text = token.kind == Type::text, is_start = token.kind == Type::start;
  if (is_mathml_text_point(node)) {
    if (is_text) return false;
    if (is_start && !is_one_of(token.tag, {Tag::mglyph_, Tag::malignmark_})) return false;
  }
  if (node->space == Space::mathml && node->tag == Tag::annotation_xml_ && is_start &&
      token.tag == Tag::svg_) {
    return false;
  }
  return !(is_html_point(node) && (is_start || is_text));
}

bool Builder::in_mode(Mode mode, Token &token) {
  switch (mode) {
    case Mode::initial: return initial(token);
    case Mode::before_html: return before_html(token);
    case Mode::before_head: return before_head(token);
    case Mode::in_head: return in_head(token);
    case Mode::in_head_noscript: return in_head_noscript(token);
    case Mode::after_head: return after_head(token);
    case Mode::in_body: return in_body(token);
    case Mode::text: return text(token);
    case Mode::in_table: return in_table(token);
    case Mode::in_table_text: return in_table_text(token);
    case Mode::in_caption: return in_caption(token);
    case Mode::in_column_group: return in_column_group(token);
    case Mode::in_table_body: return in_table_body(token);
    case Mode::in_row: return in_row(token);
    case Mode::in_cell: return in_cell(token);
    case Mode::in_template: return in_template(token);
    case Mode::after_body: return after_body(token);
    case Mode::in_frameset: return in_frameset(token);
    case Mode::after_frameset: return after_frameset(token);
    case Mode::after_after_body: return after_after_body(token);
    case Mode::after_after_frameset: return after_after_frameset(token);
  }
  return false;
}

bool Builder::initial(Token &token) {
  if (is_spent_without_spaces(token)) return false;
  if (token.kind == Type::comment) return insert_comment(token, tree_.document), false;
  mode_ = Mode::before_html;
  is_quirky_ = token.kind != Type::doctype || token.is_quirky;
  if (token.kind != Type::doctype) return true;
  insert_before(tree_.document, tree_.make(Kind::doctype, token.text), nullptr);
  return false;
}

bool Builder::before_html(Token &token) {
  if (token.kind == Type::doctype || is_spent_without_spaces(token)) return false;
  if (token.kind == Type::comment) return insert_comment(token, tree_.document), false;
  if (!opens_what_is_missing(token, false)) return false;
  mode_ = Mode::before_head;
  const bool is_html = is_start(token, {Tag::html_});
  Token missing;
  missing.tag = Tag::html_;
  missing.text = "html";
  Node *html = make_element(is_html ? token : missing);
  insert_before(tree_.document, html, nullptr);
  push(html);
  return !is_html;
}

bool Builder::before_head(Token &token) {
  if (token.kind == Type::doctype || is_spent_without_spaces(token)) return false;
  if (token.kind == Type::comment) return insert_comment(token), false;
  if (is_start(token, {Tag::html_})) return in_body(token);
  if (!opens_what_is_missing(token, false)) return false;
  mode_ = Mode::in_head;
  if (is_start(token, {Tag::head_})) return head_ = insert_element(token), false;
  head_ = insert_named(Tag::head_);
  return true;
}

bool Builder::in_head(Token &token) {
  switch (token.kind) {
    case Type::text:
      if (insert_spaces(token.text)) return false;
      break;
    case Type::comment: return insert_comment(token), false;
    case Type::doctype: return false;
    case Type::start:
      if (token.tag == Tag::html_) return in_body(token);
      if (start_in_head(token) || token.tag == Tag::head_) return false;
      break;
    case Type::end:
      if (token.tag == Tag::template_) return end_template(), false;
      if (token.tag == Tag::head_) return pop(), mode_ = Mode::after_head, false;
      if (!opens_what_is_missing(token, true)) return false;
      break;
    case Type::eof: break;
  }
  pop();
  mode_ = Mode::after_head;
  return true;
}

// Start tags of what may stand in a head; false for others.
bool Builder::start_in_head(Token &token) {
  switch (token.tag) {
    case Tag::base_:
    case Tag::basefont_:
    case Tag::bgsound_:
    case Tag::link_:
    case Tag::meta_: return insert_void(token), true;
    case Tag::title_: return insert_raw(token, Tokenizer::Content::rcdata), true;
    case Tag::noscript_: return insert_element(token), mode_ = Mode::in_head_noscript, true;
    case Tag::noframes_:
    case Tag::style_: return insert_raw(token, Tokenizer::Content::rawtext), true;
    case Tag::script_: return insert_raw(token, Tokenizer::Content::script), true;
    case Tag::template_: return start_template(token), true;
    default: return false;
  }
}

// Tags that other modes hand on to "in head".
bool Builder::is_for_head(const Token &token) const {
  return is_end(token, {Tag::template_}) || (token.kind == Type::start && is(token.tag, kHeadPart));
}

void Builder::start_template(Token &token) {
  insert_element(token);
  push_marker();
  frameset_ok_ = false;
  mode_ = Mode::in_template;
  template_modes_.push_back(mode_);
}

void Builder::end_template() {
  if (!has_open(Tag::template_)) return;
  imply_end_tags_thoroughly();
  pop_until(Tag::template_);
  clear_to_marker();
  template_modes_.pop_back();
  reset_mode();
}

bool Builder::in_head_noscript(Token &token) {
  if (token.kind == Type::doctype) return false;
  if (token.kind == Type::comment) return in_head(token);
  if (is_start(token, {Tag::html_})) return in_body(token);
  if (token.kind == Type::text && insert_spaces(token.text)) return false;
  if (is_start(token, {Tag::basefont_, Tag::bgsound_, Tag::link_, Tag::meta_, Tag::noframes_, Tag::style_})) {
    return in_head(token);
  }
  if (is_start(token, {Tag::head_, Tag::noscript_})) return false;
  const bool is_its_end = is_end(token, {Tag::noscript_});
  if (token.kind == Type::end && !is_its_end && token.tag != Tag::br_) return false;
  pop();
  mode_ = Mode::in_head;
  return !is_its_end;
}

bool Builder::after_head(Token &token) {
  if (token.kind == Type::doctype) return false;
  if (token.kind == Type::comment) return insert_comment(token), false;
  if (token.kind == Type::text && insert_spaces(token.text)) return false;
  if (is_end(token, {Tag::template_})) return in_head(token);
  if (token.kind == Type::start) {
    switch (token.tag) {
      case Tag::html_: return in_body(token);
      case Tag::head_: return false;
      case Tag::body_:
        insert_element(token);
        frameset_ok_ = false;
        return mode_ = Mode::in_body, false;
      case Tag::frameset_: return insert_element(token), mode_ = Mode::in_frameset, false;
      default: break;
    }
    if (is_for_head(token)) {
      // What belongs into the head goes there even after its end; the head must not stay open.
      push(head_);
      in_head(token);
      remove_from_stack(head_);
      return false;
    }
  }
  if (!opens_what_is_missing(token, true)) return false;
  insert_named(Tag::body_);
  return mode_ = Mode::in_body, true;
}

// 13.2.6.4.8
bool Builder::text(Token &token) {
  if (token.kind == Type::text) return insert_text(token.text), false;
  pop();
  mode_ = return_mode_;
  return token.kind == Type::eof;
}

// 13.2.6.4.16
bool Builder::in_template(Token &token) {
  if (token.kind == Type::text || token.kind == Type::comment || token.kind == Type::doctype) {
    return in_body(token);
  }
  if (is_for_head(token)) return in_head(token);
  if (token.kind == Type::end) return false;
  if (token.kind == Type::eof) {
    if (!has_open(Tag::template_)) return is_done_ = true, false;
    pop_until(Tag::template_);
    clear_to_marker();
    template_modes_.pop_back();
    return reset_mode(), true;
  }
  Mode mode = Mode::in_body;
  if (is_one_of(token.tag, {Tag::caption_, Tag::colgroup_, Tag::tbody_, Tag::tfoot_, Tag::thead_})) {
    mode = Mode::in_table;
  } else if (token.tag == Tag::col_) {
    mode = Mode::in_column_group;
  } else if (token.tag == Tag::tr_) {
    mode = Mode::in_table_body;
  } else if (is_one_of(token.tag, {Tag::td_, Tag::th_})) {
    mode = Mode::in_row;
  }
  template_modes_.back() = mode_ = mode;
  return true;
}

// 13.2.6.4.17
bool Builder::after_body(Token &token) {
  if (token.kind == Type::doctype) return false;
  if (token.kind == Type::comment) return insert_comment(token, stack_[0]), false;
  if (token.kind == Type::text && is_blank_text(token.text)) return in_body(token);
  if (is_start(token, {Tag::html_})) return in_body(token);
  if (token.kind == Type::eof) return is_done_ = true, false;
  if (is_end(token, {Tag::html_})) return mode_ = Mode::after_after_body, false;
  return mode_ = Mode::in_body, true;
}

// 13.2.6.4.18
bool Builder::in_frameset(Token &token) {
  if (token.kind == Type::text) return insert_text(only_spaces(token.text, tree_.arena)), false;
  if (token.kind == Type::comment) return insert_comment(token), false;
  if (token.kind == Type::eof) return is_done_ = true, false;
  if (token.kind == Type::start) {
    switch (token.tag) {
      case Tag::html_: return in_body(token);
      case Tag::frameset_: return insert_element(token), false;
      case Tag::frame_: return insert_void(token), false;
      case Tag::noframes_: return in_head(token);
      default: return false;
    }
  }
  if (is_end(token, {Tag::frameset_}) && stack_.size() > 1) {
    pop();
    if (!current()->is_html(Tag::frameset_)) mode_ = Mode::after_frameset;
  }
  return false;
}

// 13.2.6.4.19
bool Builder::after_frameset(Token &token) {
  if (token.kind == Type::text) return insert_text(only_spaces(token.text, tree_.arena)), false;
  if (token.kind == Type::comment) return insert_comment(token), false;
  if (token.kind == Type::eof) return is_done_ = true, false;
  if (is_start(token, {Tag::html_})) return in_body(token);
  if (is_start(token, {Tag::noframes_})) return in_head(token);
  if (is_end(token, {Tag::html_})) mode_ = Mode::after_after_frameset;
  return false;
}

// 13.2.6.4.20
bool Builder::after_after_body(Token &token) {
  if (token.kind == Type::comment) return insert_comment(token, tree_.document), false;
  if (token.kind == Type::eof) return is_done_ = true, false;
  if (token.kind == Type::doctype || is_start(token, {Tag::html_}) ||
      (token.kind == Type::text && is_blank_text(token.text))) {
    return in_body(token);
  }
  return mode_ = Mode::in_body, true;
}

// 13.2.6.4.21
bool Builder::after_after_frameset(Token &token) {
  if (token.kind == Type::comment) return insert_comment(token, tree_.document), false;
  if (token.kind == Type::eof) return is_done_ = true, false;
  if (token.kind == Type::text) {
    token.text = only_spaces(token.text, tree_.arena);
    return in_body(token);
  }
  if (token.kind == Type::doctype || is_start(token, {Tag::html_})) return in_body(token);
  if (is_start(token, {Tag::noframes_})) return in_head(token);
  return false;
}

}  // namespace skord::html
