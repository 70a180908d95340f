#include "pandoc_dialect/writer.hpp"

#include <algorithm>
#include <optional>

#include "pandoc_dialect/escapes.hpp"
#include "text/parts.hpp"
#include "text/unicode.hpp"
#include "text/utf8.hpp"

namespace skord::pandoc_dialect {

namespace {

bool is_script(Style style) { return style == Style::superscript || style == Style::subscript; }

bool is_number(std::string_view text) {
  if (text.empty()) return false;
  while (!text.empty()) {
    const Character sign = first_character(text);
    if (!is_digit(sign.code)) return false;
    text.remove_prefix(sign.size);
  }
  return true;
}

std::string mark_of(const Block &list, size_t at) {
  if (!list.is_numbered) return "  - ";
  const int64_t number = list.numbers[at];
  // What an item holds begins in the fifth column at least, as pandoc writes it.
  return std::to_string(number) + (number < 10 ? ".  " : ". ");
}

BlockKind kind_after(const Item &blocks, size_t at) {
  for (++at; at < blocks.size(); ++at) {
    if (blocks[at]->kind != BlockKind::nothing) return blocks[at]->kind;
  }
  return BlockKind::none;
}

std::string cell_text(const Blocks &cell) {
  if (cell.empty()) return {};
  Writer writer(true);
  writer.write({&cell[0]}, false);
  const std::string text = writer.take();
  return std::string(stripped(text));
}

// The texts of a table's cells, the head's first; none if one holds more than a line.
std::optional<std::vector<std::vector<std::string>>> simple_rows(const Table &table) {
  std::vector<const Row *> rows = {&table.head};
  for (const Row &row : table.rows) rows.push_back(&row);
  for (const Row *row : rows) {
    if (!std::all_of(row->begin(), row->end(), is_simple)) return std::nullopt;
  }
  std::vector<std::vector<std::string>> result;
  for (const Row *row : rows) {
    std::vector<std::string> &texts = result.emplace_back();
    for (const Blocks &cell : *row) texts.push_back(cell_text(cell));
  }
  return result;
}

// Whether raised text is of several marks of notes, such as "1,2".
bool are_notes(std::string_view text, std::string_view before) {
  const bool is_linked = has_marks(text);
  const std::string plain = without_marks(text);
  if (plain.find_first_of("0123456789") == plain.npos) return false;
  if (plain.find_first_not_of("0123456789,;-* ") != plain.npos) return false;
  return is_linked || (!before.empty() && !is_digit(last_character(before).code));
}

std::string with_raised_digits(std::string_view text) {
  std::string out;
  for (const char sign : text) {
    if (is_ascii_digit(sign)) out.append(*script(std::string_view(&sign, 1), Style::superscript));
    else out.push_back(sign);
  }
  return out;
}

// Whether what is raised or lowered behind a text is part of a formula, and not a note's mark, an
// ordinal (1st, 2e, nº) or the end of a shortened word (Mlle).
bool is_script_of_formula(std::string_view text, std::string_view before, bool is_raised) {
  text = stripped(text);
  if (text.empty() || before.empty() || text[0] == '[') return false;
  constexpr uint32_t kEastAsian = 0x2E80, kDash = 0x2010, kLastDash = 0x2015, kMinus = 0x2212;
  if (has_marks(text)) {  // a note's letter
    const std::string plain = without_marks(text);
    const uint32_t code = plain.empty() ? 0 : first_character(plain).code;
    return is_alnum(code) && code < kEastAsian;
  }
  if (has_marks(before)) return false;
  const Character last = last_character(before), first = first_character(text);
  const bool is_behind = is_alnum(last.code) || last.code == ')' || last.code == ']' || last.code == '}';
  if (!is_behind) return false;
  if (!is_raised) return is_alnum(first.code);
  if (text[0] == '*') return false;
  bool has_letters_alone = true;
  for (std::string_view rest = text; !rest.empty(); rest.remove_prefix(first_character(rest).size)) {
    has_letters_alone = has_letters_alone && is_alpha(first_character(rest).code);
  }
  const std::string_view word = before.substr(before.find_last_of(' ') + 1);  // npos + 1 is 0
  if (first.code >= kEastAsian) return false;  // a note's mark, too
  if (!has_letters_alone) {
    const bool is_note = text.back() == ')' && text[0] != '-' && num_chars(word) > 1;
    const bool is_sign = (first.code >= kDash && first.code <= kLastDash) || first.code == kMinus;
    return !is_note && (is_alnum(first.code) || is_sign || is_in(std::string_view("+-("), text[0]));
  }
  const bool is_behind_digit = is_digit(last.code);
  static constexpr std::string_view kEndings[] = {
      "st", "nd", "rd", "th", "er", "ère", "re", "ème", "eme", "de", "nde", "te", "ter", "lle", "me", "mes", "lles", "die", "dje", "ste", "ième",
      "gr", "dr", "ve", "TM", "SM", "MD", "MC", "os", "as", "bis", "ST", "ND", "RD", "TH", "tm", "sm", "rs", "ts"};
  static constexpr std::string_view kOrdinals[] = {"e", "o", "a", "è", "º", "ª"};
  if (is_in(kEndings, text) || (is_behind_digit && is_in(kOrdinals, text)) || (text == "o" && (word == "N" || word == "n")) || (text == "r" && (word == "D" || word == "M"))) return false;
  // Behind a word, letters end it; behind a number or a single letter they are an exponent.
  return is_behind_digit || num_chars(word) <= 1 || last.code == ')';
}

// A cell ends at the next "|", be it in code.
std::string with_escaped_pipes(std::string_view text) { return with_replaced(text, "|", "\\|"); }

size_t shown_length(const std::string &text) {
  return num_chars(has_marks(text) ? without_marks(text) : text);
}

}  // namespace

std::string markdown_of(const Blocks &blocks) {
  Writer writer(false);
  writer.write(pointers_to(blocks), false);
  std::string text = writer.take();
  text.resize(right_stripped(text).size());
  if (!text.empty()) text.push_back('\n');
  return text;
}

void Writer::write(const Item &blocks, bool is_tight, bool in_item) {
  for (size_t at = 0; at < blocks.size(); ++at) {
    is_tight_ = is_tight;
    write_block(blocks, at, is_tight, in_item);
  }
}

void Writer::write_block(const Item &blocks, size_t at, bool is_tight, bool in_item) {
  const Block &block = *blocks[at];
  switch (block.kind) {
    case BlockKind::plain:
    case BlockKind::para:
      write_inlines(block.inlines);
      needed_ = 2;
      return;
    case BlockKind::heading:
      put(std::string(static_cast<size_t>(std::max<int64_t>(block.number, 1)), '#') + " ");
      begins_content_ = true;
      write_inlines(block.inlines);
      needed_ = 2;
      return;
    case BlockKind::list:
    case BlockKind::definitions:
      return write_list(block, is_tight, kind_after(blocks, at));
    case BlockKind::quote:
      return write_quote(block);
    case BlockKind::code:
      return write_code(block, in_item && at == 0);
    case BlockKind::rule:
      needed_ = 2;
      put("-----");
      needed_ = 2;
      return;
    case BlockKind::table:
      return write_table(block, in_item && at == 0);
    default:
      return;
  }
}

void Writer::write_quote(const Block &block) {
  put("> ");
  begins_content_ = true;
  prefix_.append("> ");
  write(pointers_to(block.blocks), false, true);
  prefix_.resize(prefix_.size() - 2);
  needed_ = 2;
}

void Writer::write_list(const Block &block, bool is_tight_here, BlockKind following) {
  const Items result = items_of(block);
  const bool tight = is_tight(result.items);
  for (size_t at = 0; at < result.items.size(); ++at) {
    is_tight_ = at > 0 ? tight : is_tight_here;
    const std::string mark = mark_of(block, at);
    put(mark);
    begins_content_ = true;
    prefix_.append(mark.size(), ' ');
    write(result.items[at], tight, true);
    is_tight_ = tight;
    prefix_.resize(prefix_.size() - mark.size());
    need(1);
  }
  is_tight_ = is_tight_here;
  // Two lists in a row would be read as one, and indented code as part of the last item.
  if (following == BlockKind::list || following == BlockKind::definitions ||
      following == BlockKind::code) {
    need(1);
    put("<!-- end list -->");
    needed_ = 2;
  }
}

void Writer::write_code(const Block &block, bool is_first) {
  if (block.text.empty()) return;
  if (!is_first) needed_ = 2;
  const std::string mark = fence_of(block.text);
  put(mark + block.name);
  needed_ = 1;
  put_lines(block.text);
  needed_ = 1;
  put(mark);
  needed_ = 2;
}

// What a row of Markdown cannot hold: cleaning leaves no such table.
void Writer::write_cells(const Row &row) {
  for (const Blocks &cell : row) {
    write(pointers_to(cell), false);
    needed_ = 2;
  }
}

void Writer::write_table(const Block &block, bool is_first) {
  const Table &table = *block.table;
  if (!is_first) needed_ = 2;
  const auto rows = simple_rows(table);
  if (!rows) {
    write_cells(table.head);
    for (const Row &row : table.rows) write_cells(row);
    return;
  }
  put_lines(pipe_table(*rows));
  needed_ = 2;
  put("");
  needed_ = 2;
  if (table.caption.empty()) return;
  write_inlines(table.caption);
  needed_ = 2;
}

void Writer::write_inlines(const Inlines &inlines) {
  std::string_view before;
  for (const Inline &piece : inlines) {
    if (piece.kind == Kind::styled && is_script(piece.style)) write_script(piece, before);
    else write_inline(piece);
    before = piece.kind == Kind::text || piece.kind == Kind::formula ? std::string_view(piece.text) : "";
  }
}

void Writer::write_inline(const Inline &piece) {
  switch (piece.kind) {
    case Kind::text:
      return write_text(piece.text);
    case Kind::line_break:
      return write_break();
    case Kind::code:
      return put(code_span(in_cell_ ? with_escaped_pipes(piece.text) : piece.text));
    case Kind::formula:
      return put(in_cell_ ? with_escaped_pipes(piece.text) : piece.text);
    case Kind::image: {
      put("![");
      write_inlines(piece.content);
      std::string target = "](";
      append_address(target, piece.text);
      return put(target + ")");
    }
    case Kind::styled:
      return write_styled(piece);
  }
}

void Writer::write_text(const std::string &text) {
  if (needed_ > 0) end_lines();
  std::string escaped;
  append_escaped(escaped, text, begins_content_);
  if (in_cell_) escaped = with_escaped_pipes(escaped);
  // A number is a list's mark only with the sign after it, which may be in the next piece.
  const bool still_begins = begins_content_ && is_number(text);
  put(escaped);
  if (still_begins) begins_content_ = true;
}

void Writer::write_break() {
  put("  ");
  need(1);
}

void Writer::write_styled(const Inline &piece) {
  const Inlines &content = piece.content;
  const Marks marks = marks_of(piece.style);
  // Nothing struck out, as around blocks, would be four tildes: they begin a block of code.
  if (piece.style == Style::struck && plain_text(content).empty()) return write_inlines(content);
  if (piece.style == Style::italic && content.size() == 1 && content[0].kind == Kind::styled &&
      content[0].style == Style::italic) {
    put("*_");  // two stars would begin bold text (CommonMark 6.2)
    write_inlines(content[0].content);
    put("_*");
  } else if (marks.start.empty() && !content.empty()) {
    write_inlines(content);
  } else if (marks.start.empty()) {
    put("");
    begins_content_ = false;
  } else {
    put(marks.start);
    write_inlines(content);
    put(marks.end);
  }
}

// Markdown raises and lowers nothing. Where Unicode has such a sign for each of the text's, they are
// written. Else marks of notes, ordinals and the like stand as text, and others, such as exponents,
// behind "^" or "_".
void Writer::write_script(const Inline &piece, std::string_view before) {
  const bool is_raised = piece.style == Style::superscript;
  Inlines raised;
  bool has_signs = true;
  for (const Inline &part : piece.content) {
    std::optional<std::string> text;
    if (part.kind == Kind::text) text = script(part.text, piece.style);
    if (part.kind == Kind::line_break) text = "";
    if (!text) {
      has_signs = false;
      break;
    }
    if (part.kind == Kind::line_break) {
      raised.push_back(break_piece());
    } else if (!text->empty()) {
      raised.push_back(text_piece(std::move(*text)));
    }
  }
  if (has_signs) return write_inlines(raised);
  const std::string all = plain_text(piece.content);
  if (is_raised && are_notes(all, before)) return write_text(with_raised_digits(all));
  if (!is_script_of_formula(all, before, is_raised)) return write_inlines(piece.content);
  const bool is_long = num_chars(stripped(without_marks(all))) > 1;
  put(is_raised ? is_long ? "^(" : "^" : is_long ? "\\_(" : "\\_");
  write_inlines(piece.content);
  if (is_long) put(")");
}

void Writer::put(std::string_view text) {
  if (needed_ > 0) end_lines();
  if (text.empty()) return;
  if (begins_line_) out_.append(prefix_);
  out_.append(text);
  begins_line_ = begins_content_ = false;
  ends_ = 0;
}

// The line ends that are needed and not there yet.
void Writer::end_lines() {
  const int needed = is_tight_ ? std::min(needed_, 1) : needed_;
  if (!out_.empty()) {
    const int missing = needed - ends_;
    if (missing == 2) {
      out_.append("\n").append(prefix_).append("\n");
      ends_ = prefix_.empty() ? 2 : 1;
    } else if (missing == 1) {
      out_.push_back('\n');
      ++ends_;
    }
  }
  needed_ = 0;
  begins_line_ = begins_content_ = true;
}

void Writer::put_lines(std::string_view text) {
  size_t end = std::min(text.find('\n'), text.size());
  put(text.substr(0, end));
  while (end < text.size()) {
    const size_t start = end + 1;
    end = std::min(text.find('\n', start), text.size());
    if (begins_line_) out_.append(prefix_);
    out_.push_back('\n');
    ++ends_;
    begins_line_ = begins_content_ = true;
    if (end == start) continue;
    out_.append(prefix_).append(text.substr(start, end - start));
    ends_ = 0;
    begins_line_ = false;
  }
}

std::string pipe_table(const std::vector<std::vector<std::string>> &rows) {
  std::vector<std::vector<size_t>> lengths;
  std::vector<size_t> widths(rows[0].size());
  for (const std::vector<std::string> &row : rows) {
    std::vector<size_t> &of_row = lengths.emplace_back();
    for (size_t at = 0; at < row.size(); ++at) {
      of_row.push_back(shown_length(row[at]));
      widths[at] = std::max(widths[at], of_row.back());
    }
  }
  std::string out;
  const auto end_cell = [&](size_t at, size_t missing, char sign) {
    out.append(missing, sign).append(at + 1 < widths.size() ? " | " : " |");
  };
  for (size_t number = 0; number < rows.size(); ++number) {
    out.append(number > 0 ? "\n| " : "| ");
    for (size_t at = 0; at < widths.size(); ++at) {
      out.append(rows[number][at]);
      end_cell(at, widths[at] - lengths[number][at], ' ');
    }
    if (number > 0) continue;
    out.append("\n| ");
    for (size_t at = 0; at < widths.size(); ++at) end_cell(at, widths[at], '-');
  }
  return out;
}

}  // namespace skord::pandoc_dialect
