#include "pandoc_dialect/reader.hpp"

#include <utility>

#include "pandoc_dialect/convert.hpp"
#include "pandoc_dialect/escapes.hpp"
#include "text/unicode.hpp"

namespace skord::pandoc_dialect {

namespace {

constexpr size_t kMostIndented = 2'000'000;  // blocks times the levels they stand in

// Whose text is no block.
bool has_own_text(Tag tag) { return tag == Tag::dt_ || tag == Tag::caption_; }

// Before any other block a heading is none, but plain text.
bool ends_heading(Tag before) {
  return before == kNoTag || is_heading(before) || is_list(before) || before == Tag::table_ ||
         before == Tag::div_ || before == Tag::p_;
}

bool ends_paragraph(Tag before) {
  return ends_heading(before) || before == Tag::blockquote_ || before == Tag::hr_ ||
         before == Tag::pre_;
}

// Whether a list looks at a tag; between its items all else is passed over.
bool list_holds(Tag list, Tag tag) {
  if (list == Tag::dl_) return is_definition(tag);
  return tag == Tag::li_ || is_list(tag);
}

// One blank for each run of blanks and ends of lines.
void fold_blanks(std::string &text) {
  const char *bytes = text.data();
  const size_t size = text.size();
  uint8_t folds = size > 0 && bytes[0] == '\n';  // as next to none does, since blanks in markup are folded
  for (size_t at = 1; at < size; ++at) folds |= (bytes[at] == '\n') | ((bytes[at] == ' ') & (bytes[at - 1] == ' '));
  if (!folds) return;
  size_t out = 0;
  bool was_blank = false;
  for (const char sign : text) {
    const bool is_blank = sign == ' ' || sign == '\n';
    if (!(is_blank && was_blank)) text[out++] = is_blank ? ' ' : sign;
    was_blank = is_blank;
  }
  text.resize(out);
}

}  // namespace

Reader::Reader(const Parts &parts, std::string_view base)
    : parts_(parts.parts), base_(base), passed_over_(parts_.size()) {
  root_ = container_ = new_container();
  stack_.push_back({kNoTag, kBeforeAll, root_, 0, 0, nullptr, nullptr, {}});
  if (!parts.text.empty()) text(parts.text);
  at_ = 0;
  read_on();
  // What fails at the end is read once more from where it began, so more may be open then.
  while (in_code_ || stack_.size() > 1) {
    if (in_code_) add_block(take_code());
    else close_block(stack_.back());
    read_on();
  }
  end();
}

void Reader::read_on() {
  while (at_ < parts_.size()) {
    const size_t at = at_;
    const Part &part = parts_[at];
    if (part.is_end) {
      close(part.tag);
    } else {
      open(part);
    }
    // Where the place has moved, a part was given up and is read again, or a formula was read whole.
    if (at_ == at && !part.text.empty()) text(part.text);
    if (at_ == at) ++at_;
  }
}

void Reader::text(std::string_view markup) {
  if (in_code_) return text_of_block(markup);
  if (markup == " " && run_.is_empty()) return;
  const bool is_between = is_table_part(top()) && markup.find_first_not_of(" \n") == markup.npos;
  if (!is_list(top()) && !is_between) text_of_block(markup);
}

void Reader::text_of_block(std::string_view markup) {
  std::string &text = unescaped_;
  text.clear();
  append_unescaped(text, markup);
  if (!link_mark_.empty()) text = marked_link(text, std::exchange(link_mark_, kLinkGoesOn));
  if (in_code_) {
    code_.append(text);
    return;
  }
  fold_blanks(text);
  run_.text(text);
}

void Reader::open(const Part &part) {
  if (part.tag == Tag::a_ && !part.attributes.empty()) link_mark_ = kLinkStart;
  if (in_code_) {
    if (part.tag == Tag::br_) code_.push_back('\n');
  } else if (is_style(part.tag) || part.tag == Tag::br_ || part.tag == Tag::img_ ||
             part.tag == Tag::math_ || part.tag == Tag::input_) {
    open_inline(part);
  } else {
    open_block(part);
  }
}

void Reader::open_inline(const Part &part) {
  if (is_list(top())) {
    return;
  } else if (part.tag == Tag::img_) {
    if (part.attributes.find(" src=") == part.attributes.npos) return;
    run_.image(image_of(part.attributes, base_));
  } else if (part.tag == Tag::br_) {
    run_.line_break();
  } else if (part.tag == Tag::math_) {
    open_formula(part);
  } else if (part.tag == Tag::input_) {  // the box of a task
    const bool is_done = part.attributes.find(" checked=") != part.attributes.npos;
    run_.formula(is_done ? "[x]" : "[ ]");
    run_.text(" ");
  } else {
    run_.open(part.tag, !part.attributes.empty());
  }
}

// A formula's TeX, in delimiters that MathJax and KaTeX know and no other text has: "$" alone would
// be a sum of money.
void Reader::open_formula(const Part &part) {
  std::string tex;
  size_t at = at_;
  for (; at < parts_.size() && !(parts_[at].is_end && parts_[at].tag == Tag::math_); ++at) {
    append_unescaped(tex, parts_[at].text);
  }
  if (at == parts_.size()) return;
  at_ = at;
  const std::string_view inner = stripped(tex);
  if (inner.empty()) return;
  const bool is_display = part.attributes.find(" display=\"block\"") != part.attributes.npos;
  std::string text = is_display ? "$$" : "\\(";
  text.append(inner).append(is_display ? "$$" : "\\)");
  fold_blanks(text);
  run_.formula(std::move(text));
}

void Reader::close(Tag tag) {
  if (tag == Tag::math_ || tag == Tag::input_) return;
  if (tag == Tag::a_) link_mark_ = {};
  if (in_code_) {
    if (tag == Tag::pre_) add_block(take_code());
  } else if (is_style(tag)) {
    run_.close(tag);
  } else if (top() == tag) {
    close_block(stack_.back());
  } else if (tag == Tag::dl_ && top() == Tag::dd_) {  // of a list that is none, in one that is
    close_block(stack_.back());
    close(tag);
  } else if (!is_list(top()) && !has_own_text(top())) {
    end();
  }
}

void Reader::open_block(const Part &part) {
  const Tag tag = part.tag;
  if (is_list(top())) {
    if (!list_holds(top(), tag)) return;
    if (is_list(tag)) return fail();
  }
  if (!has_own_text(top())) end(tag);
  if (passed_over_[at_]) return;
  // A term of a list that is none, in one that is, belongs to that one, as in pandoc.
  if (is_definition(tag) && top() == Tag::dd_) close_block(stack_.back());
  if (top() == Tag::dt_) fail(Tag::dl_);
  else if (top() != Tag::caption_) open_found(part);
}

// Ends the text under way: a paragraph, a heading, or text without a tag. `before` is the block's
// tag that comes next, or none before an end tag.
void Reader::end(Tag before) {
  if (context_ == kNoTag && run_.is_empty()) return;
  const Tag context = std::exchange(context_, kNoTag);
  Inlines inlines = run_.take();
  Block block;
  if (is_heading(context) && ends_heading(before)) {
    block.kind = BlockKind::heading;
    block.number = static_cast<int>(context) - static_cast<int>(Tag::h1_) + 1;
  } else if (inlines.empty()) {
    return;
  } else {
    const bool is_whole = context == Tag::p_ && ends_paragraph(before);
    block.kind = is_whole ? BlockKind::para : BlockKind::plain;
  }
  block.inlines = std::move(inlines);
  add_block(std::move(block));
}

void Reader::add_block(Block block) {
  block.in_div = container_->divs > 0;
  container_->blocks.push_back(std::move(block));
  indented_ += nested_;
  if (indented_ > kMostIndented) throw Decline::nesting;
}

void Reader::enter(Container *container) {
  container_ = container;
  if (++nested_ > kMostNested) throw Decline::nesting;
}

// Goes back to where blocks went before a tag; those that went into it.
Blocks Reader::leave(const Open &opened) {
  Blocks blocks = container_ == opened.container ? Blocks() : std::move(container_->blocks);
  container_ = opened.container;
  --nested_;
  return blocks;
}

Reader::Open &Reader::push(Tag tag) {
  stack_.push_back({tag, at_, container_, container_->blocks.size(), container_->divs, nullptr,
                    nullptr, link_mark_});
  return stack_.back();
}

// Reads what the innermost list or table of a name has held once more, without it.
void Reader::fail(Tag tag) {
  while (tag != kNoTag && top() != tag) {
    forget(stack_.back());
    stack_.pop_back();
  }
  const Open opened = stack_.back();
  stack_.pop_back();
  forget(opened);
  run_.take();
  context_ = kNoTag;
  opened.container->blocks.erase(
      opened.container->blocks.begin() + static_cast<std::ptrdiff_t>(opened.blocks),
      opened.container->blocks.end());
  opened.container->divs = opened.divs;
  link_mark_ = opened.link_mark;
  // No place fails twice, so that reading again comes to an end.
  passed_over_[opened.place] = true;
  at_ = opened.place;
}

void Reader::forget(const Open &opened) {
  nested_ -= is_list(opened.tag) || opened.tag == Tag::table_ || opened.tag == Tag::blockquote_;
  container_ = opened.container;
}

}  // namespace skord::pandoc_dialect
