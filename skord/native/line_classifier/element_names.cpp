#include "line_classifier/element_names.hpp"

#include <algorithm>
#include <stdexcept>
#include <unordered_map>

#include "text/unicode.hpp"

namespace skord {

namespace {

constexpr size_t kMostFlags = 63;

bool is_small(char sign) { return sign >= 'a' && sign <= 'z'; }
bool is_capital(char sign) { return sign >= 'A' && sign <= 'Z'; }
bool is_digit(char sign) { return sign >= '0' && sign <= '9'; }
bool is_hyphen(char sign) { return sign == '-' || sign == '_'; }
bool is_of_word(char sign) { return is_small(sign) || is_digit(sign) || sign == '_'; }

struct Crc32Table {
  uint32_t of[256];
  constexpr Crc32Table() : of() {
    for (uint32_t octet = 0; octet < 256; ++octet) {
      uint32_t rest = octet;
      for (int bit = 0; bit < 8; ++bit) rest = (rest >> 1) ^ (rest & 1 ? 0xEDB88320 : 0);
      of[octet] = rest;
    }
  }
};

constexpr Crc32Table kCrc32;

// CRC-32 of one sign and what follows it (ISO 3309), as zlib computes it.
uint32_t crc32(char first, std::string_view text) {
  uint32_t crc = ~uint32_t(0);
  const auto add = [&](char sign) { crc = kCrc32.of[(crc ^ uint8_t(sign)) & 255] ^ (crc >> 8); };
  add(first);
  for (const char sign : text) add(sign);
  return ~crc;
}

constexpr size_t kSymbols = ElementReader::kSymbols;

// The number of each sign that families are written in; kSymbols for any other.
struct Symbols {
  uint8_t of[256];
  constexpr Symbols() : of() {
    for (int sign = 0; sign < 256; ++sign) of[sign] = uint8_t(kSymbols);
    for (int sign = 'a'; sign <= 'z'; ++sign) of[sign] = uint8_t(sign - 'a');
    of[int('-')] = 26;
    of[int('_')] = 27;
    of[int('!')] = 28;
    of[int('@')] = 29;
  }
};

constexpr Symbols kSymbolTable;

size_t symbol(char sign) { return kSymbolTable.of[uint8_t(sign)]; }

// Where the part of a name ends that begins at `at`; `at` where none does.
size_t part_end(std::string_view name, size_t at) {
  const auto after = [&](size_t from, bool (*is_one)(char)) {
    while (from < name.size() && is_one(name[from])) ++from;
    return from;
  };
  if (is_digit(name[at])) return after(at, is_digit);
  const size_t end = after(at, is_capital), small_end = after(end, is_small);
  // As in `HTMLParser`: "HTML", then "Parser".
  if (end - at > 1 && small_end > end) return end - 1;  // the last one begins the next part
  return small_end > end ? small_end : end;
}

// A family's alternatives, which "|" separates.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  for (size_t at = 0; at != std::string_view::npos;) {
    const size_t end = text.find(separator, at);
    pieces.push_back(text.substr(at, end - at));
    at = end == std::string_view::npos ? end : end + 1;
  }
  return pieces;
}

// Says of the next element what is known of the same one before.
void repeat(size_t known, ElementNumbers &result) {
  result.flags.push_back(result.flags[known]);
  result.kinds.push_back(result.kinds[known]);
  for (int64_t at = result.starts[known]; at < result.starts[known + 1]; ++at) {
    result.tokens.push_back(result.tokens[size_t(at)]);
  }
}

// Whether a word ends before a text.
bool begins_behind_word(std::string_view text) { return text.empty() || !is_word(first_character(text).code); }

// Whether one of some words stands in a text with nothing behind it that would make it another.
template <size_t kCount, class Ends>
bool holds_name(std::string_view text, const std::string_view (&words)[kCount], Ends ends) {
  for (const std::string_view word : words) {
    for (size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
      if (ends(text.substr(at + word.size()))) return true;
    }
  }
  return false;
}

// Names that Pandoc, Kramdown, Hugo, MediaWiki, WordPress and Word give to notes and captions.
uint8_t kind_of(std::string_view element) {
  constexpr std::string_view kFigures[] = {".wp-caption"}, kCaptions[] = {".wp-caption-text"};
  constexpr std::string_view kNotes[] = {"#fn", "#ftn", "#footnote", "#cite_note"};
  constexpr std::string_view kRoles[] = {"@doc-footnote", "@doc-endnote", "@doc-footnotes", "@doc-endnotes"};
  const auto is_numbered = [](std::string_view rest) {
    if (!rest.empty() && std::string_view("-:_").find(rest[0]) != rest.npos) rest.remove_prefix(1);
    return !rest.empty() && is_decimal(first_character(rest).code);
  };
  uint8_t kind = 0;
  for (const std::string_view tag : {"figure", "figcaption"}) {
    if (element.substr(0, tag.size()) != tag || !begins_behind_word(element.substr(tag.size()))) continue;
    kind = tag == "figure" ? kFigure : kFigure | kCaption;
  }
  const size_t start = element.find(' ');
  if (start == element.npos) return kind;
  const std::string_view names = element.substr(start + 1);
  if (holds_name(names, kFigures, begins_behind_word)) kind |= kFigure;
  if (holds_name(names, kCaptions, begins_behind_word)) kind |= kCaption;
  if (holds_name(names, kNotes, is_numbered)) kind |= kNamedNote;
  if (holds_name(names, kRoles, begins_behind_word)) kind |= kNoteByRole;
  return kind;
}

bool take_end(std::string_view &text, std::string_view end) {
  if (text.size() < end.size() || text.substr(text.size() - end.size()) != end) return false;
  text.remove_suffix(end.size());
  return true;
}

}  // namespace

ElementReader::ElementReader(const std::vector<std::string_view> &tags,
                             const std::vector<std::string_view> &families, int64_t buckets) {
  if (tags.size() + families.size() > kMostFlags || buckets <= 0 || buckets > UINT32_MAX) {
    throw std::invalid_argument("there are too many flags, or no buckets");
  }
  buckets_ = uint32_t(buckets);
  int64_t flag = 1;
  for (const std::string_view tag : tags) {
    tags_[std::string(tag)] = flag;
    flag <<= 1;
  }
  for (const std::string_view family : families) {
    for (const std::string_view pattern : split(family, '|')) add_part(pattern, flag);
    flag <<= 1;
  }
}

void ElementReader::add_part(std::string_view pattern, int64_t flag) {
  std::string_view letters = pattern;
  const bool at_word_start = letters.substr(0, 2) == "\\b";
  if (at_word_start) letters.remove_prefix(2);
  Behind behind = Behind::anything;
  if (take_end(letters, "\\b")) {
    behind = Behind::word_end;
  } else if (take_end(letters, "[-_]")) {
    behind = Behind::hyphen;
  }
  const auto is_other = [](char sign) { return symbol(sign) == kSymbols; };
  if (letters.empty() || std::any_of(letters.begin(), letters.end(), is_other) ||
      (at_word_start && !is_small(letters.front())) ||
      (behind == Behind::word_end && !is_small(letters.back()))) {
    throw std::invalid_argument("no part of a family: " + std::string(pattern));
  }
  size_t node = 0;
  for (const char sign : letters) {
    if (nodes_[node].next[symbol(sign)] == 0) {
      if (nodes_.size() > UINT16_MAX) throw std::invalid_argument("there are too many families");
      nodes_[node].next[symbol(sign)] = uint16_t(nodes_.size());
      nodes_.emplace_back();
    }
    node = nodes_[node].next[symbol(sign)];
  }
  nodes_[node].parts.push_back({flag, at_word_start, behind});
}

// Flags of the families that names in lower case are of; a blank ends each name.
int64_t ElementReader::families(std::string_view lower) const {
  int64_t flags = 0;
  for (size_t start = 0; start < lower.size(); ++start) {
    // A trie of all families' letters: one walk from each place, however many families there are.
    size_t node = 0;
    for (size_t at = start; at < lower.size(); ++at) {
      const size_t next = symbol(lower[at]);
      if (next == kSymbols || nodes_[node].next[next] == 0) break;
      node = nodes_[node].next[next];
      for (const Part &part : nodes_[node].parts) {
        const char behind = at + 1 < lower.size() ? lower[at + 1] : ' ';
        if ((part.at_word_start && start > 0 && is_of_word(lower[start - 1])) ||
            (part.behind == Behind::word_end && is_of_word(behind)) ||
            (part.behind == Behind::hyphen && !is_hyphen(behind))) {
          continue;
        }
        flags |= part.flag;
      }
    }
  }
  return flags;
}

// Buckets of the words that a class, an id or a role is made of, and of it all if these are more.
void ElementReader::add_tokens(std::string_view name, std::string_view lower,
                               std::vector<int64_t> &tokens) const {
  size_t parts = 0;
  for (size_t at = 0; at < name.size();) {
    const size_t end = part_end(name, at);
    if (end == at) {
      ++at;
      continue;
    }
    ++parts;
    // The first sign (. # @ !) is hashed along, so that a word means one thing as a class and
    // another as an id. A single digit only numbers things.
    if (end - at > 1 || !is_digit(name[at])) {
      tokens.push_back(crc32(name[0], lower.substr(at, end - at)) % buckets_);
    }
    at = end;
  }
  // With all its parts: `main-menu` is more than "main" and "menu".
  if (parts > 1) tokens.push_back(crc32(lower[0], lower.substr(1)) % buckets_);
}

void ElementReader::read_one(std::string_view element, std::string &lower,
                             ElementNumbers &result) const {
  const std::string_view tag = element.substr(0, element.find(' '));
  std::vector<int64_t> &tokens = result.tokens;
  const auto first = static_cast<std::ptrdiff_t>(tokens.size());
  tokens.push_back(crc32('<', tag) % buckets_);
  lower.assign(element);
  for (char &sign : lower) sign = is_capital(sign) ? char(sign - 'A' + 'a') : sign;
  const std::string_view small(lower);
  for (size_t at = tag.size(); at < element.size();) {
    const size_t start = at + 1, end = std::min(element.find(' ', start), element.size());
    add_tokens(element.substr(start, end - start), small.substr(start, end - start), tokens);
    at = end;
  }
  std::sort(tokens.begin() + first, tokens.end());
  tokens.erase(std::unique(tokens.begin() + first, tokens.end()), tokens.end());
  const auto known = tags_.find(tag);
  const int64_t of_tag = known == tags_.end() ? 0 : known->second;
  result.flags.push_back(of_tag | families(small.substr(tag.size())));
}

ElementNumbers ElementReader::read(const std::vector<std::string_view> &elements) const {
  ElementNumbers result;
  result.starts.push_back(0);
  std::string lower;
  const auto is_foreign = [](char sign) { return uint8_t(sign) >= 128; };
  std::unordered_map<std::string_view, int64_t> met;
  for (const std::string_view element : elements) {
    const int64_t number = int64_t(result.flags.size());
    const int64_t first = met.try_emplace(element, number).first->second;
    result.alike.push_back(first);
    if (first < number) {
      repeat(size_t(first), result);
      result.starts.push_back(int64_t(result.tokens.size()));
      continue;
    }
    result.kinds.push_back(kind_of(element));
    if (std::any_of(element.begin(), element.end(), is_foreign)) {
      result.unread.push_back(number);
      result.flags.push_back(0);
    } else {
      read_one(element, lower, result);
    }
    result.starts.push_back(int64_t(result.tokens.size()));
  }
  return result;
}

}  // namespace skord
