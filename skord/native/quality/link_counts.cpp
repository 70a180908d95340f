#include "quality/link_counts.hpp"

#include <algorithm>

#include "text/unicode.hpp"
#include "text/utf8.hpp"

namespace skord {

namespace {

constexpr size_t kLongestEntity = 10;
constexpr size_t kNear = 4000;  // bytes behind a sign in which its partner is looked for

// Behind the next such sign that is near, on the line, after no backslash; `at` if none is.
size_t behind(std::string_view page, size_t at, size_t end, char sign) {
  for (size_t place = at + 1; place < std::min(end, at + kNear); ++place) {
    if (page[place] == '\n') return at;
    if (page[place] == sign && page[place - 1] != '\\') return place + 1;
  }
  return at;
}

struct Shown {
  bool counts;  // whether it is a character of text
  size_t end;
};

// What begins at a place.
Shown shown(std::string_view page, size_t at) {
  const size_t end = page.size();
  if (at + 1 >= end) return {true, end};
  const char sign = page[at], after = page[at + 1];
  if (sign == '\\' && is_ascii_punctuation(after)) return {true, at + 2};
  if (sign == '<' && (after == '/' || is_ascii_letter(after))) {
    const size_t tag_end = behind(page, at, end, '>');
    return {tag_end == at, std::max(tag_end, at + 1)};
  }
  if (sign == '!' && after == '[') {
    const size_t address = behind(page, at, end, ']');
    if (address > at && address < end && page[address] == '(') {
      const size_t image_end = behind(page, address, end, ')');
      return {image_end == address, image_end > address ? image_end : at + 1};
    }
  }
  if (sign == '&' && (after == '#' || is_ascii_letter(after))) {
    return {true, std::max(behind(page, at, std::min(end, at + kLongestEntity), ';'), at + 1)};
  }
  return {true, at + 1};
}

// A page's verdicts and links: numbers of the first, and behind the last.
struct Ranges {
  size_t line, last_line, link, last_link;
};

int64_t linked_chars(std::string_view page, const LineVerdicts &verdicts, const LinkSpans &links,
                     Ranges ranges) {
  int64_t linked = 0;
  int32_t chars = 0;
  bool is_code = false, is_blank = true;
  size_t seen = 0;
  for (size_t at = 0; at < page.size() && ranges.link < ranges.last_link; ++at) {
    const char sign = page[at];
    // Links are given in characters, the page is read in bytes.
    if (is_trail(sign)) continue;
    while (ranges.link < ranges.last_link && links.ends[ranges.link] <= chars) ++ranges.link;
    const bool is_linked = ranges.link < ranges.last_link && links.starts[ranges.link] <= chars;
    ++chars;
    if (sign == '\n') {
      ++ranges.line;
      is_code = false;
      is_blank = true;
    } else if (at < seen || ranges.line >= ranges.last_line || !verdicts.kept[ranges.line]) {
      continue;
    } else if (is_linked) {
      is_code ^= sign == '`';
      const Shown what = is_code ? Shown{true, at + 1} : shown(page, at);
      seen = what.end;
      if (!what.counts) continue;
      const bool was_blank = is_blank;
      is_blank = sign == ' ' || sign == '\t';
      linked += !(was_blank && is_blank);
    } else if (sign == '!') {  // links in an image's description are none of the text's
      seen = shown(page, at).end;
    }
  }
  return linked;
}

void must_part(Numbers<const int64_t> first_of, size_t parts, size_t size) {
  must_fit(first_of.size == parts + 1 && std::is_sorted(first_of.begin(), first_of.end()));
  must_fit(first_of[0] >= 0 && size_t(first_of[parts]) <= size);
}

}  // namespace

void count_linked(const ArrowTexts &pages, const LineVerdicts &verdicts, const LinkSpans &links,
                  Numbers<int64_t> linked) {
  must_fit(linked.size == pages.size() && links.starts.size == links.ends.size);
  must_part(verdicts.first_of, pages.size(), verdicts.kept.size);
  must_part(links.first_of, pages.size(), links.starts.size);
  for (size_t page = 0; page < pages.size(); ++page) {
    const Ranges ranges{size_t(verdicts.first_of[page]), size_t(verdicts.first_of[page + 1]),
                        size_t(links.first_of[page]), size_t(links.first_of[page + 1])};
    linked[page] = linked_chars(pages[page], verdicts, links, ranges);
  }
}

}  // namespace skord
