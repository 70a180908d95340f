// skord/html/page_facts.py says what the names mean.

#include "page_facts.hpp"

#include <algorithm>

#include "letters.hpp"

namespace skord::html {

namespace {

constexpr size_t kMostNames = 40;
constexpr size_t kMostChars = 24;     // of what stands behind a name's kind
constexpr size_t kMostLinked = 200'000;  // characters of a script with linked data that are read
constexpr std::string_view kTypeKey = "\"@type\"";
constexpr std::string_view kHasPrefixes[] = {"article", "product", "book",  "video",
                                             "music",   "profile", "event", "og:price"};

// In lower case.
std::string small_value(const Node *node, std::string_view name) { return lowered(stripped(value_of(node, name))); }

// Takes names of a page, each once.
class Facts {
 public:
  void add(std::string_view kind, std::string_view said) {
    std::string name = "~" + std::string(kind) + "-";
    size_t taken = 0;
    for (const char c : said) {
      const char small = lowered(c);
      const bool is_plain = is_ascii_letter(c) || is_ascii_digit(c);
      if (!is_plain && taken == 0) continue;
      if (!is_plain || taken++ == kMostChars) break;
      name.push_back(small);
    }
    if (taken == 0 || count_ == kMostNames) return;
    if ((" " + result.names + " ").find(" " + name + " ") != std::string::npos) return;
    result.names.append(result.names.empty() ? "" : " ").append(name);
    ++count_;
  }

  void meta(const Node *node) {
    std::string name = small_value(node, "property");
    if (name.empty()) name = small_value(node, "name");
    if (name.empty()) return;
    const std::string_view content = stripped(value_of(node, "content"));
    if (name == "og:type") add("og", content.substr(content.rfind(':') + 1));
    else if (name == "generator") add("by", content);
    else if (name == "og:url" && result.address.empty() && is_web_address(content)) {
      result.address = content;
    }
    for (const std::string_view prefix : kHasPrefixes) {
      if (starts_with(name, std::string(prefix) + ":")) add("has", prefix.substr(prefix.rfind(':') + 1));
    }
  }

  void link(const Node *node) {
    const std::string relation = small_value(node, "rel");
    if (relation == "next" || relation == "prev" || relation == "amphtml") add("rel", relation);
    const std::string_view address = stripped(value_of(node, "href"));
    if (relation == "canonical" && is_web_address(address)) result.address = address;
  }

  // The types of linked data: "@type": "Product", or ["Product", "Thing"].
  void linked_data(std::string_view text) {
    text = text.substr(0, kMostLinked);
    for (size_t at = text.find(kTypeKey); at != text.npos; at = text.find(kTypeKey, at)) {
      at = text.find_first_not_of(" \n\r\t:", at + kTypeKey.size());
      if (at == text.npos) return;
      const size_t end = text[at] == '[' ? text.find(']', at) : text.find('"', at + 1);
      if (end == text.npos) return;
      const std::string_view types = text.substr(at, end - at);
      for (size_t quote = types.find('"'); quote != types.npos;) {
        const size_t close = std::min(types.find('"', quote + 1), types.size());
        add("ld", types.substr(quote + 1, close - quote - 1));
        quote = close < types.size() ? types.find('"', close + 1) : types.npos;
      }
    }
  }

  void item(std::string_view type) { add("it", type.substr(type.rfind('/') + 1)); }

  PageFacts result;

 private:
  size_t count_ = 0;
};

}  // namespace

bool is_web_address(std::string_view text) {
  return begins_lowered(text, "http://") || begins_lowered(text, "https://");
}

PageFacts facts_of(const Tree &tree) {
  Facts facts;
  bool go_down = true;
  for (const Node *node = tree.document; node; node = node_after(node, tree.document, go_down)) {
    go_down = !node->is_html(Tag::template_);
    if (node->kind != Kind::element || node->attribute_count == 0) continue;
    if (node->is_html(Tag::meta_)) facts.meta(node);
    else if (node->is_html(Tag::link_)) facts.link(node);
    else if (node->is_html(Tag::script_)) {
      if (node->first && contains(small_value(node, "type"), "ld+json")) facts.linked_data(node->first->text);
    } else if (const Attribute *type = attribute_of(node, "itemtype")) {
      facts.item(type->value);
    }
  }
  return facts.result;
}

}  // namespace skord::html
