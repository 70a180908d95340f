#include "pandoc_dialect/convert.hpp"

#include <algorithm>

#include "html/references.hpp"
#include "pandoc_dialect/escapes.hpp"
#include "pandoc_dialect/reader.hpp"
#include "pandoc_dialect/tags.hpp"
#include "pandoc_dialect/writer.hpp"
#include "text/parts.hpp"
#include "text/utf8.hpp"

namespace skord::pandoc_dialect {

namespace {

// How many bytes a character has that ends a line to some readers, but not to Markdown; else 0.
size_t size_of_other_break(std::string_view text) {
  const auto byte = static_cast<uint8_t>(text[0]);
  if (byte == 0x0B || byte == 0x0C || byte == '\r' || (byte >= 0x1C && byte <= 0x1E)) return 1;
  if (byte == 0xC2) return text.substr(0, 2) == "\xC2\x85" ? 2 : 0;
  if (byte != 0xE2) return 0;
  const std::string_view sign = text.substr(0, 3);
  return sign == "\xE2\x80\xA8" || sign == "\xE2\x80\xA9" ? 3 : 0;
}

// Whether such a character may begin with a byte.
struct BeginsBreak {
  constexpr bool operator()(uint8_t byte) const {
    return ((byte > 10) & (byte < 0x20)) | (byte == 0xC2) | (byte == 0xE2);
  }
};

// A text whose every break of a line is "\n": others become blanks.
std::string with_plain_breaks(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  size_t done = 0;
  for (size_t at = 0; (at = find_byte<BeginsBreak>(text, at)) < text.size();) {
    const size_t size = size_of_other_break(text.substr(at));
    if (size > 0) {
      out.append(text.substr(done, at - done)).push_back(' ');
      done = at + size;
    }
    at += std::max<size_t>(size, 1);
  }
  return out.append(text.substr(done));
}

// What the page's head says in markup: the address in `<head><base href="…"></head>`.
std::string take_base(std::string_view &markup) {
  constexpr std::string_view kStart = "<head><base href=\"", kEnd = "\"></head>";
  if (!starts_with(markup, kStart)) return {};
  const size_t end = markup.find('"', kStart.size());
  if (end == markup.npos || !starts_with(markup.substr(end), kEnd)) return {};
  const std::string_view href = markup.substr(kStart.size(), end - kStart.size());
  markup.remove_prefix(end + kEnd.size());
  return html::unescaped(href);
}

// Takes the marks of links out of a text; the ranges that stood between them, in their order.
std::vector<LinkSpan> take_marks_out(std::string &text) {
  size_t at = place_of_mark(text, 0);
  if (at == text.npos) return {};
  std::vector<LinkSpan> spans;
  std::string out;
  out.reserve(text.size());
  const std::string_view all = text;
  size_t done = 0, start = 0, place = 0;  // in characters: where the open link began, where we are
  bool is_open = false;
  for (; at != all.npos; at = place_of_mark(all, done)) {
    const std::string_view before = all.substr(done, at - done), mark = all.substr(at, kMarkSize);
    out.append(before);
    place += num_chars(before);
    done = at + kMarkSize;
    if (mark == kLinkEnd) {
      if (is_open && start < place) spans.push_back({start, place});
      is_open = false;
    } else if (!is_open) {
      const bool goes_on = mark == kLinkGoesOn && !spans.empty() && before.find_first_not_of(' ') == before.npos;
      start = goes_on ? spans.back().start : place;
      if (goes_on) spans.pop_back();
      is_open = true;
    }
  }
  out.append(all.substr(done));
  text = std::move(out);
  return spans;
}

}  // namespace

Result convert(std::string_view cleaned) {
  Result result;
  try {
    const std::string base = take_base(cleaned);
    const std::string markup = with_plain_breaks(cleaned);
    const Parts parts = parts_of(markup);
    Reader reader(parts, base);
    Blocks blocks = reader.take_blocks();
    with_paragraphs(blocks);
    result.markdown = markdown_of(blocks);
    result.links = take_marks_out(result.markdown);
  } catch (const Decline decline) {
    return {{}, {}, decline};
  }
  return result;
}

}  // namespace skord::pandoc_dialect
