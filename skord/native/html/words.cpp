// A page's elements and words: skord/html/line_context.py says what for.

#include <algorithm>

#include "page_reader.hpp"

namespace skord::html {

namespace {

constexpr size_t kMaxDepth = 64;     // elements deeper than this count as the one around them
constexpr size_t kMostClasses = 8;
constexpr size_t kMostChars = 32;    // of a class or an id: longer ones are made by machines

// Whether two words stand next to each other around a colon: `display : none`.
bool says(std::string_view style, std::string_view key, std::string_view value) {
  for (; style.size() > key.size(); style.remove_prefix(1)) {
    if (!begins_lowered(style, key)) continue;
    const std::string_view rest = left_stripped(style.substr(key.size()));
    if (starts_with(rest, ":") && begins_lowered(left_stripped(rest.substr(1)), value)) return true;
  }
  return false;
}

bool hides(std::string_view style) {
  return says(style, "display", "none") || says(style, "visibility", "hidden");
}

// Adds the first words of a value behind a sign each; of addresses what stands behind the last slash.
void add_parts(std::string &out, std::string_view value, std::string_view sign, size_t most, bool are_addresses = false) {
  for (std::string_view part : Words(value)) {
    if (most-- == 0) return;
    if (are_addresses) part.remove_prefix(part.rfind('/') + 1);  // npos + 1 is 0
    out.append(sign).append(first_code_points(part, kMostChars));
  }
}

constexpr std::string_view kDescribing[] = {"class", "id",     "role",        "itemprop",
                                            "itemtype", "hidden", "aria-hidden", "style"};

constexpr uint32_t bits_of_describing() {
  uint32_t bits = 0;
  for (const std::string_view name : kDescribing) bits |= name_bit(name);
  return bits;
}

constexpr uint32_t kBitsOfDescribing = bits_of_describing();

// Args: an attribute that describes, its value as it stands in markup.
void add_description(std::string &out, std::string_view key, std::string_view value) {
  if (key == "class") add_parts(out, value, " .", kMostClasses);
  else if (key == "id") add_parts(out, value, " #", 1);
  else if (key == "hidden") out.append(" !hidden");
  else if (key == "aria-hidden") out.append(value == "true" ? " !hidden" : "");
  else if (key == "style") out.append(hides(value) ? " !hidden" : "");
  else add_parts(out, value, " @", 2, true);
}

// What is read out of a start tag with a quote too few, such as `<p title="a id="b">`: its
// attributes are looked for in its text.
void add_descriptions_in(std::string &out, std::string_view tag) {
  for (size_t at = 0; at < tag.size(); ++at) {
    if (tag[at] != ' ') continue;
    const size_t equals = tag.find_first_of(" =", at + 1);
    if (equals == tag.npos || tag.substr(equals, 2) != "=\"") continue;
    const std::string_view key = tag.substr(at + 1, equals - at - 1);
    const size_t end = tag.find('"', equals + 2);
    if (!is_in(kDescribing, key) || end == tag.npos) continue;
    add_description(out, key, tag.substr(equals + 2, end - equals - 2));
    at = end;
  }
}

bool has_quote_too_few(const Node *node) {
  const auto attributes = node->all_attributes();
  return std::any_of(attributes.begin(), attributes.end(), [](const Attribute &one) { return ends_with(one.value, "="); });
}

}  // namespace

std::string start_tag(const Node *node, bool is_escaped) {
  std::string out = "<" + std::string(node->text);
  for (const Attribute &attribute : node->all_attributes()) {
    out.append(" ").append(attribute.name).append("=\"");
    if (is_escaped) add_visible(out, attribute.value, true);
    else out.append(attribute.value);
    out.append("\"");
  }
  return out.append(">");
}

void add_described(std::string &out, const Node *node) {
  out.append(node->text);
  if (node->attribute_count == 0) return;
  if (has_quote_too_few(node)) return add_descriptions_in(out, start_tag(node, true));
  std::string value;
  for (const Attribute &attribute : node->all_attributes()) {
    if (!(name_bit(attribute.name) & kBitsOfDescribing) || !is_in(kDescribing, attribute.name)) continue;
    value.clear();
    add_visible(value, attribute.value, true);
    add_description(out, attribute.name, value);
  }
}

void WordReader::start(const Node *node) {
  take_text();
  controls_ += is(node->tag, kSpaced);
  if (node->text == "a") {
    for (const Attribute &attribute : node->all_attributes()) {
      in_link_ = in_link_ || attribute.name == "href" || contains(attribute.value, " href=");
    }
  } else if (!is(node->tag, kInline)) {
    const int32_t parent = owner();
    if (open_.size() >= kMaxDepth) {
      open_.emplace_back(node->text, parent);
      return;
    }
    words_.parents.push_back(parent);
    add_described(words_.elements.text, node);
    words_.elements.end();
    open_.emplace_back(node->text, static_cast<int32_t>(words_.elements.size()) - 1);
  }
}

void WordReader::end(const Node *node) {
  take_text();
  controls_ = std::max(controls_ - is(node->tag, kSpaced), 0);
  if (node->text == "a") {
    in_link_ = false;
  } else if (!is(node->tag, kInline)) {
    for (size_t at = open_.size(); at-- > 0;) {  // void elements may lie above it
      if (open_[at].first == node->text) return open_.resize(at);
    }
  }
}

void WordReader::text(std::string_view text) {
  // Nearly always one text stands alone between two tags, and is not copied.
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
  constexpr std::string_view kCapitalSigma = "\xCE\xA3";  // what it becomes depends on what is around it
  if (text.find(kCapitalSigma) != text.npos && has_invisible(text)) text = visible = without_invisible(text);
  add_words(text, words_.words, true);
  words_.owners.resize(words_.words.size(), owner());
  words_.linked.resize(words_.words.size(), in_link_);
  words_.controlled.resize(words_.words.size(), controls_ > 0);
  first_ = {};
  more_.clear();
}

}  // namespace skord::html
