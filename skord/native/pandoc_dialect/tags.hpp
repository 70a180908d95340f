// The tags that cleaned markup is read by.

#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "pandoc_dialect/inlines.hpp"

namespace skord::pandoc_dialect {

enum class Tag : uint8_t {
  none, other,
  p, h1, h2, h3, h4, h5, h6,
  ul, ol, dl, li, dt, dd,
  table, caption, thead, tr, td, th,
  blockquote, div, figure, figcaption, hr, math, pre, br, img, input,
  a, b, strong, i, em, s, strike, del, code, tt, samp, sup, sub, q, kbd, dfn,
};

// A tag, and the text up to the next.
struct Part {
  Tag tag;
  bool is_end;
  std::string_view attributes;  // as written, each with a blank before it
  std::string_view text;
};

struct Parts {
  std::string_view text;  // before the first
  std::vector<Part> parts;
};

Parts parts_of(std::string_view markup);

inline bool is_heading(Tag tag) { return tag >= Tag::h1 && tag <= Tag::h6; }
inline bool is_list(Tag tag) { return tag >= Tag::ul && tag <= Tag::dl; }
inline bool is_definition(Tag tag) { return tag == Tag::dt || tag == Tag::dd; }
inline bool is_cell(Tag tag) { return tag == Tag::td || tag == Tag::th; }

// What a run of text holds, besides <br> and <img>.
inline bool is_style(Tag tag) { return tag >= Tag::a; }
inline bool is_code(Tag tag) { return tag >= Tag::code && tag <= Tag::samp; }

// A part of a table that holds no text itself.
inline bool is_table_part(Tag tag) {
  return tag == Tag::table || tag == Tag::thead || tag == Tag::tr;
}

// The style that a tag gives; `tag` for those that are written by their name.
Style style_of(Tag tag);
std::string_view name_of(Tag tag);

}  // namespace skord::pandoc_dialect
