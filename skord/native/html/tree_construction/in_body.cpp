// The insertion mode "in body" (WHATWG HTML 13.2.6.4.7), with `select` as the standard has had it
// since 2025: what it holds is parsed as in the body.

#include "html/tree_construction/builder.hpp"

namespace skord::html {

namespace {

using Type = Token::Kind;

}  // namespace

bool Builder::in_body(Token &token) {
  switch (token.kind) {
    case Type::text: return text_in_body(without_nul(token.text)), false;
    case Type::comment: return insert_comment(token), false;
    case Type::doctype: return false;
    case Type::start: return start_in_body(token);
    case Type::end: return end_in_body(token);
    case Type::eof:
      if (!template_modes_.empty()) return in_template(token);
      return is_done_ = true, false;
  }
  return false;
}

void Builder::text_in_body(std::string_view text) {
  if (text.empty()) return;
  reconstruct();  // styles that an ended paragraph left open are opened again
  insert_text(text);
  if (frameset_ok_ && !is_blank_text(text)) frameset_ok_ = false;
}

// Returns whether the token is to be looked at again, in another mode.
bool Builder::start_in_body(Token &token) {
  if (is(token.tag, kHeadPart)) return in_head(token);
  if (is(token.tag, kBox) || token.tag == Tag::p_ || is_heading(token.tag)) {
    close_paragraph_in_scope();
    if (is_heading(token.tag) && is_html_heading(current())) pop();
    return insert_element(token), false;
  }
  switch (token.tag) {
    case Tag::html_: return start_html(token), false;
    case Tag::body_: return start_body(token), false;
    case Tag::frameset_: return start_frameset(token), false;
    case Tag::pre_:
    case Tag::listing_:
      close_paragraph_in_scope();
      insert_element(token);
      skips_line_feed_ = true;  // authors begin the text on a line of its own
      return frameset_ok_ = false, false;
    case Tag::form_: return start_form(token), false;
    case Tag::li_:
    case Tag::dd_:
    case Tag::dt_: return start_item(token), false;
    case Tag::plaintext_:
      close_paragraph_in_scope();
      insert_element(token);
      return tokenizer_.read_content_of(token.text, Tokenizer::Content::plaintext), false;
    case Tag::button_:
      if (in_scope(Tag::button_)) {
        imply_end_tags();
        pop_until(Tag::button_);
      }
      reconstruct();
      insert_element(token);
      return frameset_ok_ = false, false;
    case Tag::a_: return start_anchor(token), false;
    case Tag::nobr_:
      reconstruct();
      if (in_scope(Tag::nobr_)) {
        end_formatting(token);
        reconstruct();
      }
      return push_formatting(insert_element(token)), false;
    case Tag::applet_:
    case Tag::marquee_:
    case Tag::object_:
      reconstruct();
      insert_element(token);
      push_marker();
      return frameset_ok_ = false, false;
    case Tag::table_:
      // Browsers that were there before the standards let a table stand in a paragraph.
      if (!is_quirky_) close_paragraph_in_scope();
      insert_element(token);
      frameset_ok_ = false;
      return mode_ = Mode::in_table, false;
    case Tag::area_:
    case Tag::br_:
    case Tag::embed_:
    case Tag::img_:
    case Tag::keygen_:
    case Tag::wbr_:
      reconstruct();
      insert_void(token);
      return frameset_ok_ = false, false;
    case Tag::input_: return start_input(token), false;
    case Tag::param_:
    case Tag::source_:
    case Tag::track_: return insert_void(token), false;
    case Tag::hr_:
      close_paragraph_in_scope();
      if (in_scope(Tag::select_)) imply_end_tags();
      insert_void(token);
      return frameset_ok_ = false, false;
    case Tag::image_:  // what authors wrote who meant the other
      token.tag = Tag::img_;
      token.text = "img";
      return true;
    case Tag::textarea_:
      insert_raw(token, Tokenizer::Content::rcdata);
      skips_line_feed_ = true;
      return frameset_ok_ = false, false;
    case Tag::xmp_:
      close_paragraph_in_scope();
      reconstruct();
      frameset_ok_ = false;
      return insert_raw(token, Tokenizer::Content::rawtext), false;
    case Tag::iframe_:
      frameset_ok_ = false;
      return insert_raw(token, Tokenizer::Content::rawtext), false;
    case Tag::noembed_: return insert_raw(token, Tokenizer::Content::rawtext), false;
    case Tag::select_:
      if (in_scope(Tag::select_)) return pop_until(Tag::select_), false;
      reconstruct();
      insert_element(token);
      return frameset_ok_ = false, false;
    case Tag::option_:
    case Tag::optgroup_: return start_option(token), false;
    case Tag::rb_:
    case Tag::rp_:
    case Tag::rt_:
    case Tag::rtc_: return start_ruby_text(token), false;
    case Tag::math_:
    case Tag::svg_:
      reconstruct();
      insert_element(token, token.tag == Tag::svg_ ? Space::svg : Space::mathml);
      if (token.self_closing) pop();
      return false;
    case Tag::col_:
    case Tag::frame_:
    case Tag::head_: return false;
    default: break;
  }
  if (is(token.tag, kTablePart)) return false;
  reconstruct();
  Node *node = insert_element(token);
  if (is(token.tag, kFormatting)) push_formatting(node);
  return false;
}

bool Builder::end_in_body(Token &token) {
  if (is(token.tag, kFormatting)) return end_formatting(token), false;
  if (is_heading(token.tag)) return end_heading(), false;
  if (is(token.tag, kBox) || is_one_of(token.tag, {Tag::button_, Tag::listing_, Tag::pre_, Tag::select_})) {
    if (!in_scope(token.tag)) return false;
    imply_end_tags();
    return pop_until(token.tag), false;
  }
  switch (token.tag) {
    case Tag::template_: return end_template(), false;
    case Tag::body_:
    case Tag::html_:
      if (!in_scope(Tag::body_)) return false;
      mode_ = Mode::after_body;
      return token.tag == Tag::html_;
    case Tag::form_: return end_form(), false;
    case Tag::p_:
      // A stray `</p>` is an empty paragraph.
      if (!in_button_scope(Tag::p_)) insert_named(Tag::p_);
      return close_paragraph(), false;
    case Tag::li_:
      if (!in_item_scope(Tag::li_)) return false;
      imply_end_tags(Tag::li_);
      return pop_until(Tag::li_), false;
    case Tag::dd_:
    case Tag::dt_:
      if (!in_scope(token.tag)) return false;
      imply_end_tags(token.tag);
      return pop_until(token.tag), false;
    case Tag::applet_:
    case Tag::marquee_:
    case Tag::object_:
      if (!in_scope(token.tag)) return false;
      imply_end_tags();
      pop_until(token.tag);
      return clear_to_marker(), false;
    case Tag::br_:
      reconstruct();
      insert_named(Tag::br_);
      pop();
      return frameset_ok_ = false, false;
    default: return any_other_end_tag(token), false;
  }
}

void Builder::start_html(Token &token) {
  if (!has_open(Tag::template_)) merge_attributes(stack_[0], token);
}

void Builder::start_body(Token &token) {
  if (stack_.size() < 2 || !stack_[1]->is_html(Tag::body_) || has_open(Tag::template_)) return;
  frameset_ok_ = false;
  merge_attributes(stack_[1], token);
}

void Builder::start_frameset(Token &token) {
  if (stack_.size() < 2 || !stack_[1]->is_html(Tag::body_) || !frameset_ok_) return;
  // Frames take the body's place only while it holds nothing that shows (`frameset_ok_`).
  remove(stack_[1]);
  while (stack_.size() > 1) pop();
  insert_element(token);
  mode_ = Mode::in_frameset;
}

// `li`, `dd` and `dt` end an item of their list that is still open.
void Builder::start_item(Token &token) {
  frameset_ok_ = false;
  const bool is_li = token.tag == Tag::li_;
  for (size_t at = stack_.size(); at-- > 0; charge(1)) {
    const Node *node = stack_[at];
    const bool is_item = node->space == Space::html &&
                         (is_li ? node->tag == Tag::li_
                                : is_one_of(node->tag, {Tag::dd_, Tag::dt_}));
    if (is_item) {
      const Tag tag = node->tag;
      imply_end_tags(tag);
      pop_until(tag);
      break;
    }
    const bool is_light = node->space == Space::html &&
                          is_one_of(node->tag, {Tag::address_, Tag::div_, Tag::p_});
    if (!is_light && is_special(node)) break;
  }
  close_paragraph_in_scope();
  insert_element(token);
}

void Builder::start_form(Token &token) {
  const bool in_template = has_open(Tag::template_);
  if (form_ && !in_template) return;
  close_paragraph_in_scope();
  Node *form = insert_element(token);
  if (!in_template) form_ = form;
}

void Builder::end_form() {
  if (has_open(Tag::template_)) {
    if (!in_scope(Tag::form_)) return;
    imply_end_tags();
    return pop_until(Tag::form_);
  }
  Node *form = form_;
  form_ = nullptr;
  if (!form || !node_in_scope(form)) return;
  imply_end_tags();
  // Taken out from among those above it, which stay open: a form's end closes nothing else.
  remove_from_stack(form);
}

void Builder::start_anchor(Token &token) {
  // Links hold no links: one that is open ends here, however deep the next begins.
  if (Node *open = last_formatting(Tag::a_)) {
    end_formatting(token);
    const size_t at = place_in_formatting(open);
    if (at < formatting_.size()) formatting_.erase(formatting_.begin() + std::ptrdiff_t(at));
    remove_from_stack(open);
  }
  reconstruct();
  push_formatting(insert_element(token));
}

void Builder::start_input(Token &token) {
  if (in_scope(Tag::select_)) pop_until(Tag::select_);
  reconstruct();
  insert_void(token);
  if (!is_hidden_input(token)) frameset_ok_ = false;
}

void Builder::start_option(Token &token) {
  if (in_scope(Tag::select_)) {
    imply_end_tags(token.tag == Tag::option_ ? Tag::optgroup_ : Tag::unknown);
  } else if (current()->is_html(Tag::option_)) {
    pop();
  }
  reconstruct();
  insert_element(token);
}

void Builder::start_ruby_text(Token &token) {
  if (in_scope(Tag::ruby_)) {
    const bool in_container = is_one_of(token.tag, {Tag::rp_, Tag::rt_});
    imply_end_tags(in_container ? Tag::rtc_ : Tag::unknown);
  }
  insert_element(token);
}

void Builder::end_heading() {
  if (!heading_in_scope()) return;
  imply_end_tags();
  while (!is_html_heading(current())) pop();
  pop();
}

// Of an inline element, or one that nobody knows: it reaches no further up than the next element
// that lays out the page ("special", 13.2.4.2), so that a stray one closes no column around it.
void Builder::any_other_end_tag(const Token &token) {
  for (size_t at = stack_.size(); at-- > 0; charge(1)) {
    const Node *node = stack_[at];
    if (node->space == Space::html && node->tag == token.tag && node->text == token.text) {
      imply_end_tags(token.tag);
      return pop_until(node);
    }
    if (is_special(node)) return;
  }
}

}  // namespace skord::html
