// The lines of a page's text: where they are, what is compared of them, which of them stay.

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace skord {

// A page cut into its title and its lines, all stripped.
struct SplitPage {
  std::string_view title;
  size_t num_lines = 0;
};

// What `skord.ccnet.text_pages.split_lines` says of both modes; `text` must be UTF-8. The lines
// are appended to `body`, a line feed between each two.
SplitPage split_page(std::string_view text, bool exact, std::string &body, std::string &scratch);

// Appends those lines of `body` whose byte in `kept` is not 0, a line feed between each two.
// Throws std::invalid_argument where it has fewer lines than `kept` has bytes.
void keep_lines(std::string_view body, std::string_view kept, std::string &out);

// What each code point is written as, in UTF-8, asked of Python block by block as texts need them.
// Of the 8 bytes of an entry the top one is a length from 0 to 7, the others are the bytes
// written; kInContext marks what only Python can tell.
class CharTable {
 public:
  static constexpr size_t kBlock = 256, kBlocks = 0x110000 / kBlock;
  static constexpr uint64_t kInContext = ~uint64_t(0);
  // The 256 entries of a block of code points, or none where all stay what they are.
  using EntriesOf = std::function<std::vector<uint64_t>(uint32_t block)>;

  // Throws std::invalid_argument, here and below, where that gives no entries.
  explicit CharTable(EntriesOf entries_of);

  // Appends what `text` (UTF-8) is written as; false where it holds what needs its context.
  bool write(std::string_view text, std::string &out);

 private:
  static constexpr int32_t kNotAsked = -2, kStays = -1;
  int32_t block_of(uint32_t point) {
    const int32_t known = blocks_[point / kBlock];
    return known == kNotAsked ? asked(point / kBlock) : known;
  }
  int32_t asked(uint32_t block);

  EntriesOf entries_of_;
  std::vector<int32_t> blocks_;
  std::vector<uint64_t> entries_;
  uint64_t ascii_[128];
  bool lowers_ = false;  // it writes printable ASCII in lower case, and digits as 0
};

// The first 64 bits of SHA-1 (FIPS 180-4) of many texts, each a little-endian number.
class Sha1Keys {
 public:
  // Writes a text at the end of `blocks` by `write(blocks)`, and pads it (section 5.1.1).
  template <class Write>
  void add(Write write) {
    const size_t start = blocks_.size();
    write(blocks_);
    pad(start);
  }
  // Appends the keys of what was added, and forgets it. `plainly`: without the processor's own
  // instructions.
  void take(std::vector<uint64_t> &keys, bool plainly = false);

 private:
  void pad(size_t start);

  std::string blocks_;
  std::vector<size_t> counts_;  // of each text's blocks of 64 bytes
};

}  // namespace skord
