#include "text/lines.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "simd.hpp"
#include "text/unicode.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace skord {

namespace {

constexpr std::string_view kVersionLine = "WARC/1.0";

// Carriage returns, alone or before a line feed, written as line feeds.
std::string_view with_line_feeds(std::string_view text, std::string &scratch) {
  scratch.clear();
  for (size_t at = 0; at < text.size(); ++at) {
    const bool pair = text[at] == '\r' && at + 1 < text.size() && text[at + 1] == '\n';
    if (!pair) scratch.push_back(text[at] == '\r' ? '\n' : text[at]);
  }
  return scratch;
}

// Writes sixteen bytes, or as many as there are before the first that is not printable ASCII, in
// lower case and with digits as 0; returns how many.
#if defined(__SSE2__)
constexpr bool kSixteen = true;

size_t lower_sixteen(const uint8_t *from, char *to) {
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i *>(from));
  const auto within = [&](char before, char after) {  // of signed bytes; all beyond ASCII are below
    return _mm_and_si128(_mm_cmpgt_epi8(bytes, _mm_set1_epi8(before)),
                         _mm_cmpgt_epi8(_mm_set1_epi8(after), bytes));
  };
  const __m128i capitals = within('A' - 1, 'Z' + 1), digits = within('0' - 1, '9' + 1);
  const __m128i lowered = _mm_or_si128(bytes, _mm_and_si128(capitals, _mm_set1_epi8(32)));
  const __m128i written =  // '0' is what the upper four bits of each digit are
      _mm_and_si128(lowered, _mm_or_si128(_mm_xor_si128(digits, _mm_set1_epi8(-1)),
                                          _mm_set1_epi8('0')));
  _mm_storeu_si128(reinterpret_cast<__m128i *>(to), written);
  const int plain = _mm_movemask_epi8(within(' ' - 1, 0x7F));
  return size_t(__builtin_ctz(~unsigned(plain) | 1u << 16));
}
#else
constexpr bool kSixteen = false;

size_t lower_sixteen(const uint8_t *, char *) { return 0; }
#endif

template <class Take>
void for_each_line(std::string_view text, Take take) {
  for (size_t start = 0; start <= text.size();) {
    const void *stop = std::memchr(text.data() + start, '\n', text.size() - start);
    const size_t end = stop ? size_t(static_cast<const char *>(stop) - text.data()) : text.size();
    if (!take(stripped(text.substr(start, end - start)))) return;
    start = end + 1;
  }
}

SplitPage split_as_it_stands(std::string_view text, std::string &body) {
  while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  SplitPage page;
  const size_t end = std::min(text.find('\n'), text.size());
  page.title = stripped(text.substr(0, end));
  if (end + 1 >= text.size()) return page;
  for_each_line(text.substr(end + 1), [&](std::string_view line) {
    if (page.num_lines++) body.push_back('\n');
    body.append(line);
    return true;
  });
  return page;
}

// As cc_net reads a record: the lines end before a line "WARC/1.0", and of the two line feeds
// that end a record a text without one at its end has but one, so an empty line stays.
SplitPage split_exactly(std::string_view text, std::string &body, std::string &scratch) {
  if (text.find('\r') != text.npos) text = with_line_feeds(text, scratch);
  std::vector<std::string_view> lines;
  bool cut = false;
  for_each_line(text, [&](std::string_view line) {
    cut = line == kVersionLine;
    if (!cut) lines.push_back(line);
    return !cut;
  });
  if (!cut) lines.emplace_back();
  const size_t size = lines.size();
  if (size >= 2 && lines[size - 1].empty() && lines[size - 2].empty()) {
    lines.resize(std::max<size_t>(size - 2, 1));
  }
  SplitPage page;
  if (lines.empty()) return page;
  page.title = lines[0];
  page.num_lines = lines.size() - 1;
  for (size_t at = 1; at < lines.size(); ++at) {
    if (at > 1) body.push_back('\n');
    body.append(lines[at]);
  }
  return page;
}

}  // namespace

SplitPage split_page(std::string_view text, bool exact, std::string &body, std::string &scratch) {
  return exact ? split_exactly(text, body, scratch) : split_as_it_stands(text, body);
}

void keep_lines(std::string_view body, std::string_view kept, std::string &out) {
  size_t start = 0;
  bool any = false;
  for (const char is_kept : kept) {
    if (start > body.size()) throw std::invalid_argument("fewer lines than stated");
    const size_t end = std::min(body.find('\n', start), body.size());
    if (is_kept) {
      if (any) out.push_back('\n');
      out.append(body, start, end - start);
      any = true;
    }
    start = end + 1;
  }
}

CharTable::CharTable(EntriesOf entries_of)
    : entries_of_(std::move(entries_of)), blocks_(kBlocks, kNotAsked) {
  if (block_of(0) < 0) throw std::invalid_argument("the first block has entries");
  std::copy_n(entries_.begin(), 128, ascii_);
  lowers_ = kSixteen && simd() != Simd::none;
  for (uint64_t byte = ' '; byte < 0x7F; ++byte) {
    const bool capital = byte - 'A' < 26, digit = byte - '0' < 10;
    const uint64_t lowered = digit ? '0' : capital ? byte + 32 : byte;
    lowers_ = lowers_ && ascii_[byte] == (uint64_t(1) << 56 | lowered);
  }
}

// Where the entries of a block are, in blocks, asked for the first time; kStays if it has none.
int32_t CharTable::asked(uint32_t block) {
  int32_t &known = blocks_[block];
  const std::vector<uint64_t> entries = entries_of_(block);
  const auto fits = [](uint64_t entry) { return entry == kInContext || entry >> 56 <= 7; };
  const bool good = entries.empty() || entries.size() == kBlock;
  if (!good || !std::all_of(entries.begin(), entries.end(), fits)) {
    throw std::invalid_argument("no table of characters");
  }
  known = entries.empty() ? kStays : static_cast<int32_t>(entries_.size() / kBlock);
  entries_.insert(entries_.end(), entries.begin(), entries.end());
  return known;
}

bool CharTable::write(std::string_view text, std::string &out) {
  size_t length = out.size();
  out.resize(length + 8 * text.size() + 8);  // every entry is stored as 8 bytes
  char *to = out.data() + length;
  const auto *at = reinterpret_cast<const uint8_t *>(text.data());
  const uint8_t *end = at + text.size();
  bool whole = true;
  while (at < end) {
    uint32_t point = *at;
    uint64_t entry;
    size_t width = 1;
    if (lowers_ && point < 0x80 && end - at >= 16) {
      const size_t count = lower_sixteen(at, to);
      at += count;
      to += count;
      if (count == 16) continue;
      point = *at;
    }
    if (point < 0x80) {
      entry = ascii_[point];
    } else {
      width = point < 0xE0 ? 2 : point < 0xF0 ? 3 : 4;
      if (size_t(end - at) < width) throw std::invalid_argument("no UTF-8");
      point &= 0x7F >> width;
      for (size_t byte = 1; byte < width; ++byte) point = point << 6 | (at[byte] & 0x3F);
      if (point >= 0x110000) throw std::invalid_argument("no UTF-8");
      const int32_t block = block_of(point);
      if (block < 0) {
        std::memcpy(to, at, width);
        to += width;
        at += width;
        continue;
      }
      entry = entries_[size_t(block) * kBlock + point % kBlock];
    }
    whole &= entry != kInContext;
    if (!whole) break;
    // All eight bytes are stored, so that nothing depends on how many count: the highest says that,
    // and what was stored beyond them is overwritten next.
    std::memcpy(to, &entry, 8);
    to += entry >> 56;
    at += width;
  }
  out.resize(size_t(to - out.data()));
  return whole;
}

}  // namespace skord
