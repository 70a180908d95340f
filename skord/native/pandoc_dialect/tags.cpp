#include "pandoc_dialect/tags.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "text/unicode.hpp"

namespace skord::pandoc_dialect {

namespace {

struct Named {
  std::string_view name;
  Tag tag;
  Style style = Style::tag;
};

constexpr Named kTags[] = {
    {"a", Tag::a}, {"b", Tag::b, Style::bold}, {"blockquote", Tag::blockquote}, {"br", Tag::br},
    {"caption", Tag::caption}, {"code", Tag::code},
    {"dd", Tag::dd}, {"del", Tag::del, Style::struck}, {"dfn", Tag::dfn}, {"div", Tag::div}, {"dl", Tag::dl},
    {"dt", Tag::dt}, {"em", Tag::em, Style::italic}, {"figcaption", Tag::figcaption}, {"figure", Tag::figure},
    {"h1", Tag::h1}, {"h2", Tag::h2}, {"h3", Tag::h3}, {"h4", Tag::h4}, {"h5", Tag::h5}, {"h6", Tag::h6},
    {"hr", Tag::hr}, {"i", Tag::i, Style::italic}, {"img", Tag::img}, {"input", Tag::input}, {"kbd", Tag::kbd},
    {"li", Tag::li}, {"math", Tag::math}, {"ol", Tag::ol}, {"p", Tag::p}, {"pre", Tag::pre},
    {"q", Tag::q, Style::quote}, {"s", Tag::s, Style::struck}, {"samp", Tag::samp},
    {"strike", Tag::strike, Style::struck}, {"strong", Tag::strong, Style::bold},
    {"sub", Tag::sub, Style::subscript}, {"sup", Tag::sup, Style::superscript}, {"table", Tag::table},
    {"td", Tag::td}, {"th", Tag::th}, {"thead", Tag::thead}, {"tr", Tag::tr}, {"tt", Tag::tt}, {"ul", Tag::ul},
};

// Where each tag stands in `kTags`, by a hash of its name.
struct Places {
  static constexpr size_t kSlots = 128;
  static constexpr uint8_t kNone = 0xFF;
  uint8_t of[kSlots] = {};

  static constexpr size_t slot_of(std::string_view name) {
    return (static_cast<uint8_t>(name.front()) + 5u * static_cast<uint8_t>(name.back()) + 37u * name.size()) % kSlots;
  }
  constexpr Places() {
    for (uint8_t &place : of) place = kNone;
    for (size_t at = 0; at < std::size(kTags); ++at) {
      size_t slot = slot_of(kTags[at].name);
      while (of[slot] != kNone) slot = (slot + 1) % kSlots;
      of[slot] = static_cast<uint8_t>(at);
    }
  }
};
constexpr Places kPlaces;

Tag tag_named(std::string_view name) {
  for (size_t slot = Places::slot_of(name); kPlaces.of[slot] != Places::kNone; slot = (slot + 1) % Places::kSlots) {
    const Named &one = kTags[kPlaces.of[slot]];
    if (one.name == name) return one.tag;
  }
  return Tag::other;
}

// None for `other`.
Named entry_of(Tag tag) {
  const auto entry = std::find_if(std::begin(kTags), std::end(kTags), [=](const Named &one) { return one.tag == tag; });
  return entry == std::end(kTags) ? Named{{}, tag} : *entry;
}

bool is_letter(char sign) { return sign >= 'a' && sign <= 'z'; }

// Where the name of an attribute ends that may hold anything but blanks, "=", quotes and ">".
size_t end_of_name(std::string_view text, size_t at) {
  while (at < text.size()) {
    const Character sign = first_character(text.substr(at));
    if (sign.code == '=' || sign.code == '"' || sign.code == '>' || is_space(sign.code)) break;
    at += sign.size;
  }
  return at;
}

struct Found {
  size_t size = 0;  // 0: no tag stands here
  Part part{};
};

Found tag_at(std::string_view text) {  // it begins with "<"
  size_t at = text.size() > 1 && text[1] == '/' ? 2 : 1;
  const size_t start = at;
  if (at == text.size() || !is_letter(text[at])) return {};
  while (at < text.size() && (is_letter(text[at]) || is_ascii_digit(text[at]))) ++at;
  const size_t attributes = at;
  while (at < text.size() && text[at] == ' ') {
    const size_t sign = end_of_name(text, at + 1);
    if (sign == at + 1 || text.substr(sign, 2) != "=\"") return {};
    at = text.find('"', sign + 2);
    if (at == text.npos) return {};
    ++at;
  }
  if (at >= text.size() || text[at] != '>') return {};
  const Tag tag = tag_named(text.substr(start, attributes - start));
  return {at + 1, {tag, start == 2, text.substr(attributes, at - attributes), {}}};
}

}  // namespace

Parts parts_of(std::string_view markup) {
  Parts result;
  result.parts.reserve(markup.size() / 24);
  size_t done = 0;
  const auto end_text = [&](size_t end) {
    std::string_view &text = result.parts.empty() ? result.text : result.parts.back().text;
    text = markup.substr(done, end - done);
  };
  for (size_t at = markup.find('<'); at != markup.npos;) {
    const Found tag = tag_at(markup.substr(at));
    if (tag.size > 0) {
      end_text(at);
      result.parts.push_back(tag.part);
      done = at + tag.size;
    }
    at = markup.find('<', at + std::max<size_t>(tag.size, 1));
  }
  end_text(markup.size());
  return result;
}

Style style_of(Tag tag) { return entry_of(tag).style; }
std::string_view name_of(Tag tag) { return entry_of(tag).name; }

}  // namespace skord::pandoc_dialect
