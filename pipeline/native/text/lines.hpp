// The lines of a page's text: where they are, what is compared of them, which of them stay.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace skord {

// `text` without the white space, as Python's `str.strip` sees it, on both sides.
std::string_view strip(std::string_view text);

// The same, at its end alone.
std::string_view strip_end(std::string_view text);

// How many characters a text in UTF-8 has.
size_t num_chars(std::string_view text);

// A page cut into its title and its lines, all stripped.
struct SplitPage {
  std::string_view title;
  std::string body;  // the lines, a line feed between each two
  size_t num_lines = 0;
};

// What `pipeline.ccnet.text_pages.split_lines` says of both modes; `text` must be UTF-8.
SplitPage split_page(std::string_view text, bool exact, std::string &scratch);

// What each code point is written as, in UTF-8: a table made by Python from its own Unicode data.
// Blocks of 256 code points; block -1 stays as it is. The top byte of an entry is a length from 0
// to 7, the others are the bytes written; kInContext marks what only Python can tell.
class CharTable {
 public:
  static constexpr size_t kBlocks = 0x110000 / 256;
  static constexpr uint64_t kInContext = ~uint64_t(0);

  // Throws std::invalid_argument where sizes or block numbers do not fit.
  CharTable(std::vector<int32_t> blocks, std::vector<uint64_t> entries);

  // Appends what `text` (UTF-8) is written as; false where it holds what needs its context.
  bool write(std::string_view text, std::string &out) const;

 private:
  std::vector<int32_t> blocks_;
  std::vector<uint64_t> entries_;
  uint64_t ascii_[128];
};

// The first 64 bits of SHA-1 (FIPS 180-4), as a little-endian number.
uint64_t sha1_key(std::string_view data);

// The same without the processor's own instructions.
uint64_t sha1_key_plainly(std::string_view data);

}  // namespace skord
