#include "text/parts.hpp"

#include "text/unicode.hpp"

namespace skord {

std::string with_replaced(std::string_view text, std::string_view part, std::string_view by) {
  std::string out;
  size_t done = 0;
  for (size_t at = text.find(part); at != text.npos; at = text.find(part, done)) {
    out.append(text.substr(done, at - done)).append(by);
    done = at + part.size();
  }
  return out.append(text.substr(done));
}

std::string_view next_part(std::string_view &rest) {
  // The first place from one on that is blank, or that is not.
  const auto find = [&](size_t at, bool wanted) {
    while (at < rest.size()) {
      if (!wanted && rest[at] > ' ') break;
      while (wanted && at < rest.size() && rest[at] > ' ') ++at;
      if (at == rest.size()) break;
      size_t next = at;
      if (is_space(next_code(rest, next)) == wanted) break;
      at = next;
    }
    return at;
  };
  const size_t start = find(0, false), end = find(start, true);
  const std::string_view part = rest.substr(start, end - start);
  rest.remove_prefix(end);
  return part;
}

std::string with_single_blanks(std::string_view text) {
  std::string out;
  for (const std::string_view word : Words(text)) out.append(out.empty() ? "" : " ").append(word);
  return out;
}

}  // namespace skord
