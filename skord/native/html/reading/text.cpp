#include <algorithm>
#include <string>
#include <vector>

#include "html/reading/reshape.hpp"
#include "html/reading/style_sheets.hpp"

namespace skord::html {

namespace {

// A text with blank lines is of several paragraphs if it is as long, and they are, on average.
constexpr size_t kLongText = 300, kLongParagraph = 50;
// So many such, of which hardly one ends within a sentence, may be shorter.
constexpr size_t kFewParagraphs = 3, kShortText = 100;

// Full-width and wide letters, which no blank parts at the end of a line (CSS Text 3, section 4.1.3);
// Korean is written with blanks.
bool is_east_asian(uint32_t code) {
  return (code >= 0x2E80 && code <= 0x303E) || (code >= 0x3041 && code <= 0x312F) ||
         (code >= 0x31A0 && code <= 0xA4CF) || (code >= 0xF900 && code <= 0xFAFF) ||
         (code >= 0xFE30 && code <= 0xFE4F) || (code >= 0xFF01 && code <= 0xFF60) ||
         (code >= 0xFFE0 && code <= 0xFFE6) || (code >= 0x20000 && code <= 0x3FFFD);
}

// Whether a text has a byte with which such letters begin.
bool may_be_east_asian(std::string_view text) {
  uint8_t is_any = 0;
  for (const char c : text) is_any |= static_cast<uint8_t>(c) >= 0xE2;
  return is_any;
}

uint32_t first_code(std::string_view text) { return text.empty() ? 0 : first_character(text).code; }
uint32_t last_code(std::string_view text) { return text.empty() ? 0 : last_character(text).code; }

class TextReader {
 public:
  TextReader(Tree &tree, const StyleSheets &sheets) : tree_(tree), sheets_(sheets) {}

  void reshape() {
    std::vector<std::pair<const Node *, bool>> lined;  // elements that say how lines end; what they say
    int code = 0;
    const auto left = [&](const Node *node) {
      if (!lined.empty() && lined.back().first == node) lined.pop_back();
      code -= is_code(node);
      if (parts_text(node)) end_line();
    };
    for (Node *node = tree_.document; node;) {
      const bool is_text = node->kind == Kind::text;
      bool go_down = !is_gone(node);
      if (is_element(node) && go_down) {
        if (parts_text(node)) end_line();
        draw(node);
        const std::string space = style_value(node, "white-space");
        if (!space.empty() || sheets_.keeps_lines(node)) {
          lined.emplace_back(node, space.empty() || keeps_lines(space));
        }
        code += is_code(node);
      }
      Node *text = is_text && code == 0 ? node : nullptr;
      const bool is_lined = !lined.empty() && lined.back().second;
      // The pieces of a text are put behind it and passed over, so that the walk goes on behind them.
      node = node_after(text ? split(text, is_lined) : node, tree_.document, go_down, left);
    }
  }

 private:
  static bool is_code(const Node *node) {
    return is_one_of(node->tag, {Tag::pre_, Tag::textarea_, Tag::math_, Tag::xmp_});
  }

  static bool parts_text(const Node *node) {
    return is_block(node) || is_one_of(node->tag, {Tag::br_, Tag::img_, Tag::math_, Tag::input_});
  }

  void blank_before(Node *node) {
    if (node->prev && node->parent) insert_before(node->parent, make_text(tree_, " "), node);
  }

  void blank_after(Node *node) {
    if (node->next && node->parent) insert_before(node->parent, make_text(tree_, " "), node->next);
  }

  // Gives an inline element the box, or the blanks, that it is drawn with.
  void draw(Node *node) {
    if (node->tag == Tag::figure_ || node->tag == Tag::figcaption_) node->tag = Tag::div_;
    if (is_one_of(node->tag, {Tag::html_, Tag::body_}) || !node->parent || is(node->tag, kVoid)) return;
    std::string display = style_value(node, "display");
    if (!display.empty() && !style_value(node, "float").empty()) display = "inline";
    const bool is_row = is_drawn_as_row(display) || has_sign(node, kRow) || (display.empty() && sheets_.draws_as_row(node));
    if (is_row) {
      for (Node *child = node->first; child; child = child->next) {
        if (is_element(child) && !is_block(child) && !is_gone(child)) blank_before(child);
      }
    }
    if (node->tag == Tag::math_ || is(node->tag, kBlock | kTablePart)) return;
    const bool is_box = is_drawn_as_block(display) || has_sign(node, kDrawnAsBlock) ||
                        (node->tag == Tag::span_ && display.empty() && has_sign(node, kBlockOfSpan)) ||
                        (display.empty() && sheets_.draws_as_block(node));
    if (is_box && holds_any(node)) {
      Node *box = make_element(tree_, Tag::div_);
      replace_with(node, box);
      append(box, node);
      end_line();
    } else if (is_drawn_apart(display) || (display.empty() && sheets_.draws_apart(node)) || is_cell_by_role(node)) {
      blank_before(node);
      blank_after(node);
    } else if (is_glued(node)) {
      blank_after(node);
    }
  }

  static bool is_cell_by_role(const Node *node) {
    static constexpr std::string_view kRoles[] = {"cell", "gridcell", "columnheader", "rowheader"};
    return is_in(kRoles, value_of(node, "role"));
  }

  // Whether there is anything to see in an element; an icon is drawn by a style.
  static bool holds_any(const Node *root) {
    int left = 500;
    for (const Node *node = root; node && --left > 0; node = seen_after(node, root)) {
      if (node->kind == Kind::text && !is_blank_text(node->text)) return true;
      if (is_one_of(node->tag, {Tag::img_, Tag::math_})) return true;
    }
    return left == 0;
  }

  // Whether a word would be made of the end of an element and the beginning of what follows, which a
  // reader sees as two: a call-out and its title, two boxes of a card.
  static bool is_glued(const Node *node) {
    const Node *next = node->next;
    if (!next || !node->first || is_block(next) || is_gone(next)) return false;
    if (is_one_of(next->tag, {Tag::sup_, Tag::sub_})) return false;
    const bool is_own = node->tag == Tag::unknown && node->space == Space::html;
    if (!is_own && !is_one_of(node->tag, {Tag::span_, Tag::strong_, Tag::b_, Tag::em_, Tag::i_, Tag::a_, Tag::small_, Tag::time_})) {
      return false;
    }
    constexpr size_t kEnough = 200;
    const uint32_t start = first_code(first_text(next));
    if (!is_upper(start) && !is_ascii_digit(start)) return false;
    const std::string text = text_of(node, kEnough), after = text_of(next, kEnough);
    const uint32_t end = last_code(text);
    const bool is_joint = text.size() < kEnough && (is_lower(end) || is_ascii_digit(end)) &&
                          (is_upper(start) || (is_ascii_digit(start) && !is_ascii_digit(end) && is_element(next)));
    if (!is_joint) return false;
    static constexpr std::string_view kApart[] = {"title", "label", "heading", "header", "caption", "badge", "prefix", "lead"};
    if (html::holds_any<kApart>(value_of(node, "class"))) return true;
    if (is_element(next)) {
      const bool is_alike = is(next->tag, kInline) || next->tag == node->tag || is_own;
      return is_alike && (contains(text, " ") || contains(after, " "));
    }
    // What a paragraph begins with in bold letters, if it is no half of a word.
    constexpr size_t kLeastWord = 4, kLeastText = 20;
    const bool is_first = !node->prev || (node->prev->kind == Kind::text && is_blank_text(node->prev->text));
    return is_one_of(node->tag, {Tag::b_, Tag::strong_}) && is_first && text.size() >= kLeastWord &&
           after.size() >= kLeastText && contains(after, " ");
  }

  static std::string_view first_text(const Node *root) {
    for (const Node *node = root; node; node = seen_after(node, root)) {
      if (node->kind == Kind::text && !node->text.empty()) return node->text;
    }
    return {};
  }

  static bool is_lower(uint32_t code) { return is_cased(code) && lower(code) == code; }
  static bool is_upper(uint32_t code) { return is_cased(code) && lower(code) != code; }

  void end_line() {
    last_ = 0;
    waiting_ = nullptr;
  }

  // Takes the ends of lines between East Asian letters out of a text.
  void join_lines(Node *node) {
    std::string_view text = node->text;
    if (is_blank_text(text)) {
      // Between two elements it parts them: two links of a trail, two words of a list.
      const bool parts = node->prev && node->next && is_element(node->prev) && is_element(node->next);
      if (text.find('\n') == text.npos || waiting_ || parts) end_line();
      else if (is_east_asian(last_)) waiting_ = node;
      return;
    }
    if (!may_be_east_asian(text)) return end_line();
    const size_t start = static_cast<size_t>(
        std::find_if(text.begin(), text.end(), [](char c) { return !is_space(c); }) - text.begin());
    const uint32_t first = first_code(text.substr(start));
    if (is_east_asian(first) && is_east_asian(last_)) {
      const bool ends_line = text.substr(0, start).find('\n') != text.npos;
      if (waiting_ && (start == 0 || ends_line)) {
        std::string_view before = waiting_->text;
        while (!before.empty() && is_space(before.back())) before.remove_suffix(1);
        waiting_->text = before;
        waiting_->room = 0;
        if (ends_line) text.remove_prefix(start);
      } else if (!waiting_ && ends_line) {
        text.remove_prefix(start);
      }
    }
    waiting_ = nullptr;
    if (text.find('\n') != text.npos) {
      std::string joined;
      size_t done = 0;
      for (size_t at = text.find('\n'); at != text.npos; at = text.find('\n', at)) {
        size_t from = at, to = at;
        while (from > done && is_space(text[from - 1])) --from;
        while (to < text.size() && is_space(text[to])) ++to;
        if (from > 0 && to < text.size() && is_east_asian(last_code(text.substr(0, from))) &&
            is_east_asian(first_code(text.substr(to)))) {
          joined.append(text.substr(done, from - done));
          done = to;
        }
        at = to;
      }
      if (done > 0) text = tree_.arena.keep(joined.append(text.substr(done)));
    }
    node->text = text;
    node->room = 0;
    const std::string_view inner = stripped(text);
    last_ = last_code(inner);
    const size_t end = text.find_last_not_of(" \t\n\r\f") + 1;
    if (end < text.size()) {
      if (text.substr(end).find('\n') != text.npos && is_east_asian(last_)) waiting_ = node;
      else last_ = 0;
    }
  }

  // Whether two thirds of the paragraphs end as a sentence does, and the next begins as one.
  static bool are_sentences(const std::vector<std::string_view> &paragraphs) {
    size_t whole = 0;
    for (size_t at = 1; at < paragraphs.size(); ++at) {
      const std::string_view before = stripped(paragraphs[at - 1]);
      const uint32_t first = first_code(stripped(paragraphs[at]));
      const bool begins = is_upper(first) || is_ascii_digit(first) || first == 0xA7 || first == '-' || first == 0x2013;
      whole += begins && is_in(std::string_view(".:;!?"), before.back());
    }
    return 3 * whole >= 2 * (paragraphs.size() - 1);
  }

  // Cuts a text where its source has blank lines, if these can only be ends of paragraphs, and at the
  // ends of lines that are drawn as such. Returns the last piece.
  Node *split(Node *node, bool is_lined) {
    const std::string_view text = node->text;
    if (text.find('\n') == text.npos || !node->parent || is_blank_text(text)) {
      join_lines(node);
      return node;
    }
    std::vector<std::string_view> paragraphs;
    size_t bytes = 0;
    for (size_t start = 0; start <= text.size();) {
      size_t end = start, next = text.size() + 1;
      for (end = text.find('\n', start); end != text.npos; end = text.find('\n', end + 1)) {
        size_t blank = end + 1;
        while (blank < text.size() && (text[blank] == ' ' || text[blank] == '\t' || text[blank] == '\r')) ++blank;
        if (blank < text.size() && text[blank] == '\n') {
          next = blank + 1;
          break;
        }
      }
      if (end == text.npos) end = text.size();
      const std::string_view paragraph = text.substr(start, end - start);
      if (!is_blank_text(paragraph)) {
        paragraphs.push_back(paragraph);
        bytes += paragraph.size();
      }
      start = next;
    }
    const bool is_many = paragraphs.size() > 1 &&
                         (is_lined || (bytes >= kLongText && bytes >= kLongParagraph * paragraphs.size()) ||
                          (bytes >= kShortText && paragraphs.size() >= kFewParagraphs && are_sentences(paragraphs)));
    if (!is_many && !(is_lined && paragraphs.size() == 1)) {
      join_lines(node);
      return node;
    }
    Node *parent = node->parent, *place = node->next, *last = node;
    const bool begins_blank = is_space(text[0]);
    node->text = begins_blank ? " " : "";
    node->room = 0;
    const auto put = [&](Node *made) {
      insert_before(parent, made, place);
      last = made;
    };
    for (size_t at = 0; at < paragraphs.size(); ++at) {
      if (at > 0) put(make_element(tree_, Tag::div_));
      std::string_view paragraph = paragraphs[at];
      while (is_lined && !paragraph.empty() && (paragraph.front() == '\n' || paragraph.front() == '\r')) paragraph.remove_prefix(1);
      while (is_lined && at + 1 < paragraphs.size() && !paragraph.empty() && is_space(paragraph.back())) paragraph.remove_suffix(1);
      for (size_t start = 0; start <= paragraph.size();) {
        const size_t end = is_lined ? std::min(paragraph.find('\n', start), paragraph.size()) : paragraph.size();
        if (start > 0) put(make_element(tree_, Tag::br_));
        Node *line = make_text(tree_, paragraph.substr(start, end - start));
        put(line);
        if (!is_lined) join_lines(line);
        start = end + 1;
      }
    }
    end_line();
    return last;
  }

  Tree &tree_;
  const StyleSheets &sheets_;
  uint32_t last_ = 0;         // the letter before, if nothing but ends of lines stand between
  Node *waiting_ = nullptr;   // a text with the end of a line behind that letter
};

}  // namespace

void reshape_text(Tree &tree, const StyleSheets &sheets) { TextReader(tree, sheets).reshape(); }

}  // namespace skord::html
