// The elements that have rules of their own, and what they are.

#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace skord::html {

enum class Tag : uint8_t {
  unknown,
#define TAG(identifier, name, cleaned, traits) identifier,
#include "tags.inc"
#undef TAG
  count
};

enum Trait : uint16_t {
  kSpecial = 1,      // WHATWG HTML 13.2.4.2, "special"
  kScope = 2,        // ends the search for an element in scope, same section
  kImplied = 4,      // its end tag may be left out, 13.2.6.3
  kTablePart = 8,    // the same where end tags are implied thoroughly
  kVoid = 16,        // without an end tag, 13.3
  kBreakout = 32,    // a start tag that ends foreign content, 13.2.6.5
  kRaw = 64,         // its text is written without escapes, 13.3
  kRemoved = 128,    // cleaning takes it away with all it holds
  kSpaced = 256,     // a control, inline but drawn apart: cleaning leaves a blank for its tags
  kInline = 512,     // parts no lines and says little: line context passes over it
};

struct TagFacts {
  std::string_view name, cleaned;
  uint16_t traits;
};

inline constexpr std::array<TagFacts, static_cast<size_t>(Tag::count)> kTags = {{
    {"", "", 0},
#define TAG(identifier, name, cleaned, traits) {name, cleaned, traits},
#include "tags.inc"
#undef TAG
}};

inline const TagFacts &facts_of(Tag tag) { return kTags[static_cast<size_t>(tag)]; }
inline bool is(Tag tag, Trait trait) { return (facts_of(tag).traits & trait) != 0; }

// The element of a name in lower case; Tag::unknown for others.
Tag tag_of(std::string_view name);

}  // namespace skord::html
