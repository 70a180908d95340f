// The tags that cleaned markup is read by.

#pragma once

#include <string_view>
#include <vector>

#include "html/tags.hpp"
#include "pandoc_dialect/inlines.hpp"

namespace skord::pandoc_dialect {

using html::is_heading;
using html::is_one_of;
using html::Tag;

inline constexpr Tag kNoTag = Tag::count;

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

inline bool is_list(Tag tag) { return is_one_of(tag, {Tag::ul_, Tag::ol_, Tag::dl_}); }
inline bool is_definition(Tag tag) { return is_one_of(tag, {Tag::dt_, Tag::dd_}); }
inline bool is_cell(Tag tag) { return is_one_of(tag, {Tag::td_, Tag::th_}); }

// What a run of text holds, besides <br> and <img>.
inline bool is_style(Tag tag) { return html::is(tag, html::kStyle); }
inline bool is_code(Tag tag) { return is_one_of(tag, {Tag::code_, Tag::tt_, Tag::samp_}); }

// A part of a table that holds no text itself.
inline bool is_table_part(Tag tag) { return is_one_of(tag, {Tag::table_, Tag::thead_, Tag::tr_}); }

// The style that a tag gives; `tag` for those that are written by their name.
Style style_of(Tag tag);

}  // namespace skord::pandoc_dialect
