#include "pandoc_dialect/tags.hpp"

#include <algorithm>

#include "text/unicode.hpp"

namespace skord::pandoc_dialect {

namespace {

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
  const Tag tag = html::tag_of(text.substr(start, attributes - start));
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

Style style_of(Tag tag) {
  switch (tag) {
    case Tag::b_: case Tag::strong_: return Style::bold;
    case Tag::i_: case Tag::em_: return Style::italic;
    case Tag::s_: case Tag::strike_: case Tag::del_: return Style::struck;
    case Tag::sup_: return Style::superscript;
    case Tag::sub_: return Style::subscript;
    case Tag::q_: return Style::quote;
    default: return Style::tag;
  }
}

}  // namespace skord::pandoc_dialect
