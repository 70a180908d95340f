#include "pandoc_dialect/inlines.hpp"

#include <algorithm>
#include <iterator>

namespace skord::pandoc_dialect {

namespace {

bool is_joined(Style style) { return style >= Style::bold && style <= Style::subscript; }

std::string_view left_trimmed(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return text;
}

void right_trim(std::string &text) {
  text.resize(text.find_last_not_of(' ') + 1);  // npos + 1 is 0
}

}  // namespace

Marks marks_of(Style style) {
  switch (style) {
    case Style::bold: return {"**", "**"};
    case Style::italic: return {"*", "*"};
    case Style::struck: return {"~~", "~~"};
    case Style::quote: return {"“", "”"};
    case Style::inner_quote: return {"‘", "’"};
    default: return {};
  }
}

bool has_break(const Inlines &inlines) {
  for (const Inline &piece : inlines) {
    if (piece.kind == Kind::line_break || has_break(piece.content)) return true;
  }
  return false;
}

void add_text(Inlines &inlines, std::string_view text) {
  Inline *last = inlines.empty() ? nullptr : &inlines.back();
  if (last != nullptr && last->kind == Kind::text) {
    const bool is_open = !last->text.empty() && last->text.back() == ' ';
    last->text.append(is_open ? left_trimmed(text) : text);
  } else if (last != nullptr && last->kind == Kind::line_break) {
    text = left_trimmed(text);
    if (!text.empty()) inlines.push_back(text_piece(std::string(text)));
  } else {
    inlines.push_back(text_piece(std::string(text)));
  }
}

void add_break(Inlines &inlines) {
  if (!inlines.empty() && inlines.back().kind == Kind::text) {
    if (inlines.back().text == " ") {
      inlines.pop_back();
    } else {
      right_trim(inlines.back().text);
    }
  }
  inlines.push_back(break_piece());
}

void add(Inlines &inlines, Inline piece) {
  if (piece.kind == Kind::text) return add_text(inlines, piece.text);
  if (piece.kind == Kind::line_break) return add_break(inlines);
  if (piece.kind == Kind::styled && is_joined(piece.style) && !inlines.empty() &&
      inlines.back().kind == Kind::styled && inlines.back().style == piece.style) {
    Inlines &content = inlines.back().content;
    content.insert(content.end(), std::make_move_iterator(piece.content.begin()),
                   std::make_move_iterator(piece.content.end()));
  } else {
    inlines.push_back(std::move(piece));
  }
}

void add_link(Inlines &inlines, Inlines content) {
  const auto is_image = [](const Inline &piece) { return piece.kind == Kind::image; };
  if (std::any_of(content.begin(), content.end(), is_image)) {
    for (Inline &piece : content) add(inlines, std::move(piece));
    return;
  }
  const auto is_script = [](const Inline &piece) {
    return piece.kind == Kind::styled && (piece.style == Style::superscript || piece.style == Style::subscript);
  };
  if (!has_break(content) && std::any_of(content.begin(), content.end(), is_script)) {
    for (Inline &piece : content) {  // a mark of a note, a power: not the number beside it
      if (is_script(piece)) add(inlines, std::move(piece));
      else add_text(inlines, plain_text({std::move(piece)}));
    }
    return;
  }
  std::string text = plain_text(content);
  if (text.empty()) {  // it begins a line all the same
    add(inlines, styled_piece(Style::none, {}));
  } else if (text.front() == ' ' || text.back() == ' ' || has_break(content)) {  // it does not fold
    add(inlines, styled_piece(Style::none, {text_piece(std::move(text))}));
  } else {
    add_text(inlines, text);
  }
}

void trim(Inlines &inlines) {
  const auto is_text = [](const Inline &piece) {
    return piece.kind == Kind::text && !piece.text.empty();
  };
  if (!inlines.empty() && is_text(inlines.front()) && inlines.front().text.front() == ' ') {
    std::string &first = inlines.front().text;
    first.erase(0, std::min(first.find_first_not_of(' '), first.size()));
    if (first.empty()) inlines.erase(inlines.begin());
  }
  if (!inlines.empty() && is_text(inlines.back()) && inlines.back().text.back() == ' ') {
    right_trim(inlines.back().text);
    if (inlines.back().text.empty()) inlines.pop_back();
  }
}

void append_plain_text(std::string &out, const Inlines &inlines) {
  for (const Inline &piece : inlines) {
    const bool is_quote = piece.style == Style::quote || piece.style == Style::inner_quote;
    const Marks marks = is_quote ? marks_of(piece.style) : Marks{};
    out.append(marks.start);
    append_plain_text(out, piece.content);
    out.append(marks.end);
    if (piece.kind == Kind::line_break) out.push_back(' ');
    else if (piece.kind != Kind::styled && piece.kind != Kind::image) out.append(piece.text);
  }
}

std::string plain_text(const Inlines &inlines) {
  std::string out;
  append_plain_text(out, inlines);
  return out;
}

}  // namespace skord::pandoc_dialect
