// A page's elements and words: pipeline/html/line_context.py says what for.

#include <algorithm>

#include "page_reader.hpp"

namespace skord::html {

namespace {

constexpr size_t kMaxDepth = 64;     // elements deeper than this count as the one around them
constexpr size_t kMostClasses = 8;
constexpr size_t kMostChars = 32;    // of a class or an id: longer ones are made by machines

// Whether two words stand next to each other around a colon: `display : none`.
bool says(std::string_view style, std::string_view key, std::string_view value) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 32) : c; };
  const auto is_at = [&](std::string_view word, size_t at) {
    if (at + word.size() > style.size()) return false;
    return std::equal(word.begin(), word.end(), style.begin() + static_cast<std::ptrdiff_t>(at),
                      [&](char a, char b) { return a == lower(b); });
  };
  const auto pass_blanks = [&](size_t at) {
    while (at < style.size()) {
      size_t next = at;
      if (!is_blank(next_code(style, next))) break;
      at = next;
    }
    return at;
  };
  for (size_t at = 0; at + key.size() < style.size(); ++at) {
    if (!is_at(key, at)) continue;
    size_t colon = pass_blanks(at + key.size());
    if (colon >= style.size() || style[colon] != ':') continue;
    if (is_at(value, pass_blanks(colon + 1))) return true;
  }
  return false;
}

bool hides(std::string_view style) {
  return says(style, "display", "none") || says(style, "visibility", "hidden");
}

void add_parts(std::string &out, std::string_view value, std::string_view sign, size_t most) {
  for (; most > 0; --most) {
    const std::string_view part = next_part(value);
    if (part.empty()) return;
    out.append(sign).append(first_code_points(part, kMostChars));
  }
}

void add_roles(std::string &out, std::string_view value) {
  for (int count = 0; count < 2; ++count) {
    std::string_view part = next_part(value);
    if (part.empty()) return;
    part.remove_prefix(part.rfind('/') + 1);
    out.append(" @").append(first_code_points(part, kMostChars));
  }
}

}  // namespace

std::string described(const Node *node) {
  std::string out(node->text);
  for (uint32_t at = 0; at < node->attribute_count; ++at) {
    const std::string_view key = node->attributes[at].name;
    const bool matters = key == "class" || key == "id" || key == "role" || key == "itemprop" ||
                         key == "itemtype" || key == "hidden" || key == "aria-hidden" ||
                         key == "style";
    if (!matters) continue;
    std::string value;
    add_visible(value, node->attributes[at].value, true);
    if (key == "class") add_parts(out, value, " .", kMostClasses);
    else if (key == "id") add_parts(out, value, " #", 1);
    else if (key == "hidden" || (key == "aria-hidden" && value == "true")) out.append(" !hidden");
    else if (key == "style") out.append(hides(value) ? " !hidden" : "");
    else if (key != "aria-hidden") add_roles(out, value);
  }
  return out;
}

void WordReader::start(const Node *node) {
  take_text();
  if (node->text == "a") {
    for (uint32_t at = 0; at < node->attribute_count && !in_link_; ++at) {
      in_link_ = node->attributes[at].name == "href" ||
                 node->attributes[at].value.find(" href=") != std::string_view::npos;
    }
  } else if (!is(node->tag, kInline)) {
    const int32_t parent = owner();
    if (open_.size() >= kMaxDepth) {
      open_.emplace_back(node->text, parent);
      return;
    }
    words_.parents.push_back(parent);
    words_.elements.push_back(described(node));
    open_.emplace_back(node->text, static_cast<int32_t>(words_.elements.size()) - 1);
  }
}

void WordReader::end(const Node *node) {
  take_text();
  if (node->text == "a") {
    in_link_ = false;
  } else if (!is(node->tag, kInline)) {
    for (size_t at = open_.size(); at-- > 0;) {  // void elements may lie above it
      if (open_[at].first == node->text) return open_.resize(at);
    }
  }
}

void WordReader::text(std::string_view text) {
  if (first_.empty() && more_.empty()) {
    first_ = text;
    return;
  }
  more_.append(first_).append(text);
  first_ = {};
}

void WordReader::take_text() {
  if (first_.empty() && more_.empty()) return;
  std::string_view text = first_.empty() ? std::string_view(more_) : first_;
  std::string visible;
  if (has_invisible(text)) text = visible = without_invisible(text);
  add_words(text, words_.words);
  words_.owners.resize(words_.words.size(), owner());
  words_.linked.resize(words_.words.size(), in_link_);
  first_ = {};
  more_.clear();
}

}  // namespace skord::html
