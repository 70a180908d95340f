#include "text/wet_record.hpp"

#include <algorithm>
#include <cstring>

#include "text/unicode.hpp"
#include "text/utf8.hpp"

namespace skord {

namespace {

constexpr std::string_view kHeadEnd = "\r\n\r\n";
constexpr size_t kMaxHead = 64 << 10;

bool same_name(std::string_view written, std::string_view name) {
  return written.size() == name.size() &&
         std::equal(written.begin(), written.end(), name.begin(),
                    [](char a, char b) { return lowered(a) == b; });
}

// "WARC/1.0" and the like.
bool is_version(std::string_view line) {
  return line.size() == 8 && line.substr(0, 5) == "WARC/" && is_ascii_digit(uint8_t(line[5])) &&
         line[6] == '.' && is_ascii_digit(uint8_t(line[7]));
}

// "<urn:uuid:…>" without its brackets, in lower case; false for any other form.
bool bare_id(std::string_view written, std::string &id) {
  constexpr std::string_view kForm = "<urn:uuid:xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx>";
  if (written.size() != kForm.size()) return false;
  id.clear();
  for (size_t at = 0; at < kForm.size(); ++at) {
    const char c = lowered(written[at]);
    const bool hex = is_ascii_digit(uint8_t(c)) || (c >= 'a' && c <= 'f');
    if (at >= 10 && kForm[at] == 'x' ? !hex : c != kForm[at]) return false;
    if (at > 0 && at + 1 < kForm.size()) id.push_back(c);
  }
  return true;
}

// One line of the head; false where it is no plain header.
bool part_header(std::string_view line, std::string_view &name, std::string_view &value) {
  const size_t colon = line.find(':');
  if (colon == line.npos || colon == 0 || line.find('\n') != line.npos) return false;
  name = line.substr(0, colon);
  if (std::any_of(name.begin(), name.end(), [](char c) { return c <= ' ' || c == 0x7F; })) {
    return false;
  }
  value = stripped(line.substr(colon + 1));
  return true;
}

}  // namespace

std::optional<WetRecord> wet_record(std::string_view data) {
  const size_t head_size = data.substr(0, kMaxHead).find(kHeadEnd);
  if (head_size == data.npos) return std::nullopt;
  const std::string_view head = data.substr(0, head_size);
  if (std::any_of(head.begin(), head.end(), [](char c) { return uint8_t(c) >= 0x80; })) {
    return std::nullopt;
  }
  WetRecord record;
  std::string_view id, refers_to, length;
  struct Wanted {
    std::string_view name;
    std::string_view *value;
    bool seen = false;
  } wanted[] = {{"warc-type", &record.type},
                {"warc-target-uri", &record.url},
                {"warc-refers-to", &refers_to},
                {"warc-date", &record.date},
                {"warc-identified-content-language", &record.languages},
                {"warc-block-digest", &record.digest},
                {"warc-record-id", &id},
                {"content-length", &length}};
  size_t start = head.find("\r\n");
  if (!is_version(head.substr(0, start))) return std::nullopt;
  while (start != head.npos) {
    start += 2;
    const size_t end = head.find("\r\n", start);
    std::string_view name, value;
    const size_t stop = std::min(end, head.size());
    if (!part_header(head.substr(start, stop - start), name, value)) return std::nullopt;
    for (Wanted &header : wanted) {
      if (header.seen || !same_name(name, header.name)) continue;
      header.seen = true;
      *header.value = value;
      break;
    }
    start = end;
  }
  const std::string_view rest = data.substr(head_size + kHeadEnd.size());
  if (rest.size() < 4 || rest.substr(rest.size() - 4) != kHeadEnd) return std::nullopt;
  record.block = rest.substr(0, rest.size() - 4);
  const bool whole = length == std::to_string(record.block.size());
  const bool named = bare_id(id, record.id) && bare_id(refers_to, record.refers_to);
  if (!whole || !named || !is_utf8(record.block)) return std::nullopt;
  return record;
}

}  // namespace skord
