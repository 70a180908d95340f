#include <algorithm>

#include "markdown/plain_lines.hpp"
#include "text/parts.hpp"
#include "text/unicode.hpp"

namespace skord {

namespace {

// A stretch of a text, and what stands for it.
struct Replaced {
  size_t size = 0;  // 0: nothing stands here
  std::string text;
};

size_t end_of_quoted(std::string_view text, size_t start) {
  return std::min(text.find('"', start), text.size());
}

// <img src="…" alt="…" …>, and the like with other names.
Replaced image_at(std::string_view text) {
  for (const std::string_view start : {"<img src=\"", "<embed src=\"", "<video src=\""}) {
    if (!starts_with(text, start)) continue;
    const size_t end = end_of_quoted(text, start.size());
    if (end == text.size()) return {};
    const std::string address(text.substr(start.size(), end - start.size()));
    constexpr std::string_view kAlt = " alt=\"";
    if (starts_with(text.substr(end + 1), kAlt)) {
      const size_t first = end + 1 + kAlt.size(), last = end_of_quoted(text, first);
      const size_t close = text.find('>', last);
      const std::string alt(text.substr(first, last - first));
      if (close != text.npos) return {close + 1, "![" + alt + "](" + address + ")"};
    }
    const size_t close = text.find('>', end);
    return close == text.npos ? Replaced{} : Replaced{close + 1, "![](" + address + ")"};
  }
  return {};
}

std::string mark_of(std::string_view name, bool is_closing) {
  if (name == "strong") return "**";
  if (name == "em") return "*";
  if (name == "del") return "~~";
  if (is_closing) return "";
  if (name == "li" || name == "dt") return "- ";
  const bool is_heading = name.size() == 2 && name[0] == 'h' && name[1] >= '1' && name[1] <= '6';
  return is_heading ? std::string(size_t(name[1] - '0'), '#') + " " : "";
}

Replaced tag_at(std::string_view text) {
  const bool is_closing = starts_with(text, "</");
  const size_t start = is_closing ? 2 : 1;
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  size_t end = start;
  while (end < text.size() &&
         (is_letter(text[end]) || (end > start && is_ascii_digit(text[end])))) {
    ++end;
  }
  if (end == start) return {};
  const std::string_view name = text.substr(start, end - start);
  if (end < text.size() && text[end] == ' ') end = text.find_first_of("<>", end);
  if (end >= text.size() || text[end] != '>') return {};
  return {end + 1, mark_of(name, is_closing)};
}

template <class At>
std::string with_replaced(std::string_view text, At at) {
  std::string out;
  while (!text.empty()) {
    const size_t next = std::min(text.find('<'), text.size());
    out.append(text.substr(0, next));
    text.remove_prefix(next);
    if (text.empty()) break;
    const Replaced replaced = at(text);
    out.append(replaced.size ? replaced.text : "<");
    text.remove_prefix(std::max<size_t>(replaced.size, 1));
  }
  return out;
}

}  // namespace

std::string without_tags(std::string_view text) {
  return with_replaced(with_replaced(text, image_at), tag_at);
}

}  // namespace skord
