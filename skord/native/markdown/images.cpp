#include "markdown/images.hpp"

#include <algorithm>

#include "text/unicode.hpp"

namespace skord {

namespace {

size_t one_further(std::string_view text, size_t at) {
  return at + first_character(text.substr(at)).size;
}

}  // namespace

size_t end_of_image(std::string_view text, size_t start) {
  size_t at = start + 2;
  for (; at < text.size() && text[at] != ']'; at = one_further(text, at)) {
    if (text[at] == '[' || text[at] == '\n') return 0;
    if (text[at] == '\\' && (++at == text.size() || text[at] == '\n')) return 0;
  }
  if (text.substr(at, 2) != "](") return 0;
  for (at += 2; at < text.size() && text[at] != ')'; at = one_further(text, at)) {
    if (text[at] == '\n') return 0;
    if (text[at] == '\\') {
      if (++at == text.size() || text[at] == '\n') return 0;
    } else if (text[at] == '(') {
      at = text.find_first_of("()\n", at + 1);
      if (at == text.npos || text[at] != ')') return 0;
    }
  }
  return at < text.size() ? at + 1 : 0;
}

std::string with_blank_images(std::string_view line) {
  std::string out;
  for (size_t at = 0; at < line.size();) {
    const size_t start = std::min(line.find("![", at), line.size());
    out.append(line.substr(at, start - at));
    if (start == line.size()) break;
    const size_t end = end_of_image(line, start);
    out.append(end ? " " : "!");
    at = end ? end : start + 1;
  }
  return out;
}

std::vector<uint32_t> characters_without_images(std::string_view markdown) {
  std::vector<uint32_t> codes(markdown.size());
  uint32_t *to = codes.data();
  for (size_t at = 0; at < markdown.size();) {
    const uint8_t byte = uint8_t(markdown[at]);
    if (byte == '!' && markdown.substr(at, 2) == "![") {
      const size_t end = end_of_image(markdown, at);
      if (end > 0) {
        to = std::copy_n("![]", 3, to);
        at = end;
        continue;
      }
    }
    const Character sign = byte < 0x80 ? Character{byte, 1} : first_character(markdown.substr(at));
    *to++ = sign.code;
    at += sign.size;
  }
  codes.resize(size_t(to - codes.data()));
  return codes;
}

}  // namespace skord
