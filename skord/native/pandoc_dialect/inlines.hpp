// The text within blocks: strings, code, pictures and styles, and how they join.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace skord::pandoc_dialect {

enum class Kind : uint8_t { text, line_break, code, formula, image, styled };

enum class Style : uint8_t {
  none,         // of a link whose text cannot fold into what is around it
  bold,
  italic,
  struck,
  superscript,
  subscript,
  quote,
  inner_quote,  // a quote in a quote
  tag,          // any other, by its name
};

// A piece of text, or what has a form.
struct Inline {
  Kind kind = Kind::text;
  Style style = Style::none;
  std::string text;             // also of code, of a formula, an image's address, a tag's name
  std::vector<Inline> content;  // of a style; what is said of an image
};

using Inlines = std::vector<Inline>;

inline Inline text_piece(std::string text) {
  return {Kind::text, Style::none, std::move(text), {}};
}
inline Inline break_piece() { return {Kind::line_break, Style::none, {}, {}}; }
inline Inline code_piece(std::string text) {
  return {Kind::code, Style::none, std::move(text), {}};
}
inline Inline styled_piece(Style style, Inlines content, std::string tag = {}) {
  return {Kind::styled, style, std::move(tag), std::move(content)};
}

// The signs around a text in a style; none for a style that shows otherwise, or not at all.
struct Marks {
  std::string_view start, end;
};
Marks marks_of(Style style);

// Whether a text holds a break, at whatever depth.
bool has_break(const Inlines &inlines);

// Appends to a text: blanks fold, and neighbours of one style are one.
void add(Inlines &inlines, Inline piece);
void add_text(Inlines &inlines, std::string_view text);
void add_break(Inlines &inlines);

// Appends a link's content: as it is if it holds an image, else its text without styles.
void add_link(Inlines &inlines, Inlines content);

// Takes the blanks from the ends of a text; breaks stay.
void trim(Inlines &inlines);

// The text alone, breaks as blanks; pictures by what is said of them.
void append_plain_text(std::string &out, const Inlines &inlines);
std::string plain_text(const Inlines &inlines);

}  // namespace skord::pandoc_dialect
