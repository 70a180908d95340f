#include "line_arrays.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace skord {

namespace {

constexpr uint64_t kFactor = 0x100000001B3, kMix = 0x9E3779B97F4A7C15;
constexpr int kHashed = 64;  // characters of a word; the rest of a longer one does not count

uint64_t mixed(uint64_t hash) {
  hash = (hash ^ (hash >> 29)) * kMix;
  return hash ^ (hash >> 32);
}

// Takes the characters of a page one by one.
class Reader {
 public:
  Reader(const CharacterTables &tables, LineArrays &found) : tables_(tables), found_(found) {}

  void take(uint32_t code, int64_t at) {
    const size_t entry = std::min<size_t>(code, tables_.groups.size() - 1);
    const uint8_t group = tables_.groups[entry];
    const Kind kind = static_cast<Kind>(tables_.kinds[group]);
    found_.groups.push_back(group);
    ++counts_[group];
    if (kind != Kind::letter) end_word();
    if (kind == Kind::blank) return;
    if (first_ < 0) first_ = at;
    last_ = at;
    if (kind == Kind::mark) return;
    if (letters_ == 0) start_word(at);
    hash(tables_.small[entry]);
    if (kind == Kind::alone) end_word();
  }

  void end_line(int64_t number, int64_t start, int64_t end) {
    end_word();
    if (first_ >= 0) {
      found_.lines.push_back(number);
      found_.starts.push_back(start);
      found_.ends.push_back(end);
      found_.first.push_back(first_);
      found_.last.push_back(last_);
      found_.counts.insert(found_.counts.end(), counts_.begin(), counts_.end());
    }
    std::fill(counts_.begin(), counts_.end(), 0);
    first_ = -1;
  }

 private:
  void start_word(int64_t at) {
    found_.word_at.push_back(at);
    found_.word_line.push_back(static_cast<int64_t>(found_.lines.size()));
    hash_ = 0;
    power_ = kFactor;
  }

  void hash(uint32_t small) {
    if (letters_ < kHashed) hash_ += (uint64_t(small) + 1) * power_;
    power_ *= kFactor;
    ++letters_;
  }

  void end_word() {
    if (letters_ > 0) found_.hashes.push_back(mixed(hash_));
    letters_ = 0;
  }

  const CharacterTables &tables_;
  LineArrays &found_;
  std::vector<int64_t> counts_ = std::vector<int64_t>(tables_.kinds.size());
  int64_t first_ = -1, last_ = -1, letters_ = 0;
  uint64_t hash_ = 0, power_ = kFactor;
};

// Columns added up at once: of a fixed number the compiler makes few instructions.
constexpr size_t kTogether = 16;

// Adds up kTogether columns of a stretch, or those that are left.
void add_up(const Rows &rows, size_t column, const std::vector<int64_t> &numbers,
            const std::vector<float> &shares, int64_t start, int64_t end, float *sums) {
  const size_t columns = std::min(kTogether, rows.width - column);
  float sum[kTogether] = {};
  for (int64_t at = start; at < end; ++at) {
    const float *row = rows.values + size_t(numbers[size_t(at)]) * rows.width + column;
    const float share = shares.empty() ? 1.0f : shares[size_t(at)];
    if (columns == kTogether) {
      for (size_t k = 0; k < kTogether; ++k) sum[k] += share * row[k];
    } else {
      for (size_t k = 0; k < columns; ++k) sum[k] += share * row[k];
    }
  }
  std::copy_n(sum, columns, sums + column);
}

}  // namespace

CharacterTables character_tables(std::vector<uint8_t> groups, std::vector<uint32_t> small,
                                 std::vector<uint8_t> kinds) {
  const auto no_group = [&](uint8_t group) { return group >= kinds.size(); };
  if (groups.empty() || groups.size() != small.size() ||
      std::any_of(groups.begin(), groups.end(), no_group)) {
    throw std::invalid_argument("the tables of characters do not fit one another");
  }
  return {std::move(groups), std::move(small), std::move(kinds)};
}

LineArrays line_arrays(const std::vector<uint32_t> &codes, const CharacterTables &tables) {
  LineArrays found;
  found.groups.reserve(codes.size());
  Reader reader(tables, found);
  size_t end = codes.size();
  while (end > 0 && codes[end - 1] != '\n') --end;
  int64_t number = 0, start = 0;
  for (size_t at = 0; at < end; ++at) {
    if (codes[at] != '\n') {
      reader.take(codes[at], int64_t(at));
      continue;
    }
    reader.end_line(number++, start, int64_t(at));
    found.groups.push_back(tables.groups[std::min<size_t>('\n', tables.groups.size() - 1)]);
    start = int64_t(at) + 1;
  }
  return found;
}

Ways ways_up(const std::vector<int32_t> &parents, const std::vector<int64_t> &used) {
  for (size_t node = 0; node < parents.size(); ++node) {
    if (parents[node] >= int64_t(node)) throw std::invalid_argument("a parent after its child");
  }
  Ways found;
  found.starts.push_back(0);
  for (const int64_t leaf : used) {
    if (leaf < 0 || leaf >= int64_t(parents.size())) throw std::invalid_argument("no such node");
    int64_t step = 0;
    for (int64_t at = leaf; at >= 0; at = parents[size_t(at)]) {
      found.nodes.push_back(at);
      found.steps.push_back(step++);
    }
    found.starts.push_back(int64_t(found.nodes.size()));
  }
  return found;
}

std::vector<float> sums_of_rows(const Rows &rows, const std::vector<int64_t> &numbers,
                                const std::vector<int64_t> &starts,
                                const std::vector<float> &shares) {
  const auto no_row = [&](int64_t row) { return row < 0 || size_t(row) >= rows.count; };
  if (starts.empty() || starts.front() != 0 || starts.back() != int64_t(numbers.size()) ||
      !std::is_sorted(starts.begin(), starts.end()) ||
      (!shares.empty() && shares.size() != numbers.size()) ||
      std::any_of(numbers.begin(), numbers.end(), no_row)) {
    throw std::invalid_argument("rows, stretches and shares do not fit one another");
  }
  std::vector<float> sums((starts.size() - 1) * rows.width);
  for (size_t stretch = 0; stretch + 1 < starts.size(); ++stretch) {
    for (size_t column = 0; column < rows.width; column += kTogether) {
      add_up(rows, column, numbers, shares, starts[stretch], starts[stretch + 1],
             sums.data() + stretch * rows.width);
    }
  }
  return sums;
}

}  // namespace skord
