// The markup that converters get, and the blanks in it.

#include <algorithm>

#include "html/reading/reshape.hpp"
#include "page_reader.hpp"
#include "text/utf8.hpp"

namespace skord::html {

namespace {

constexpr std::string_view kLazySources[] = {"src", "data-src", "data-lazy-src", "data-original"};
constexpr std::string_view kPreStart = "<pre", kPreEnd = "</pre>", kCode = "<code>";
constexpr size_t kMostHeadingChars = 1000, kMostHeadingTags = 1000;
constexpr std::string_view kNbsp = "&nbsp;";

// A formula as pandoc reads it, too.
constexpr std::string_view kTexStart = "<semantics><annotation encoding=\"application/x-tex\">";
constexpr std::string_view kTexEnd = "</annotation></semantics>";

bool is_list(std::string_view name) { return name == "ul" || name == "ol"; }

// Also where a quote is lacking before it, as in `<a title="x href="/y">`.
bool has_address(const Node *node) {
  const auto attributes = node->all_attributes();
  return std::any_of(attributes.begin(), attributes.end(), [](const Attribute &one) {
    return one.name == "href" || ends_with(one.value, " href=");
  });
}

// The bytes that `add_visible` looks at, and no others.
struct LookedAt {
  bool at[256] = {};
  constexpr LookedAt() {
    for (int byte = 0; byte < 256; ++byte) at[byte] = BeginsInvisible()(static_cast<uint8_t>(byte));
    for (const char sign : {'&', '<', '>', '"'}) at[int(sign)] = true;
  }
};
constexpr LookedAt kLooked;

}  // namespace

void add_visible(std::string &out, std::string_view text, bool in_value) {
  size_t done = 0;
  const auto replace = [&](size_t at, size_t size, std::string_view with) {
    out.append(text.substr(done, at - done)).append(with);
    done = at + size;
  };
  for (size_t at = 0; at < text.size(); ++at) {
    if (!kLooked.at[static_cast<uint8_t>(text[at])]) continue;
    switch (text[at]) {
      case '&': replace(at, 1, "&amp;"); break;
      case '<': replace(at, 1, "&lt;"); break;
      case '>': replace(at, 1, "&gt;"); break;
      case '"':
        if (in_value) replace(at, 1, "&quot;");
        break;
      default:
        if (starts_with(text.substr(at), "\xC2\xA0")) {
          replace(at, 2, kNbsp);
        } else if (const size_t size = invisible_at(text, at)) {
          replace(at, size, "");
          // `done` is behind what was dropped, and the loop adds one.
          at = done - 1;
        }
    }
  }
  out.append(text.substr(done));
}

void add_folded(std::string &out, std::string_view text) {
  size_t done = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c > ' ' || c < 0) continue;
    if (!is_space(c)) continue;
    size_t end = at + 1;
    while (end < text.size() && is_space(text[end])) ++end;
    if (end > at + 1 || c != ' ') {
      out.append(text.substr(done, at - done)).push_back(' ');
      done = end;
    }
    at = end - 1;
  }
  out.append(text.substr(done));
}

std::string escaped_value(const Node *node, std::string_view name) {
  std::string value;
  add_visible(value, value_of(node, name), true);
  return value;
}

void CleanMarkup::text(std::string_view text) { add_visible(out_, text, false); }

void CleanMarkup::add_name(std::string_view opening, std::string_view name) {
  // Two links that touch would be one word once only their texts are left.
  if (name[0] == 'a' && opening.size() == 1 && out_.size() == link_end_) out_.push_back(' ');
  link_ = std::string::npos;
  out_.append(opening).append(name);
}

void CleanMarkup::start(const Node *node) {
  const std::string_view name = facts_of(node->tag).cleaned;
  if (name.empty()) {
    if (is(node->tag, kSpaced)) out_.push_back(' ');
    if (node->tag == Tag::input_ && attribute_of(node, "task")) {
      const bool is_done = attribute_of(node, "task")->value == "x";
      out_.append(is_done ? "<input type=\"checkbox\" checked=\"\">" : "<input type=\"checkbox\">");
    }
    return;
  }
  if (name == "img" && node->attribute_count > 0) return add_image(node);
  add_name("<", name);
  if (is_list(name)) lists_.emplace_back(out_.size() - name.size() - 1, false);
  else if ((name == "li" || name == "dl") && !lists_.empty()) lists_.back().second = true;
  if (name == "a") {
    link_ = out_.size() - 2;
    if (has_address(node)) out_.append(" href=\"#\"");
  } else if (node->attribute_count > 0) {
    add_attributes(node, name);
  }
  out_.push_back('>');
  if (name == "math") out_.append(kTexStart);
}

// Those that show in Markdown.
void CleanMarkup::add_attributes(const Node *node, std::string_view name) {
  const auto add = [&](std::string_view key) {
    if (!attribute_of(node, key)) return;
    out_.append(" ").append(key).append("=\"").append(escaped_value(node, key)).append("\"");
  };
  if (name == "ol") {
    add("start");
  } else if (name == "li") {
    add("value");
  } else if (name == "math") {
    add("display");
  } else if (name == "pre" && attribute_of(node, "language")) {
    out_.append(" class=\"").append(escaped_value(node, "language")).append("\"");
  }
}

// An image that has an address; pages that load late keep it in another attribute.
void CleanMarkup::add_image(const Node *node) {
  for (const std::string_view key : kLazySources) {
    const std::string value = escaped_value(node, key);
    const std::string_view source = stripped(value);
    if (source.empty() || begins_lowered(source, "data:")) continue;
    if (is_tracking_image(node)) return;
    add_name("<", "img");
    out_.append(" src=\"").append(source).append("\" alt=\"");
    out_.append(stripped(escaped_value(node, "alt"))).append("\">");
    return;
  }
}

void CleanMarkup::end(const Node *node) {
  const std::string_view name = facts_of(node->tag).cleaned;
  if (name.empty()) {
    if (is(node->tag, kSpaced)) out_.push_back(' ');
  } else if (name == "a") {
    end_link();
  } else {
    if (name == "math") out_.append(kTexEnd);
    add_name("</", is_list(name) ? end_of_list(name) : name);
    out_.push_back('>');
  }
}

// A list without an item becomes a division: converters drop what a list holds outside of items.
std::string_view CleanMarkup::end_of_list(std::string_view name) {
  if (lists_.empty()) return name;
  const auto [start, has_item] = lists_.back();
  lists_.pop_back();
  const size_t content = out_.find('>', start) + 1;
  const bool is_empty = out_.find_first_not_of(" \t\n\r\f", content) == std::string::npos;
  if (has_item && !lists_.empty()) lists_.back().second = true;
  if (has_item || is_empty) return name;
  out_.replace(start, content - start, "<div>");
  return "div";
}

// A link of text alone is only marked, with the blanks at its ends outside; without an address it
// is none.
void CleanMarkup::end_link() {
  if (link_ == std::string::npos) {
    out_.append("</a>");
  } else {
    const size_t start = out_.find('>', link_) + 1;
    // `<a>` alone is three signs; more is its address.
    const bool has_address = start > link_ + 3;
    const std::string text = out_.substr(start);
    out_.resize(link_);
    std::string_view inner = text;
    size_t before = 0;
    if (marks_links_ && has_address) {
      for (bool again = true; again;) {  // a no-break space is a blank, as is any other
        const std::string_view old = inner;
        inner = stripped(inner);
        while (starts_with(inner, kNbsp)) inner.remove_prefix(kNbsp.size());
        while (ends_with(inner, kNbsp)) inner.remove_suffix(kNbsp.size());
        again = inner.size() != old.size();
      }
      before = static_cast<size_t>(inner.data() - text.data());
    }
    if (marks_links_ && has_address && !inner.empty()) {
      out_.append(text, 0, before).append(kLinkStart).append(inner).append(kLinkEnd);
      out_.append(text, before + inner.size());
    } else {
      out_.append(text);
    }
  }
  link_ = std::string::npos;
  link_end_ = out_.size();
}

void CleanMarkup::broken_tag(std::string_view tag) {
  out_.append(with_replaced(tag, "<", "&lt;"));
}

namespace {

// Folds blanks outside of `<pre>`.
std::string with_folded_blanks(std::string_view markup) {
  std::string out;
  out.reserve(markup.size());
  size_t done = 0;
  for (size_t at = markup.find(kPreStart); at != markup.npos; at = markup.find(kPreStart, done)) {
    size_t start = markup.find('>', at) + 1;
    if (starts_with(markup.substr(start), kCode)) start += kCode.size();
    const size_t close = markup.find(kPreEnd, start);
    if (close == markup.npos) break;
    add_folded(out, markup.substr(done, at - done));
    out.append(markup.substr(at, start - at));
    done = close + kPreEnd.size();
    out.append(markup.substr(start, done - start));
  }
  add_folded(out, markup.substr(done));
  return out;
}

bool is_heading_tag(std::string_view tag) {  // from its `<` on
  const size_t at = tag.size() > 1 && tag[1] == '/' ? 2 : 1;
  return tag.size() > at + 2 && tag[at] == 'h' && tag[at + 1] >= '1' && tag[at + 1] <= '6' &&
         tag[at + 2] == '>';
}

// Blocks and breaks in a heading as blanks: pandoc would cut the heading off before them.
std::string flat(std::string_view content) {
  std::string out;
  while (!content.empty()) {
    const size_t next = std::min(content.find('<'), content.size());
    out.append(content.substr(0, next));
    content.remove_prefix(next);
    if (content.empty()) break;
    const size_t end = content.find('>') + 1;
    std::string_view name = content.substr(1, end - 2);
    if (starts_with(name, "/")) name.remove_prefix(1);
    if (name == "div" || name == "p" || name == "br") out.push_back(' ');
    else out.append(content.substr(0, end));
    content.remove_prefix(end);
  }
  return out;
}

// Where the content of a heading ends, from behind its start tag; npos if it holds another, or
// too many tags.
size_t end_of_heading(std::string_view markup, size_t at, char level) {
  for (size_t tags = 0; tags <= kMostHeadingTags; ++tags) {
    at = markup.find('<', at);
    if (at == markup.npos) return at;
    const std::string_view tag = markup.substr(at, 5);
    if (is_heading_tag(tag)) return tag[1] == '/' && tag[3] == level ? at : markup.npos;
    ++at;
  }
  return markup.npos;
}

std::string with_flat_headings(std::string_view markup) {
  std::string out;
  out.reserve(markup.size());
  size_t done = 0;
  for (size_t at = markup.find("<h"); at != markup.npos; at = markup.find("<h", at + 1)) {
    if (!is_heading_tag(markup.substr(at, 5))) continue;
    const size_t start = at + 4, end = end_of_heading(markup, start, markup[at + 2]);
    if (end == markup.npos) continue;
    const std::string_view content = markup.substr(start, end - start);
    if (num_chars(content) <= kMostHeadingChars) {
      const std::string text = flat(content);
      out.append(markup.substr(done, start - done)).append(stripped(text));
      done = end;
    }
    at = end;
  }
  return out.append(markup.substr(done));
}

}  // namespace

std::string CleanMarkup::finished(std::string_view base) {
  const std::string markup = with_flat_headings(with_folded_blanks(out_));
  std::string cleaned(base);
  return cleaned.append(stripped(markup));
}

}  // namespace skord::html
