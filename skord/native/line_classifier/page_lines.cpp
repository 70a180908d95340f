#include "line_classifier/page_lines.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace skord {

namespace {

// The 64-bit prime of FNV, as the base of a polynomial; and a finisher in the manner of SplitMix64.
constexpr uint64_t kFactor = 0x100000001B3, kMix = 0x9E3779B97F4A7C15;
constexpr int64_t kHashed = 64;  // characters of a word; the rest of a longer one does not count
constexpr int64_t kLevels = 6;   // of headings

uint64_t mixed(uint64_t hash) {
  hash = (hash ^ (hash >> 29)) * kMix;
  return hash ^ (hash >> 32);
}

// Takes the characters of a page one by one.
class Taker {
 public:
  Taker(Numbers<const uint32_t> codes, const PageReader &reader, PageLines &lines)
      : codes_(codes), reader_(reader), lines_(lines), counts_(reader.num_groups) {
    lines_.starts.push_back(0);
  }

  void take(size_t at) {
    const size_t entry = std::min<size_t>(codes_[at], reader_.groups.size() - 1);
    const uint8_t group = reader_.groups[entry];
    ++counts_[group];
    const bool in_word = group >= lower && group <= digit;
    if (!in_word || group == alone) end_word();
    if (group == blank) return;
    if (first_ < 0) see_first(at, group);
    last_ = int64_t(at);
    line_.last_group = group;
    if (!in_word) return;
    if (letters_ == 0) start_word(group);
    if (letters_++ < kHashed) hash_ += (uint64_t(reader_.small[entry]) + 1) * power_;
    power_ *= kFactor;
    if (group == alone) end_word();
  }

  void end_line(size_t start, size_t end) {
    end_word();
    if (first_ >= 0) add_line(start, end);
    std::fill(counts_.begin(), counts_.end(), 0);
    line_ = Line{};
    first_ = -1;
    ++lines_.total;
  }

 private:
  void see_first(size_t at, uint8_t group) {
    first_ = int64_t(at);
    line_.first_group = group;
  }

  void start_word(uint8_t group) {
    ++line_.words;
    line_.capitals += group == upper;
    line_.in_small += group == lower;
    hash_ = 0;
    power_ = kFactor;
  }

  void end_word() {
    if (letters_ == 0) return;
    letters_ = 0;
    const uint64_t hash = mixed(hash_);
    // A sum: lines with the same words in another order have the same key.
    line_.key += hash;
    if (line_.words > reader_.most_words) return;
    lines_.buckets.push_back(int64_t(hash % reader_.buckets));
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
    lines_.counts.insert(lines_.counts.end(), counts_.begin(), counts_.end());
    lines_.starts.push_back(int64_t(lines_.buckets.size()));
  }

  Numbers<const uint32_t> codes_;
  const PageReader &reader_;
  PageLines &lines_;
  std::vector<int64_t> counts_;
  Line line_{};
  int64_t first_ = -1, last_ = -1, letters_ = 0;
  uint64_t hash_ = 0, power_ = kFactor;
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
    if (codes[at] != '\n') {
      taker.take(at);
      continue;
    }
    taker.end_line(start, at);
    start = at + 1;
  }
  return lines;
}

}  // namespace skord
