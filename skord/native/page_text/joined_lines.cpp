#include "bindings/numbers.hpp"
#include "page_text/kept_text.hpp"
#include "text/parts.hpp"
#include "text/unicode.hpp"

namespace skord {

namespace {

bool is_item_or_row(std::string_view line) {
  if (starts_with(line, "|")) return true;
  line = left_stripped(line);
  const size_t size = mark_size(line, 0);
  return size > 0 && size < line.size() && line[size] == ' ';
}

// Signs that lead from a heading to itself, and buttons to edit, end so.
bool may_end_in_mark(std::string_view heading) {
  heading = right_stripped(heading);
  for (const std::string_view mark : {"]", "¶", "🔗", "#"}) {
    if (ends_with(heading, mark)) return true;
  }
  return false;
}

}  // namespace

std::string joined_lines(const Lines &lines, std::string_view kept, const Rewrite &heading,
                         bool escaped) {
  must_fit(kept.size() <= lines.size());
  const std::vector<bool> is_code = code_lines(lines);
  std::string joined, rewritten;
  size_t next = 0;  // behind the last that was kept
  for (size_t number = 0; number < kept.size(); ++number) {
    if (!kept[number]) continue;
    std::string_view line = lines[number];
    if (!is_code[number] && starts_with(line, "#") && may_end_in_mark(line)) {
      line = rewritten = heading(line);
    }
    if (!escaped && !is_code[number] && line.find('\\') != line.npos) {
      line = rewritten = without_needless_escapes(line);
    }
    if (next > 0 && number > next && !is_blank(line) && !is_blank(lines[next - 1]) &&
        !(is_item_or_row(lines[number]) && is_item_or_row(lines[next - 1]))) {
      while (next < number && is_blank(lines[next])) ++next;
      if (next < number) joined.push_back('\n');
    }
    joined.append(line).push_back('\n');
    next = number + 1;
  }
  return joined;
}

}  // namespace skord
