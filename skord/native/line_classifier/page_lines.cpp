#include "line_classifier/page_lines.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace skord {

namespace {

// The 64-bit prime of FNV, as the base of a polynomial; and a finisher in the manner of SplitMix64.
constexpr uint64_t kFactor = 0x100000001B3, kMix = 0x9E3779B97F4A7C15;
constexpr size_t kHashed = 64;  // characters of a word; the rest of a longer one does not count
constexpr int64_t kLevels = 6;   // of headings

uint64_t mixed(uint64_t hash) {
  hash = (hash ^ (hash >> 29)) * kMix;
  return hash ^ (hash >> 32);
}

// Takes the lines of a page one by one.
class Taker {
 public:
  Taker(Numbers<const uint32_t> codes, const PageReader &reader, PageLines &lines)
      : codes_(codes), reader_(reader), lines_(lines), counts_(2 * reader.num_groups) {
    lines_.starts.push_back(0);
  }

  // The line from `start` to the line feed at `end`.
  void take(size_t start, size_t end) {
    line_ = Line{};
    first_ = -1;
    for (size_t at = start; at < end;) {
      const uint8_t group = reader_.groups[entry(at)];
      if (group != blank && first_ < 0) {
        first_ = int64_t(at);
        line_.first_group = group;
      }
      if (is_of_word(group)) {
        at = end_of_word(at, end, group);
      } else {
        count(at, group);
        if (group != blank) see(at, group);
        ++at;
      }
    }
    if (first_ >= 0) add_line(start, end);
    std::fill(counts_.begin(), counts_.end(), 0);
    ++lines_.total;
  }

 private:
  static bool is_of_word(uint8_t group) { return group >= lower && group <= digit; }

  size_t entry(size_t at) const { return std::min<size_t>(codes_[at], reader_.groups.size() - 1); }

  // Neighbours of one group are counted apart: one number would be waited for.
  void count(size_t at, uint8_t group) { ++counts_[2 * group + at % 2]; }

  void see(size_t at, uint8_t group) {
    last_ = int64_t(at);
    line_.last_group = group;
  }

  // Takes the word that begins with a character of that group; one that stands alone is all of it.
  size_t end_of_word(size_t start, size_t end, uint8_t group) {
    ++line_.words;
    line_.capitals += group == upper;
    line_.in_small += group == lower;
    uint64_t hash = 0, power = kFactor;
    size_t at = start;
    for (uint8_t next = group; is_of_word(next);) {
      group = next;
      count(at, group);
      if (at - start < kHashed) hash += (uint64_t(reader_.small[entry(at)]) + 1) * power;
      power *= kFactor;
      if (++at == end || group == alone) break;
      next = reader_.groups[entry(at)];
      if (next == alone) break;
    }
    see(at - 1, group);
    hash = mixed(hash);
    // A sum: lines with the same words in another order have the same key.
    line_.key += hash;
    if (line_.words <= reader_.most_words) {
      // A division is slow; there mostly are a power of two.
      const uint64_t most = reader_.buckets - 1;
      const bool is_power = (reader_.buckets & most) == 0;
      lines_.buckets.push_back(int64_t(is_power ? hash & most : hash % reader_.buckets));
    }
    return at;
  }

  // A line feed stands at `end`, so that the first two characters are there.
  void add_line(size_t start, size_t end) {
    const size_t first = size_t(first_);
    line_.number = lines_.total;
    line_.size = int64_t(end - start);
    line_.indent = int64_t(first - start);
    line_.length = last_ - first_ + 1;
    line_.first = codes_[first];
    line_.second = codes_[first + 1];
    line_.last = codes_[size_t(last_)];
    while (line_.level < kLevels && codes_[first + size_t(line_.level)] == '#') ++line_.level;
    lines_.lines.push_back(line_);
    for (size_t group = 0; group < reader_.num_groups; ++group) {
      lines_.counts.push_back(counts_[2 * group] + counts_[2 * group + 1]);
    }
    lines_.starts.push_back(int64_t(lines_.buckets.size()));
  }

  Numbers<const uint32_t> codes_;
  const PageReader &reader_;
  PageLines &lines_;
  std::vector<int64_t> counts_;
  Line line_{};
  int64_t first_ = -1, last_ = -1;
};

}  // namespace

PageReader::PageReader(std::vector<uint8_t> of_groups, std::vector<uint32_t> of_small,
                       size_t number, int64_t num_buckets, int64_t words)
    : groups(std::move(of_groups)), small(std::move(of_small)), num_groups(number),
      buckets(uint64_t(num_buckets)), most_words(words), logs(kLogs) {
  const auto no_group = [&](uint8_t group) { return group >= num_groups; };
  if (groups.empty() || groups.size() != small.size() || num_groups < ending + 6 || num_groups > 256 ||
      num_buckets <= 0 || std::any_of(groups.begin(), groups.end(), no_group)) {
    throw std::invalid_argument("the tables of characters do not fit one another");
  }
  for (size_t number = 0; number < kLogs; ++number) logs[number] = std::log1p(double(number));
}

double PageReader::log1p(int64_t number) const {
  return number < int64_t(kLogs) ? logs[size_t(number)] : std::log1p(double(number));
}

PageLines page_lines(Numbers<const uint32_t> codes, const PageReader &reader) {
  PageLines lines;
  Taker taker(codes, reader, lines);
  // What stands after the last line feed is no line.
  size_t end = codes.size;
  while (end > 0 && codes[end - 1] != '\n') --end;
  for (size_t at = 0, start = 0; at < end; ++at) {
    if (codes[at] != '\n') continue;
    taker.take(start, at);
    start = at + 1;
  }
  return lines;
}

}  // namespace skord
