#include "page.hpp"

#include <algorithm>

#include "html/reading/reshape.hpp"
#include "html/tree_construction/builder.hpp"
#include "page_facts.hpp"
#include "page_reader.hpp"
#include "references.hpp"
#include "text/utf8.hpp"

namespace skord::html {

namespace {

constexpr size_t kHeadChars = 100'000;  // how far a title is looked for where no <body> ends that

size_t find_lower(std::string_view text, std::string_view lower, size_t from) {
  for (size_t at = text.find('<', from); at != text.npos; at = text.find('<', at + 1)) {
    if (begins_lowered(text.substr(at), lower)) return at;
  }
  return text.npos;
}

uint32_t code_at(std::string_view text, size_t at) { return next_code(text, at); }

// Where the first <body> stands in the source, be it in a script; npos for none.
size_t place_of_body(std::string_view source) {
  constexpr std::string_view kBody = "<body";
  size_t at = find_lower(source, kBody, 0);
  for (; at != source.npos; at = find_lower(source, kBody, at + 1)) {
    const size_t next = at + kBody.size();
    if (next == source.size()) return source.npos;
    if (source[next] == '>' || is_blank(code_at(source, next))) return at;
  }
  return at;
}

// Behind the first tag, from some place on, that begins so and ends in `>`, with nothing but blanks
// between; npos for none.
size_t behind_end_tag(std::string_view text, std::string_view start, size_t from) {
  for (size_t at = find_lower(text, start, from); at != text.npos;
       at = find_lower(text, start, at + 1)) {
    size_t close = at + start.size();
    while (close < text.size() && is_blank(code_at(text, close))) next_code(text, close);
    if (close < text.size() && text[close] == '>') return close + 1;
  }
  return text.npos;
}

// Takes <noscript> out of what stands before the body: parsing it there moves its images into
// the text. One that a script writes is none: its end may not stand in the head at all. Returns
// whether there was one.
bool drop_noscript(std::string_view source, size_t body, std::string &out) {
  constexpr std::string_view kStart = "<noscript", kScript = "<script";
  const std::string_view head = source.substr(0, body);
  size_t done = 0;
  bool scripts_end = true;
  for (size_t at = head.find('<'); at != head.npos; at = head.find('<', at)) {
    const std::string_view here = head.substr(at, kStart.size());
    if (scripts_end && begins_lowered(here, kScript)) {
      const size_t end = find_lower(head, "</script", at);
      scripts_end = end != head.npos;
      at = scripts_end ? end + 1 : at + 1;
      continue;
    }
    const size_t next = at + kStart.size();
    const uint32_t code = next < head.size() ? code_at(head, next) : ' ';
    if (!begins_lowered(here, kStart) || code == '_' || is_alnum(code)) {
      ++at;
      continue;
    }
    out.append(head.substr(done, at - done));
    done = at = std::min(behind_end_tag(head, "</noscript", next), head.size());
  }
  if (done == 0) return false;
  out.append(source.substr(done));
  return true;
}

// Takes <iframe> out where it stands open at the end of its <noscript>: browsers, which run
// scripts, end it there; to a parser it would hold the rest of the page. Returns whether there was
// one.
bool drop_open_frames(std::string_view source, std::string &out) {
  size_t done = 0, frame = source.npos;
  bool is_inside = false;
  for (size_t at = source.find('<'); at != source.npos; at = source.find('<', at + 1)) {
    const char next = at + 1 < source.size() ? static_cast<char>(source[at + 1] | 32) : '\0';
    if (next != 'n' && next != 'i' && next != '/') continue;
    const std::string_view here = source.substr(at, 10);
    if (begins_lowered(here, "<noscript")) {
      is_inside = true;
      frame = source.npos;
    } else if (is_inside && frame == source.npos && begins_lowered(here, "<iframe")) {
      frame = at;
    } else if (begins_lowered(here, "</iframe")) {
      frame = source.npos;
    } else if (begins_lowered(here, "</noscript")) {
      if (frame != source.npos) {
        out.append(source.substr(done, frame - done));
        done = at;
      }
      is_inside = false;
      frame = source.npos;
    }
  }
  if (done > 0) out.append(source.substr(done));
  return done > 0;
}

// Every node below another in the order of the source, but not the content of templates.
template <class Take>
void for_each_outside_templates(const Node *root, Take take) {
  bool go_down = true;
  for (const Node *node = root; node;
       node = node_after(node, root, go_down)) {
    go_down = !node->is_html(Tag::template_);
    if (!take(node)) return;
  }
}

const Node *first_element(const Tree &tree, Tag tag, std::string_view attribute = {}) {
  const Node *first = nullptr;
  for_each_outside_templates(tree.document, [&](const Node *node) {
    const bool is_it = node->kind == Kind::element && node->tag == tag &&
                       (attribute.empty() || attribute_of(node, attribute));
    if (is_it) first = node;
    return !is_it;
  });
  return first;
}

// What the page's head says; read when no more than the head has been parsed.
void take_head(const Tree &tree, Page &page) {
  page.title.clear();
  if (const Node *title = first_element(tree, Tag::title_)) {
    std::string text;
    for_each_outside_templates(title, [&](const Node *node) {
      if (node->kind == Kind::text) text.append(node->text);
      return true;
    });
    page.title = with_single_blanks(without_invisible(text));
  }
  page.language.clear();
  if (const Node *html = first_element(tree, Tag::html_)) {
    for (const std::string_view name : {"lang", "xml:lang"}) {
      const Attribute *attribute = attribute_of(html, name);
      if (!attribute || attribute->value.empty()) continue;
      page.language = stripped(attribute->value);
      break;
    }
  }
}

// Parses a page and reads its head on the way, when the parser comes to its end.
void parse(std::string_view source, size_t head_size, Tree &tree, Page *page) {
  bool is_read = false, is_cut = false;
  Builder(source, tree).run([&](const Token &token) {
    if (is_read || !page) return;
    is_cut |= token.start < head_size && token.end > head_size;
    if (token.start < head_size && !is_cut) return;
    is_read = true;
    if (!is_cut) take_head(tree, *page);
  });
  if (!page) return;
  if (!is_read) return take_head(tree, *page);
  if (!is_cut) return;
  Tree head;  // the head ends in the middle of something, such as a script that writes "<body>"
  parse(source.substr(0, head_size), head_size, head, nullptr);
  take_head(head, *page);
}

// The page's <base>, by which pandoc makes image addresses absolute.
std::string base_of(const Tree &tree) {
  const Node *base = tree.has_any(Tag::base_) ? first_element(tree, Tag::base_, "href") : nullptr;
  if (!base) return {};
  const std::string_view address = stripped(value_of(base, "href"));
  if (!is_web_address(address)) return {};
  std::string out = "<head><base href=\"";
  for (const char c : address) {
    switch (c) {
      case '&': out.append("&amp;"); break;
      case '<': out.append("&lt;"); break;
      case '>': out.append("&gt;"); break;
      case '"': out.append("&quot;"); break;
      case '\'': out.append("&#x27;"); break;
      default: out.push_back(c);
    }
  }
  return out.append("\"></head>");
}

// Hands a tree's elements and texts to those who write them down.
class PageWalk {
 public:
  PageWalk(CleanMarkup &markup, WordReader &words) : markup_(markup), words_(words) {}

  void walk(const Tree &tree) {
    const auto left = [&](const Node *node) { end(node); };
    bool go_down = true;
    for (Node *node = tree.document; node; node = node_after(node, tree.document, go_down, left)) {
      go_down = enter(node);
    }
    words_.pause();
  }

 private:
  // Whether what a node holds is to be walked.
  bool enter(Node *node) {
    switch (node->kind) {
      case Kind::document: return true;
      case Kind::doctype:
        words_.text(keep("<!DOCTYPE " + std::string(node->text) + ">"));
        return false;
      case Kind::text:
        markup_.text(node->text);
        words_.text(node->text);
        return false;
      case Kind::comment:
      case Kind::instruction:  // to the standard a comment too (WHATWG HTML, section 13.2.5.6)
        words_.pause();
        return false;
      case Kind::element: break;
    }
    if (is(node->tag, kRemoved)) return false;
    if (!is_raw(node) && raw_ == 0) start(node);
    raw_ += is_raw(node);
    return true;
  }

  void start(Node *node) {
    if (!node->has_odd_name) {
      markup_.start(node);
      words_.start(node);
      return;
    }
    mend_names(node);
    const bool is_broken = has_broken_name(node);
    if (is_broken) markup_.broken_tag(start_tag(node, true));
    else markup_.start(node);
    if (is_broken || has_blank_in_name(node)) words_.text(keep(start_tag(node, false)));
    else words_.start(node);
  }

  void end(const Node *node) {
    if (node->kind != Kind::element || is(node->tag, kRemoved)) return;
    raw_ -= is_raw(node);
    if (raw_ > 0 || is_raw(node)) return;
    if (node->space == Space::html && is(node->tag, kVoid)) return;
    markup_.end(node);
    if (node->has_odd_name && has_blank(node->text)) words_.text(keep("</" + std::string(node->text) + ">"));
    else words_.end(node);
  }

  // Elements whose text is not markup: the text stays, the element goes.
  static bool is_raw(const Node *node) {
    return node->tag == Tag::xmp_ || node->tag == Tag::plaintext_;
  }

  std::string_view keep(std::string text) {
    kept_.push_back(std::make_unique<std::string>(std::move(text)));
    return *kept_.back();
  }

  // Names without what is invisible.
  void mend_names(Node *node) {
    if (has_invisible(node->text)) {
      node->text = keep(without_invisible(node->text));
      node->tag = tag_of(node->text);
    }
    for (Attribute &attribute : node->all_attributes()) {
      if (has_invisible(attribute.name)) attribute.name = keep(without_invisible(attribute.name));
      node->name_bits |= name_bit(attribute.name);
    }
  }

  static bool has_blank(std::string_view name) {
    for (size_t at = 0; at < name.size();) {
      if (is_blank(next_code(name, at))) return true;
    }
    return false;
  }

  static bool has_blank_in_name(const Node *node) {
    const auto attributes = node->all_attributes();
    return has_blank(node->text) || std::any_of(attributes.begin(), attributes.end(), [](const Attribute &one) { return has_blank(one.name); });
  }

  // Whether an attribute's name begins so that what is written again of it is no tag: `="`.
  static bool has_broken_name(const Node *node) {
    const auto attributes = node->all_attributes();
    return std::any_of(attributes.begin(), attributes.end(), [](const Attribute &one) { return starts_with(one.name, "=\""); });
  }

  CleanMarkup &markup_;
  WordReader &words_;
  std::vector<std::unique_ptr<std::string>> kept_;
  int raw_ = 0;
};

// How much of a source, with its line ends mended, is searched for a title.
size_t size_of_head(std::string_view source, size_t body, Arena &arena) {
  constexpr size_t kTagSize = 6;  // "<body>"
  // A line feed may stand for every second character before it.
  if (body != source.npos && body + kTagSize <= kHeadChars / 2) return body;
  const size_t limit = with_line_feeds(first_code_points(source, kHeadChars), arena).size();
  return body < limit && body + kTagSize <= limit ? body : limit;
}

void read(std::string_view source, const Limits &limits, bool mark_links, Page &page) {
  const size_t chars = num_chars(source);
  if (chars > limits.max_html_chars) {
    throw Refused(Refusal::too_large, std::to_string(chars) + " characters of HTML: max_html_chars");
  }
  Tree tree;
  const std::string_view raw = source;
  source = with_line_feeds(raw, tree.arena);
  const size_t body = place_of_body(source);
  const size_t head_size = size_of_head(raw, body, tree.arena);
  std::string shortened, framed;
  const bool has_noscript = body != source.npos && drop_noscript(source, body, shortened);
  std::string_view parsed = has_noscript ? std::string_view(shortened) : source;
  if (drop_open_frames(parsed, framed)) parsed = framed;

  parse(parsed, head_size, tree, has_noscript ? nullptr : &page);
  if (has_noscript) {
    Tree head;
    parse(source.substr(0, head_size), head_size, head, nullptr);
    take_head(head, page);
  }
  const std::string base = base_of(tree);
  PageFacts facts = facts_of(tree);
  reshape(tree);
  CleanMarkup markup(mark_links);
  WordReader words(page.words);
  page.words.facts = std::move(facts.names);
  page.words.address = std::move(facts.address);
  PageWalk(markup, words).walk(tree);
  page.cleaned = markup.finished(base);
  const size_t cleaned_chars = num_chars(page.cleaned);
  if (cleaned_chars > limits.max_cleaned_chars) {
    throw Refused(Refusal::too_large, std::to_string(cleaned_chars) + " characters cleaned: max_cleaned_chars");
  }
}

}  // namespace

void read_head(std::string_view source, Page &page) {
  Tree tree;
  const std::string_view mended = with_line_feeds(source, tree.arena);
  const size_t size = size_of_head(source, place_of_body(mended), tree.arena);
  parse(mended.substr(0, size), size, tree, nullptr);
  take_head(tree, page);
}

Page read_page(std::string_view source, const Limits &limits, bool mark_links) {
  Page page;
  try {
    read(source, limits, mark_links, page);
  } catch (const Refused &refused) {
    page.refusal = refused.reason;
    page.refused = refused.what();
  }
  return page;
}

}  // namespace skord::html
