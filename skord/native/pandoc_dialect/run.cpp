#include "pandoc_dialect/run.hpp"

#include <algorithm>
#include <utility>

#include "pandoc_dialect/convert.hpp"
#include "text/parts.hpp"
#include "text/unicode.hpp"

namespace skord::pandoc_dialect {

namespace {

bool begins_blank(const Inlines &content) {
  return !content.empty() && content.front().kind == Kind::text &&
         starts_with(content.front().text, " ");
}

bool ends_blank(const Inlines &content) {
  return !content.empty() && content.back().kind == Kind::text && ends_with(content.back().text, " ");
}

}  // namespace

void Run::text(std::string_view text) {
  if (in_code_) code_.append(text);
  else add_text(pieces_, text);
}

void Run::line_break() {
  if (!in_code_) add_break(pieces_);
}

void Run::image(Inline image) {
  if (!in_code_) pieces_.push_back(std::move(image));
}

void Run::formula(std::string text) {
  if (in_code_) code_.append(text);
  else pieces_.push_back({Kind::formula, Style::none, std::move(text), {}});
}

void Run::open(Tag tag, bool has_attributes) {
  if (in_code_) return;
  if (open_.size() >= kMostStyles) throw Decline::nesting;
  Style style = style_of(tag);
  if (tag == Tag::q_ && quotes_++ % 2 == 1) style = Style::inner_quote;
  in_code_ = is_code(tag);
  open_.push_back({tag, tag == Tag::a_ && has_attributes, style, std::move(pieces_)});
  pieces_.clear();
}

void Run::close(Tag tag) {
  if (!open_.empty() && open_.back().tag == tag) close_innermost();
}

Inlines Run::take(bool whole) {
  while (!open_.empty()) close_innermost();
  Inlines pieces = std::move(pieces_);
  pieces_.clear();
  if (!whole) trim(pieces);
  return pieces;
}

void Run::close_innermost() {
  Open closed = std::move(open_.back());
  open_.pop_back();
  Inlines content = std::exchange(pieces_, std::move(closed.outer));
  if (in_code_) {
    std::replace(code_.begin(), code_.end(), '\n', ' ');
    const std::string code = std::exchange(code_, {});
    if (stripped(code).empty()) add_text(pieces_, " ");  // where pandoc writes backticks around nothing
    else add(pieces_, code_piece(code));
    in_code_ = false;
    return;
  }
  if (closed.tag == Tag::q_) --quotes_;
  if (closed.tag == Tag::kbd_ || closed.tag == Tag::dfn_) {  // they keep the blanks at their ends
    add(pieces_, styled_piece(Style::tag, std::move(content), std::string(html::facts_of(closed.tag).name)));
    return;
  }
  const bool before = begins_blank(content), after = ends_blank(content);
  if (before) add_text(pieces_, " ");
  trim(content);
  if (closed.is_link) {
    add_link(pieces_, std::move(content));
  } else {
    const char *name = closed.style == Style::tag ? "span" : "";  // a link without an address
    add(pieces_, styled_piece(closed.style, std::move(content), name));
  }
  if (after) add_text(pieces_, " ");
}

}  // namespace skord::pandoc_dialect
