// The elements that have rules of their own, and what they are.

#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "text/parts.hpp"

namespace skord::html {

enum class Tag : uint8_t {
  unknown,
#define TAG(identifier, name, cleaned, traits) identifier,
#include "tags.inc"
#undef TAG
  count
};

enum Trait : uint32_t {
  kSpecial = 1 << 0,      // WHATWG HTML 13.2.4.2, "special"
  kScope = 1 << 1,        // ends the search for an element in scope, same section
  kFormatting = 1 << 2,   // "formatting", same section
  kImplied = 1 << 3,      // its end tag may be left out, 13.2.6.3
  kTablePart = 1 << 4,    // the same where end tags are implied thoroughly
  kHeadPart = 1 << 5,     // goes into the head, or is read as there, 13.2.6.4.4
  kBox = 1 << 6,          // its start tag ends a paragraph, its end tag what is open in it, 13.2.6.4.7
  kBreakout = 1 << 7,     // a start tag that ends foreign content, 13.2.6.5
  kVoid = 1 << 8,         // without an end tag, 13.3
  kRemoved = 1 << 9,      // cleaning takes it away with all it holds
  kSpaced = 1 << 10,      // a control, inline but drawn apart: cleaning leaves a blank for its tags
  kInline = 1 << 11,      // parts no lines and says little: line context passes over it
  kBlock = 1 << 12,       // begins a line of its own
  kHolder = 1 << 13,      // indents the lines within
  kHolderPart = 1 << 14,  // a part of such
  kStyle = 1 << 15,       // a style or a link within a line
};

struct TagFacts {
  std::string_view name, cleaned;
  uint32_t traits;
};

inline constexpr std::array<TagFacts, static_cast<size_t>(Tag::count)> kTags = {{
    {"", "", 0},
#define TAG(identifier, name, cleaned, traits) {name, cleaned, traits},
#include "tags.inc"
#undef TAG
}};

inline const TagFacts &facts_of(Tag tag) { return kTags[static_cast<size_t>(tag)]; }
inline bool is(Tag tag, uint32_t traits) { return (facts_of(tag).traits & traits) != 0; }
inline bool is_heading(Tag tag) { return tag >= Tag::h1_ && tag <= Tag::h6_; }
inline bool is_one_of(Tag tag, std::initializer_list<Tag> tags) {
  return is_in(tags, tag);
}

// The element of a name in lower case; Tag::unknown for others.
Tag tag_of(std::string_view name);

}  // namespace skord::html
