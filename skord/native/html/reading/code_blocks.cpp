#include <algorithm>
#include <utility>
#include <vector>

#include "html/page_reader.hpp"
#include "html/reading/reshape.hpp"
#include "text/utf8.hpp"

namespace skord::html {

namespace {

constexpr std::string_view kBlanks = " \t\n\r\f", kNoBreak = "\xC2\xA0";

// Columns and elements that number lines of code, by the programs that colour code: Pygments, Rouge,
// Chroma, highlight.js, Prism, SyntaxHighlighter, Crayon, GitHub, GitLab, Vim.
constexpr std::string_view kGutters[] = {
    "linenos", "lineno", "linenodiv", "line-numbers-rows", "gutter", "gutter-cell", "gl", "rouge-gutter",
    "hljs-ln-numbers", "hljs-ln-n", "hljs-ln-line-number", "blob-num", "lnt", "ln", "lnlinks", "line-number", "line-nums",
    "line-numbers-container", "linenumber", "line_number", "line-num", "line_nums", "LineNr", "crayon-nums", "crayon-num",
    "code-line-number", "react-line-number", "react-syntax-highlighter-line-number", "diff-line-num",
    "old_line", "new_line", "copy-btn", "copybtn", "copy-button", "clipboard-copy", "toolbar", "code-toolbar-item"};

bool is_gutter(const Node *node) {
  if (node->tag == Tag::button_) return true;
  const std::string_view name = value_of(node, "class");
  if (!name.empty() && has_any_word(name, kGutters)) return true;
  return style_value(node, "user-select") == "none" || style_value(node, "-webkit-user-select") == "none";
}

bool has_digits_alone(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return is_ascii_digit(c) || is_space(c); }) &&
         !is_blank_text(text);
}

// The text of a block of code, line by line.
class CodeText {
 public:
  std::string take(const Node *root) {
    std::vector<std::pair<const Node *, size_t>> lines;  // open blocks; where each began
    const auto left = [&](const Node *node) {
      if (lines.empty() || lines.back().first != node) return;
      const bool is_ended = out_.size() > lines.back().second && out_.back() == '\n';
      is_waiting_ = !is_ended;
      lines.pop_back();
    };
    bool go_down = true;
    for (const Node *node = root; node; node = node_after(node, root, go_down, left)) {
      go_down = !is_gone(node);
      if (node->kind == Kind::text) {
        text(node->text);
      } else if (node != root && is_element(node) && go_down) {
        const bool is_first_cell = node->tag == Tag::td_ && node->next && !node->prev;
        if (is_gutter(node) || (is_first_cell && has_digits_alone(text_of(node, 20'000)))) {
          go_down = false;
        } else if (node->tag == Tag::br_) {
          text("\n");
        } else if (is_line(node)) {
          begin_line();
          lines.emplace_back(node, out_.size());
          if (!node->first) left(node);
        }
      }
    }
    return trimmed();
  }

  // Blocks, and spans or <code> that are lines: these have no end of a line between them.
  static bool is_line(const Node *node) {
    if (is_block(node)) return !is_one_of(node->tag, {Tag::td_, Tag::th_});
    static constexpr std::string_view kDisplays[] = {"block", "flex", "grid", "table-row"};
    if (is_in(kDisplays, style_value(node, "display"))) return true;
    const bool is_part = node->parent && is_block(node->parent) && is_named_line(node->parent);
    const bool may_be = (node->tag == Tag::code_ && !is_part) || (node->tag == Tag::span_ && is_named_line(node));
    return may_be && (is_line_beside(node, node->next) || is_line_beside(node, node->prev));
  }

 private:
  static bool is_named_line(const Node *node) {
    static constexpr std::string_view kLines[] = {"line", "code-line", "cl", "token-line", "hljs-ln-line", "crayon-line",
                                                  "view-line", "source-line", "row"};
    return has_any_word(value_of(node, "class"), kLines);
  }

  static bool is_line_beside(const Node *node, const Node *other) {
    return other && other->tag == node->tag && (node->tag == Tag::code_ || is_named_line(other));
  }

  void begin_line() {
    if (is_waiting_ || (!out_.empty() && out_.back() != '\n')) out_.push_back('\n');
    is_waiting_ = false;
  }

  void text(std::string_view text) {
    if (text.empty()) return;
    if (is_waiting_ && text[0] != '\n') out_.push_back('\n');
    is_waiting_ = false;
    out_.append(text);
  }

  // Without blank lines before and after, and with blanks for no-break spaces, which stand for them.
  std::string trimmed() const {
    std::string text = with_replaced(with_replaced(out_, kNoBreak, " "), "\r", "");
    size_t start = 0;
    for (size_t end = text.find('\n'); end != text.npos && is_blank_text(std::string_view(text).substr(start, end - start));
         end = text.find('\n', start)) {
      start = end + 1;
    }
    text.erase(0, start);
    while (!text.empty() && is_space(text.back())) text.pop_back();
    return text;
  }

  std::string out_;
  bool is_waiting_ = false;
};

constexpr std::string_view kNoLanguages[] = {
    "", "auto", "code", "default", "dark", "false", "highlight", "hljs", "line-numbers", "linenums", "light",
    "no-highlight", "nohighlight", "none", "notranslate", "off", "plain", "plaintext", "pre", "source", "text",
    "theme", "toolbar", "true", "txt", "undefined", "unknown", "wrapper", "container", "block", "table", "inline"};

std::string language_in(std::string_view word) {
  std::string language = lowered(word);
  const size_t end = language.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789+#-_.");
  language.resize(std::min(end, language.size()));
  if (starts_with(language, "html-")) language = "html";
  constexpr size_t kLongest = 24;
  return language.size() > kLongest || is_in(kNoLanguages, language) ? std::string() : language;
}

// The language that an element's class or attributes name.
std::string language_of(const Node *node) {
  for (const std::string_view name : {"data-lang", "data-language", "data-enlighter-language", "data-code-language"}) {
    std::string language = language_in(value_of(node, name));
    if (!language.empty()) return language;
  }
  // GitHub and GitLab write <pre lang="ruby">; languages of people have three letters at most.
  if (const std::string_view lang = value_of(node, "lang"); node->tag == Tag::pre_ || node->tag == Tag::code_) {
    static constexpr std::string_view kShort[] = {"c", "cpp", "css", "go", "js", "php", "sql", "xml", "yml", "jsx", "tsx"};
    const bool is_named = lang.size() > 3 && lang.find('-') == lang.npos;
    if (is_named || is_in(kShort, lang)) return language_in(lang);
  }
  const std::string_view all = value_of(node, "class");
  const size_t brush = all.find("brush:");
  if (brush != all.npos) return language_in(stripped(all.substr(brush + 6)));
  for (const std::string_view word : Words(all)) {
    for (const std::string_view start : {"language-", "lang-", "highlight-source-", "highlight-text-", "highlight-",
                                         "brush-", "src-", "sourceCode-"}) {
      if (!starts_with(word, start)) continue;
      std::string language = language_in(word.substr(start.size()));
      if (!language.empty()) return language;
      break;
    }
  }
  // The word behind the program's own: <pre class="sourceCode python">, <figure class="highlight js">.
  for (const std::string_view own : {"sourceCode", "highlight", "hljs", "syntaxhighlighter", "src"}) {
    if (!has_word(all, own) || (own == "highlight" && node->tag != Tag::figure_)) continue;
    bool is_behind = false;
    for (const std::string_view word : Words(all)) {
      if (is_behind) {
        const bool is_plain = word.find_first_not_of("abcdefghijklmnopqrstuvwxyz+#0123456789") == word.npos;
        return is_plain ? language_in(word) : std::string();
      }
      is_behind = is_behind || word == own;
    }
  }
  return {};
}

// Whether a block of code is more than text with marks that leave no trace: its lines are elements,
// or numbers stand among them.
bool has_parts(const Node *root) {
  if (!is_one_of(root->tag, {Tag::pre_, Tag::listing_, Tag::xmp_})) return true;
  for (const Node *node = root->first; node; node = seen_after(node, root)) {
    if (!is_element(node)) continue;
    if (is_block(node) || is_gutter(node) || node->tag == Tag::br_ || attribute_of(node, "style")) return true;
    if (node->tag == Tag::span_ && CodeText::is_line(node)) return true;
    if (node->tag == Tag::code_ && node->next && is_element(node->next)) return true;
  }
  return false;
}

// What colours code in a table: a column or a row of numbers, and code.
bool is_code_table(const Node *table) {
  static constexpr std::string_view kTables[] = {"highlighttable", "rouge-table", "hljs-ln", "lntable", "crayon-table",
                                                 "js-file-line-container", "codehilitetable"};
  if (has_any_word(value_of(table, "class"), kTables)) return true;
  // One of two columns, the first of numbers, in any other program's.
  size_t rows = 0, seen = 0;
  bool has_numbers = false, has_code = false;
  for (const Node *node = table->first; node && ++seen < 200;) {
    if (node->tag == Tag::tr_) ++rows;
    if (node->tag == Tag::table_) return false;
    const bool is_cell = is_one_of(node->tag, {Tag::td_, Tag::th_});
    if (is_cell) {
      const Node *before = node->prev;
      while (before && !is_element(before)) before = before->prev;
      static constexpr std::string_view kCodes[] = {"blob-code", "rouge-code", "hljs-ln-code", "crayon-code"};
      if (before && has_any_word(value_of(node, "class"), kCodes)) return true;
      if (before && has_class(node, "code") && is_gutter(before)) return true;
      if (!before) has_numbers = has_digits_alone(text_of(node, 20'000));
      else has_code = has_code || find_node(node, [](const Node *at) { return at->tag == Tag::pre_; }, 199);
    }
    node = node_after(node, table, !is_cell);
  }
  return rows == 1 && has_numbers && has_code;
}

// Whether nothing of a node is seen: blanks, or the place that a link leads to.
bool shows_nothing(const Node *node) {
  return node->kind == Kind::text ? is_blank_text(node->text)
                                  : is_gone(node) || (is_element(node) && node->tag == Tag::a_ && !node->first);
}

// Whether no text stands beside an element in the block around it.
bool stands_alone(const Node *node) {
  const Node *before = node->prev, *after = node->next;
  while (before && shows_nothing(before)) before = before->prev;
  while (after && shows_nothing(after)) after = after->next;
  return (!before || is_block(before)) && (!after || is_block(after));
}

// A <code> that is drawn as a block: with its ends of lines kept, or named a language, where no text
// stands beside it.
bool is_lone_code(const Node *node) {
  if (node->tag != Tag::code_) return false;
  const std::string space = style_value(node, "white-space");
  const bool is_drawn = starts_with(space, "pre") || style_value(node, "display") == "block";
  if (!is_drawn && language_of(node).empty()) return false;
  if (text_of(node, 1'000'000).find('\n') == std::string::npos && !is_drawn) return false;
  return stands_alone(node);
}

// The lines of a <code> whose ends are <br> alone; no-break spaces indent them. Empty where it has
// one line.
std::vector<std::string> lines_at_breaks(const Node *code) {
  std::vector<std::string> lines(1);
  bool has_text = false;
  for (const Node *node = code->first; node; node = seen_after(node, code)) {
    if (node->kind == Kind::text) {
      lines.back() += node->text;
    } else if (is_element(node) && node->tag == Tag::br_) {
      lines.emplace_back();
    }
  }
  for (std::string &line : lines) {
    // As browsers draw it: one blank for each run of them, ends of lines among them.
    std::string drawn;
    add_folded(drawn, line);
    if (starts_with(drawn, " ")) drawn.erase(0, 1);
    line = with_replaced(drawn, kNoBreak, " ");
    line.resize(line.find_last_not_of(' ') + 1);  // npos + 1 is 0
    has_text = has_text || !line.empty();
  }
  if (!has_text) return {};
  while (lines.back().empty()) lines.pop_back();
  while (lines.front().empty()) lines.erase(lines.begin());
  return lines.size() > 1 ? lines : std::vector<std::string>();
}

// Whether a <code> of several lines can be a block of its own: in a table it is part of a field.
bool can_be_block(const Node *code) {
  if (!is_block(code->parent) && code->parent->tag != Tag::body_) return false;
  if (!stands_alone(code)) return false;
  for (const Node *around = code->parent; around && is_element(around); around = around->parent) {
    if (is_heading(around->tag) || is_one_of(around->tag, {Tag::td_, Tag::th_, Tag::caption_})) return false;
  }
  return true;
}

// Lines of a <code> within a text: each is code, and breaks stand between them.
void part_at_breaks(Tree &tree, Node *code, const std::vector<std::string> &lines) {
  remove_children(code);
  code->tag = Tag::span_;
  for (const std::string &line : lines) {
    if (code->first) append(code, make_element(tree, Tag::br_));
    if (line.empty()) continue;
    Node *part = make_element(tree, Tag::code_);
    append(part, make_text(tree, line));
    append(code, part);
  }
}

// Takes the blanks and ends of lines of the source, which nobody sees, from the ends of a <code>.
void trim_code(Tree &tree, Node *code) {
  std::vector<Node *> texts;
  for (Node *node = code->first; node; node = seen_after(node, code)) {
    if (node->kind == Kind::text) texts.push_back(node);
  }
  if (std::all_of(texts.begin(), texts.end(), [](const Node *node) { return is_blank_text(node->text); })) return;
  const bool is_within = !is_block(code->parent);
  // Takes the blanks from one end, text by text; whether an end of a line is among them.
  const auto trim = [&](auto text, const auto &part) {
    bool has_end = false;
    for (bool is_blank = true; is_blank; ++text) {
      const std::string_view all = (*text)->text, kept = part(all);
      const std::string_view blanks = kept.data() == all.data() ? all.substr(kept.size()) : all.substr(0, all.size() - kept.size());
      has_end = has_end || blanks.find('\n') != blanks.npos;
      is_blank = kept.empty();
      if (!has_end || blanks.empty()) continue;
      Node *left = make_text(tree, kept);
      replace_with(*text, left);
      *text = left;
    }
    return has_end;
  };
  const bool had_start = trim(texts.begin(), [](std::string_view text) {
    return text.substr(std::min(text.find_first_not_of(kBlanks), text.size()));
  });
  if (had_start && (code->prev || is_within)) insert_before(code->parent, make_text(tree, " "), code);
  const bool had_end = trim(texts.rbegin(), [](std::string_view text) {
    return text.substr(0, text.find_last_not_of(kBlanks) + 1);
  });
  if (had_end && (code->next || is_within)) insert_before(code->parent, make_text(tree, " "), code->next);
}

// A box whose style is that of code.
bool is_drawn_as_code(const Node *node) {
  if (!is_one_of(node->tag, {Tag::div_, Tag::p_}) || !starts_with(style_value(node, "white-space"), "pre")) return false;
  const std::string font = style_value(node, "font-family") + style_value(node, "font");
  return contains(font, "mono") || contains(font, "courier") || contains(font, "consolas");
}

// --- Prose in <pre>: laws, letters and other texts that were written for a typewriter ---

constexpr size_t kLeastWidth = 40, kMostWidth = 100;  // characters of a line that is broken where it is full
constexpr size_t kRagged = 8;                         // of such a line that may be left free
constexpr size_t kLeastProse = 150, kLeastParagraph = 60;  // bytes of letters and signs; of a paragraph and its blanks

struct Paragraph {
  std::vector<std::string_view> lines;
  std::vector<bool> goes_on;  // whether a line is broken where it is full, and the next one goes on with it
};

// A text in paragraphs, which blank lines part, and whether it is prose: letters, and sentences.
class Prose {
 public:
  explicit Prose(std::string_view text) {
    Paragraph paragraph;
    size_t width = 0;
    for_each_part(text, '\n', [&](std::string_view line) {
      line = stripped(line).empty() ? std::string_view() : line.substr(0, line.find_last_not_of(kBlanks) + 1);
      if (line.empty() && !paragraph.lines.empty()) paragraphs.push_back(std::exchange(paragraph, {}));
      if (line.empty()) return;
      paragraph.lines.push_back(line);
      width = std::max(width, num_chars(line));
    });
    if (!paragraph.lines.empty()) paragraphs.push_back(paragraph);
    size_t bytes = 0, of_sentences = 0, letters = 0, signs = 0, ends = 0;
    for (Paragraph &one : paragraphs) {
      const size_t before = bytes;
      for (const std::string_view line : one.lines) {
        for (const char c : line) {
          bytes += !is_space(c);
          letters += is_letter(c);
          signs += is_in(std::string_view("{}<>=;$\\|_#`@^~*&[]"), c);
        }
      }
      join(one, width);
      if (!is_of_sentences(one)) continue;
      of_sentences += bytes - before;
      ends += ends_sentence(one.lines.back());
    }
    is_prose = bytes >= kLeastProse && ends > 0 && 5 * of_sentences >= 2 * bytes && 3 * letters >= 2 * bytes && 100 * signs <= bytes;
  }

  std::vector<Paragraph> paragraphs;
  bool is_prose = false;

 private:
  static bool is_letter(char c) { return (c & 0x80) || is_ascii_letter(c); }
  static bool ends_sentence(std::string_view line) { return is_in(std::string_view(".!?:"), line.back()); }

  static void join(Paragraph &paragraph, size_t width) {
    if (width < kLeastWidth || width > kMostWidth) return paragraph.goes_on.assign(paragraph.lines.size(), false);
    for (size_t at = 0; at + 1 < paragraph.lines.size(); ++at) {
      const std::string_view line = stripped(paragraph.lines[at]), next = stripped(paragraph.lines[at + 1]);
      const std::string_view word = next.substr(0, next.find_first_of(kBlanks));
      const bool is_item = starts_with(word, "§") || word == "-" || word == "*" || word == "–" || word == "•" ||
                           (ends_sentence(line) && word.find_first_not_of("0123456789.)") == word.npos);
      const bool is_full = num_chars(paragraph.lines[at]) + 1 + num_chars(word) + kRagged > width;
      paragraph.goes_on.push_back(!is_item && !contains(line, "   ") && is_full);
    }
    paragraph.goes_on.push_back(false);
  }

  static bool is_of_sentences(const Paragraph &paragraph) {
    size_t words = 0, plain = 0, stops = 0, bytes = 0;
    for (size_t at = 0; at < paragraph.lines.size(); ++at) {
      const bool is_last = at + 1 == paragraph.lines.size();
      if (!is_last && !paragraph.goes_on[at] && !ends_sentence(paragraph.lines[at])) return false;
      for (std::string_view word : Words(paragraph.lines[at])) {
        ++words;
        bytes += word.size() + 1;
        if (is_in(std::string_view(".,;:!?"), word.back())) {
          ++stops;
          word.remove_suffix(1);
        }
        plain += !word.empty() && std::all_of(word.begin(), word.end(), [](char c) { return is_letter(c) || c == '-' || c == '\''; });
      }
    }
    return bytes >= kLeastParagraph && words >= 8 && 5 * plain >= 3 * words && stops > 0 && 30 * stops >= words;
  }
};

// Puts paragraphs of prose in the place of what a <pre> holds: lines that are broken where they are
// full are one, others stay lines.
void put_prose(Tree &tree, Node *pre, const Prose &prose) {
  remove_children(pre);
  pre->tag = Tag::div_;
  for (const Paragraph &paragraph : prose.paragraphs) {
    Node *box = make_element(tree, Tag::div_);
    append(pre, box);
    for (size_t at = 0; at < paragraph.lines.size(); ++at) {
      if (at > 0) append(box, paragraph.goes_on[at - 1] ? make_text(tree, " ") : make_element(tree, Tag::br_));
      append(box, make_text(tree, stripped(paragraph.lines[at])));
    }
  }
}

bool holds_code(Node *pre) {
  return find_node(pre, [](const Node *node) { return is_one_of(node->tag, {Tag::code_, Tag::samp_, Tag::kbd_, Tag::img_}); });
}

}  // namespace

void reshape_code(Tree &tree) {
  for (Node *node = tree.document; node;) {
    const bool is_html = is_element(node) && node->space == Space::html;
    const bool is_code = is_html && (is_one_of(node->tag, {Tag::pre_, Tag::listing_, Tag::xmp_}) || is_lone_code(node) ||
                                     is_drawn_as_code(node) || (node->tag == Tag::table_ && is_code_table(node)));
    std::vector<std::string> lines;
    if (!is_code && is_html && is_one_of(node->tag, {Tag::code_, Tag::samp_})) lines = lines_at_breaks(node);
    const bool is_block_of_lines = !lines.empty() && can_be_block(node);
    if (!is_code && !is_block_of_lines) {
      Node *next = node_after(node, tree.document, lines.empty() && !is_gone(node));
      if (!lines.empty()) {
        part_at_breaks(tree, node, lines);
      } else if (node->tag == Tag::code_) {
        trim_code(tree, node);
        next = node_after(node, tree.document);
      }
      node = next;
      continue;
    }
    std::string language = language_of(node);
    for (const Node *at = node->first; at && language.empty(); at = at->first) {
      for (; at && !is_element(at); at = at->next) {}
      if (!at) break;
      language = language_of(at);
    }
    if (language.empty()) {  // of a table: the cell of code
      find_node(node, [&](const Node *at) {
        if (is_one_of(at->tag, {Tag::code_, Tag::pre_, Tag::td_, Tag::div_})) language = language_of(at);
        return !language.empty();
      }, 199);
    }
    const Node *around = node->parent;
    for (int level = 0; level < 4 && around && language.empty(); ++level, around = around->parent) {
      language = language_of(around);
    }
    Node *next = node_after(node, tree.document, false);
    std::string text;
    if (is_block_of_lines) {
      for (const std::string &line : lines) text.append(text.empty() ? "" : "\n").append(line);
    } else {
      text = CodeText().take(node);
    }
    const bool is_plain = node->tag == Tag::pre_ && language.empty() && text.size() >= kLeastProse;
    if (text.empty()) {
      node->tag = Tag::div_;  // it may hold pictures
    } else if (const Prose prose(is_plain ? text : std::string_view()); prose.is_prose && !holds_code(node)) {
      put_prose(tree, node, prose);
    } else {
      if (has_parts(node)) {
        remove_children(node);
        append(node, make_text(tree, text));
      }
      node->tag = Tag::pre_;
      if (!language.empty()) set_attribute(tree, node, "language", language);
    }
    node = next;
  }
}

}  // namespace skord::html
