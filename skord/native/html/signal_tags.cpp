// One pass from "<" to "<"; no tree is built, for a page's head seldom says anything.

#include "html/signal_tags.hpp"

#include <algorithm>
#include <bitset>
#include <cstdint>
#include <cstring>

#include "bindings/numbers.hpp"
#include "html/tree.hpp"

namespace skord::html {

namespace {

// Whether a tag of this name begins behind the "<" (and the "/") before `at`.
bool is_named(std::string_view page, size_t at, std::string_view name) {
  if (!begins_lowered(page.substr(at), name)) return false;
  const size_t end = at + name.size();
  return end == page.size() || is_space(page[end]) || page[end] == '>' || page[end] == '/';
}

// Behind the tag's ">"; one within quotes is none. The end of the page where there is none.
size_t end_of_tag(std::string_view page, size_t at) {
  const size_t first = page.find('>', at);
  if (first == std::string_view::npos) return page.size();
  const std::string_view until = page.substr(at, first - at);
  const bool is_open = std::count(until.begin(), until.end(), '"') % 2 != 0;
  if (!is_open && until.find('\'') == std::string_view::npos) return first + 1;  // nearly always
  char quote = 0;
  for (; at < page.size(); ++at) {
    const char c = page[at];
    if (quote) {
      if (c == quote) quote = 0;
    } else if (c == '>') {
      return at + 1;
    } else if ((c == '"' || c == '\'') && page[at - 1] == '=') {
      // Only after `=`: elsewhere it is a stray sign and opens nothing, as in `<meta name=it's>`.
      quote = c;
    } else if ((c == '"' || c == '\'') && is_space(page[at - 1])) {
      size_t before = at - 1;
      while (before > 0 && is_space(page[before])) --before;
      if (page[before] == '=') quote = c;
    }
  }
  return at;
}

char upper(char c) { return c >= 'a' && c <= 'z' ? char(c - 32) : c; }

size_t pair_of(char a, char b) { return size_t(uint8_t(a)) << 8 | uint8_t(b); }

// Words to look for, and the pairs of letters that they begin with: few places have one.
class Wanted {
 public:
  explicit Wanted(const std::vector<std::string_view> &words) : words_(words) {
    for (const std::string_view word : words) {
      must_fit(word.size() > 1);
      for (const char a : {word[0], upper(word[0])}) {
        for (const char b : {word[1], upper(word[1])}) pairs_.set(pair_of(a, b));
      }
    }
  }

  bool in(std::string_view tag) const {
    for (size_t at = 0; at + 1 < tag.size(); ++at) {
      if (!pairs_[pair_of(tag[at], tag[at + 1])]) continue;
      for (const std::string_view word : words_) {
        if (begins_lowered(tag.substr(at), word)) return true;
      }
    }
    return false;
  }

 private:
  const std::vector<std::string_view> &words_;
  std::bitset<65536> pairs_;
};

size_t behind(std::string_view page, std::string_view end, size_t at) {
  const size_t closing = page.find(end, at);
  return closing == std::string_view::npos ? page.size() : closing + end.size();
}

// Behind the end tag of an element whose content is no markup.
size_t end_of_raw(std::string_view page, size_t at, std::string_view name) {
  while (at < page.size()) {
    at = behind(page, "</", at);
    if (is_named(page, at, name)) return end_of_tag(page, at);
  }
  return at;
}

}  // namespace

std::vector<std::string_view> signal_tags(std::string_view page,
                                          const std::vector<std::string_view> &words) {
  static constexpr std::string_view kRaw[] = {"style", "title", "textarea", "xmp", "iframe"};
  const Wanted wanted(words);
  std::vector<std::string_view> tags;
  size_t at = 0;
  while (at < page.size()) {
    const void *bracket = std::memchr(page.data() + at, '<', page.size() - at);
    if (bracket == nullptr) break;
    const size_t start = static_cast<const char *>(bracket) - page.data();
    at = start + 1;
    if (at == page.size()) break;
    const char first = lowered(page[at]);
    if (first == '!') {
      // From behind "!", for the dashes that begin a comment may also end it: `<!-->`.
      if (starts_with(page.substr(at), "!--")) at = behind(page, "-->", at + 1);
    } else if (first == 'm' ? is_named(page, at, "meta") : is_named(page, at, "link")) {
      const size_t end = end_of_tag(page, at);
      const std::string_view tag = page.substr(start, end - start);
      if (wanted.in(tag)) tags.push_back(tag);
      at = end;
    } else if (first == 's' && is_named(page, at, "script")) {
      const size_t content = end_of_tag(page, at);
      const bool is_wanted = wanted.in(page.substr(start, content - start));
      at = end_of_raw(page, content, "script");
      if (is_wanted) tags.push_back(page.substr(start, at - start));
    } else if (first == 's' || first == 't' || first == 'x' || first == 'i') {
      for (const std::string_view name : kRaw) {
        if (is_named(page, at, name)) {
          at = end_of_raw(page, end_of_tag(page, at), name);
          break;
        }
      }
    }
  }
  return tags;
}

}  // namespace skord::html
