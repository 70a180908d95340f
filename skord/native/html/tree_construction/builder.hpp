// Tokens to a tree: WHATWG HTML 13.2.6. A handler of an insertion mode returns whether the token
// is to be processed once more, in the mode that stands then.

#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "html/tokenizer.hpp"
#include "html/tree.hpp"

namespace skord::html {

enum class Mode : uint8_t {
  initial, before_html, before_head, in_head, in_head_noscript, after_head, in_body, text,
  in_table, in_table_text, in_caption, in_column_group, in_table_body, in_row, in_cell,
  in_template, after_body, in_frameset, after_frameset, after_after_body, after_after_frameset
};

class Builder {
 public:
  Builder(std::string_view source, Tree &tree);

  // Reads the page to its end. `watch` is told of each token before it changes the tree.
  template <class Watch>
  void run(Watch watch) {
    while (!is_done_) {
      tokenizer_.next(token_, is_foreign(current()));
      watch(token_);
      take_token();
    }
  }

 private:
  using Names = std::initializer_list<Tag>;

  // The dispatcher and the insertion modes, by section (13.2.6.4.1 to 22, 13.2.6.5).
  void take_token();
  bool in_mode(Mode mode, Token &token);
  bool initial(Token &token);
  bool before_html(Token &token);
  bool before_head(Token &token);
  bool in_head(Token &token);
  bool in_head_noscript(Token &token);
  bool after_head(Token &token);
  bool text(Token &token);
  bool after_body(Token &token);
  bool in_frameset(Token &token);
  bool after_frameset(Token &token);
  bool after_after_body(Token &token);
  bool after_after_frameset(Token &token);
  bool in_body(Token &token);
  bool start_in_body(Token &token);
  bool end_in_body(Token &token);
  bool in_table(Token &token);
  bool in_table_text(Token &token);
  bool in_caption(Token &token);
  bool in_column_group(Token &token);
  bool in_table_body(Token &token);
  bool in_row(Token &token);
  bool in_cell(Token &token);
  bool in_template(Token &token);
  bool in_foreign(Token &token);
  bool end_in_foreign(Token &token);
  bool uses_foreign_rules(const Token &token) const;

  // Parts of `in_head`.
  bool start_in_head(Token &token);
  void start_template(Token &token);
  void end_template();
  bool is_for_head(const Token &token) const;

  // Parts of `in_body`.
  void text_in_body(std::string_view text);
  void start_html(Token &token);
  void start_body(Token &token);
  void start_frameset(Token &token);
  void start_item(Token &token);
  void start_form(Token &token);
  void start_anchor(Token &token);
  void start_input(Token &token);
  void start_option(Token &token);
  void start_ruby_text(Token &token);
  void end_form();
  void end_heading();
  void end_formatting(Token &token);
  void any_other_end_tag(const Token &token);
  void adopt(Node *formatting, size_t place, size_t block_place);
  Node *rewrap(Node *block, size_t place, size_t block_place, Node *&bookmark);
  void relist(Node *formatting, Node *copy, Node *bookmark);

  // Parts of `in_table` and its like.
  bool start_in_table(Token &token);
  bool close_cell();
  bool close_caption();
  bool close_table_body();
  bool close_row();

  // The stack of open elements (13.2.4.2).
  Node *current() const { return stack_.empty() ? nullptr : stack_.back(); }
  void push(Node *node);
  void pop();
  void pop_until(Tag tag);
  void pop_until(const Node *node);
  void pop_to_context(Names names);
  void remove_from_stack(Node *node);
  void replace_in_stack(size_t place, Node *node);
  void push_behind(const Node *node, Node *new_one);
  size_t place_in_stack(const Node *node);
  bool has_open(Tag tag) const { return open_[static_cast<size_t>(tag)] > 0; }
  // Whether an element is found on the way down from the innermost, before one at which the search ends.
  template <class IsIt, class Ends>
  bool search_stack(IsIt is_it, Ends ends) {
    for (size_t at = stack_.size(); at-- > 0; charge(1)) {
      if (is_it(stack_[at])) return true;
      if (ends(stack_[at])) return false;
    }
    return false;
  }
  bool in_scope(Tag tag, Names more_limits = {});
  bool in_button_scope(Tag tag) { return in_scope(tag, {Tag::button_}); }
  bool in_item_scope(Tag tag) { return in_scope(tag, {Tag::ol_, Tag::ul_}); }
  bool in_table_scope(Tag tag);
  bool heading_in_scope();
  bool node_in_scope(const Node *node);
  void imply_end_tags(Tag except = Tag::unknown);
  void imply_end_tags_thoroughly();
  void close_paragraph();
  void close_paragraph_in_scope() {
    if (in_button_scope(Tag::p_)) close_paragraph();
  }
  void reset_mode() { mode_ = mode_of_stack(); }
  Mode mode_of_stack();

  // The list of active formatting elements (13.2.4.3); null is a marker.
  void push_formatting(Node *node);
  void push_marker() { formatting_.push_back(nullptr); }
  void clear_to_marker();
  void reconstruct();
  size_t place_in_formatting(const Node *node);
  Node *last_formatting(Tag tag);

  // Making and inserting nodes (13.2.6.1).
  struct Place {
    Node *parent, *before;
  };
  Place insertion_place(Node *target = nullptr);
  Node *make_element(const Token &token, Space space = Space::html);
  Node *make_like(const Node *node);
  Node *insert_element(const Token &token, Space space = Space::html);
  Node *insert_named(Tag tag);
  void insert_void(const Token &token) {
    insert_element(token);
    pop();
  }
  void insert_text(std::string_view text);
  void insert_comment(const Token &token, Node *parent = nullptr);
  void insert_raw(const Token &token, Tokenizer::Content content);
  void merge_attributes(Node *node, const Token &token);
  std::string_view without_nul(std::string_view text);
  // Inserts the spaces that a text begins with, and takes them off it; whether that is all of it.
  bool insert_spaces(std::string_view &text);

  static bool is_foreign(const Node *node) { return node && node->space != Space::html; }

  // Counts what takes longer the deeper or longer the page is, and refuses the page when it is
  // more than any real one asks for: nothing here may take time with the square of its size.
  void charge(size_t steps) {
    if (steps > budget_) throw Refused(Refusal::too_deep, "its tags take too long to be sorted");
    budget_ -= steps;
  }

  Tree &tree_;
  Tokenizer tokenizer_;
  Token token_;
  Mode mode_ = Mode::initial, return_mode_ = Mode::initial;
  std::vector<Node *> stack_, formatting_;
  std::vector<Mode> template_modes_;
  std::array<uint32_t, static_cast<size_t>(Tag::count)> open_{};
  std::vector<std::string_view> table_text_;
  Node *head_ = nullptr, *form_ = nullptr;
  bool frameset_ok_ = true, is_fostering_ = false, is_quirky_ = false, is_done_ = false;
  bool skips_line_feed_ = false;
  size_t budget_;
};

inline bool is_start(const Token &token, std::initializer_list<Tag> tags) {
  return token.kind == Token::Kind::start && is_one_of(token.tag, tags);
}
inline bool is_end(const Token &token, std::initializer_list<Tag> tags) {
  return token.kind == Token::Kind::end && is_one_of(token.tag, tags);
}

inline bool is_html_heading(const Node *node) { return node->space == Space::html && is_heading(node->tag); }

// Whether an `<input>` is one that is never seen.
bool is_hidden_input(const Token &token);

// Gives an element of SVG or MathML, and its attributes, the capitals that their names have.
void adjust_names(Node *node);

// Where HTML, or text alone, may stand in foreign content (WHATWG HTML 13.2.6).
bool is_html_point(const Node *node);
bool is_mathml_text_point(const Node *node);

// Elements that end the search of some end tags (13.2.4.2, "special").
bool is_special(const Node *node);

}  // namespace skord::html
