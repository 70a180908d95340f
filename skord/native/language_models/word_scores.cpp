#include "language_models/word_scores.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "bindings/numbers.hpp"
#include "language_models/ngrams.hpp"
#include "text/utf8.hpp"

namespace skord {

namespace {

constexpr size_t kTogether = 256;  // words looked up side by side: memory is waited for once
constexpr size_t kFirstPlaces = 1 << 13;
constexpr size_t kMostWords = 1 << 26;  // room for their sums is asked for at once
constexpr size_t kUsualWidth = 16;  // of lid.176
constexpr double kNotZero = 1e-5;  // fastText adds this before it takes a logarithm
constexpr std::string_view kEndOfLine = "</s>";
constexpr std::string_view kLabel = "__label__";

// How much fastText's sums may differ from ours: some four times the largest differences seen,
// 2e-6 in pages and 1.2e-4 in 1.5 million characters.
constexpr double kError = 1e-5;
constexpr double kErrorPerChar = 5e-10;
constexpr double kHalfPercent = 0.005;

constexpr std::array<bool, 256> parting_words() {
  std::array<bool, 256> parts = {};
  for (const char c : {' ', '\n', '\r', '\t', '\v', '\f', '\0'}) parts[uint8_t(c)] = true;
  return parts;
}
constexpr std::array<bool, 256> kPartsWords = parting_words();

// Adds rows, of which each begins so many numbers after the one before, with the sums in registers.
template <size_t kWidth, class Number, class Row>
void add_each(const Number *from, size_t apart, const Row *rows, size_t count, double *sums) {
  double sum[kWidth];
  std::copy_n(sums, kWidth, sum);
  for (size_t row = 0; row < count; ++row) {
    const Number *numbers = from + size_t(rows[row]) * apart;
    for (size_t at = 0; at < kWidth; ++at) sum[at] += numbers[at];
  }
  std::copy_n(sum, kWidth, sums);
}

}  // namespace

WordScores::WordScores(WordModel model, size_t max_words)
    : model_(std::move(model)), max_words_(std::max(max_words, kTogether)) {
  must_fit(max_words > 0 && max_words <= kMostWords);
  check();
  size_t size = 4;
  while (size < 2 * model_.words.size()) size *= 2;
  // A power of two, half full at most, so that a mask finds the place and searches end.
  known_.resize(size, -1);
  for (size_t row = 0; row < model_.words.size(); ++row) {
    const uint64_t hash = hash_word(model_.words[row]);
    if (known_row(model_.words[row], hash) >= 0) continue;
    size_t at = hash & (size - 1);
    while (known_[at] >= 0) at = (at + 1) & (size - 1);
    known_[at] = static_cast<int32_t>(row);
  }
  num_buckets_ = static_cast<uint32_t>(model_.row_of_bucket.size());
  buckets_.resize(num_buckets_ / 64 + 1);
  for (size_t bucket = 0; bucket < num_buckets_; ++bucket) {
    if (bucket % 64 == 0) buckets_[bucket / 64].before = static_cast<uint32_t>(rows_.size());
    if (model_.row_of_bucket[bucket] < 0) continue;
    buckets_[bucket / 64].kept |= uint64_t(1) << (bucket % 64);
    rows_.push_back(model_.row_of_bucket[bucket]);
  }
  std::vector<int32_t>().swap(model_.row_of_bucket);
  forget();
}

// The row of a word that the model knows, else -1.
int32_t WordScores::known_row(std::string_view word, uint64_t hash) const {
  size_t at = hash & (known_.size() - 1);
  while (known_[at] >= 0 && model_.words[size_t(known_[at])] != word) {
    at = (at + 1) & (known_.size() - 1);
  }
  return known_[at];
}

void WordScores::forget() {
  places_.assign(kFirstPlaces, Place{0, 0});
  sums_.clear();
  sums_.reserve(max_words_ * (model_.width + 1));  // memory that is not touched costs nothing
}

// Keeps the table half empty when so many words more come.
void WordScores::make_room() {
  const size_t known = sums_.size() / (model_.width + 1) + kTogether;
  if (2 * known <= places_.size()) return;
  std::vector<Place> smaller(places_.size() * 4, Place{0, 0});
  smaller.swap(places_);
  for (const Place &place : smaller) {
    if (place.hash == 0) continue;
    size_t at = place.hash & (places_.size() - 1);
    while (places_[at].hash != 0) at = (at + 1) & (places_.size() - 1);
    places_[at] = place;
  }
}

void WordScores::check() const {
  const auto &[shortest, longest, width, words, row_of_bucket, vectors, nodes, lefts, rights] = model_;
  must_fit(width > 0 && vectors.size() % width == 0 && nodes.size() % width == 0 && longest > 0);
  must_fit(!row_of_bucket.empty() && row_of_bucket.size() <= UINT32_MAX);
  const size_t rows = vectors.size() / width, labels = num_labels();
  must_fit(words.size() <= rows && labels > 0);
  must_fit(lefts.size() == labels - 1 && rights.size() == labels - 1);
  for (const int32_t row : row_of_bucket) must_fit(row >= -1 && row < int64_t(rows));
  // A child stands before its parent, so that every way down ends.
  for (size_t node = 0; node < lefts.size(); ++node) {
    for (const int32_t child : {lefts[node], rights[node]}) {
      must_fit(child >= 0 && size_t(child) < labels + node);
    }
  }
}

void WordScores::add_row(int32_t row, double *sums) const {
  const float *vector = model_.vectors.data() + size_t(row) * model_.width;
  for (size_t at = 0; at < model_.width; ++at) sums[at] += vector[at];
  sums[model_.width] += 1;
}

// The vectors of a word: its own, where it is known, and those of the n-grams of "<word>".
void WordScores::compute(std::string_view word, uint64_t hash, double *sums) const {
  std::fill(sums, sums + model_.width + 1, 0.0);
  const int32_t known = known_row(word, hash);
  if (known >= 0) add_row(known, sums);
  if (word != kEndOfLine && word.substr(0, kLabel.size()) != kLabel) add_ngrams(word, sums);
}

void WordScores::add_ngrams(std::string_view word, double *sums) const {
  const std::string whole = "<" + std::string(word) + ">";
  uint32_t buckets[kTogether];
  size_t count = 0;
  for (size_t start = 0; start < whole.size(); ++start) {
    if (is_trail(whole[start])) continue;
    uint32_t hash = 2166136261u;  // FNV-1a, over bytes that fastText takes for signed
    size_t end = start;
    for (unsigned length = 1; length <= model_.longest && end < whole.size(); ++length) {
      do {
        hash = (hash ^ static_cast<uint32_t>(static_cast<int8_t>(whole[end]))) * 16777619u;
      } while (++end < whole.size() && is_trail(whole[end]));
      // fastText leaves out "<" and ">" alone, which every word has.
      const bool bound_alone = length == 1 && (start == 0 || end == whole.size());
      if (length < model_.shortest || bound_alone) continue;
      buckets[count++] = hash % num_buckets_;
      if (count < kTogether) continue;
      add_rows(buckets, count, sums);
      count = 0;
    }
  }
  add_rows(buckets, count, sums);
}

// Adds the vectors of at most kTogether buckets that have one, in their order.
void WordScores::add_rows(const uint32_t *buckets, size_t count, double *sums) const {
  int32_t rows[kTogether];
  size_t kept = 0;
  for (size_t at = 0; at < count; ++at) {
    const Buckets &word = buckets_[buckets[at] / 64];
    const uint64_t bit = uint64_t(1) << (buckets[at] % 64);
    if (!(word.kept & bit)) continue;
    // How many buckets before this one have a row, by counting bits: a table without gaps.
    const int32_t row = rows_[word.before + size_t(__builtin_popcountll(word.kept & (bit - 1)))];
    __builtin_prefetch(model_.vectors.data() + size_t(row) * model_.width);
    rows[kept++] = row;
  }
  if (model_.width == kUsualWidth) {
    add_each<kUsualWidth>(model_.vectors.data(), kUsualWidth, rows, kept, sums);
    sums[kUsualWidth] += double(kept);
  } else {
    for (size_t at = 0; at < kept; ++at) add_row(rows[at], sums);
  }
}

// Where the sums of a word are. Words are known again by 64 bits of hash alone.
uint32_t WordScores::row_of(std::string_view word, uint64_t hash) {
  const size_t size = model_.width + 1, mask = places_.size() - 1;
  size_t at = hash & mask;
  for (; places_[at].hash != 0; at = (at + 1) & mask) {
    if (places_[at].hash == hash) return places_[at].row;
  }
  const size_t row = sums_.size() / size;
  sums_.resize(sums_.size() + size);
  places_[at] = {hash, static_cast<uint32_t>(row)};
  compute(word, hash, sums_.data() + row * size);
  return static_cast<uint32_t>(row);
}

// Adds up the sums of at most kTogether words.
void WordScores::add_words(const std::vector<std::string_view> &words, double *hidden) {
  const size_t size = model_.width + 1;
  // All are forgotten at once: what is frequent comes again soon, and no order of use is kept.
  if (sums_.size() / size + words.size() > max_words_) forget();  // they come again
  make_room();
  const size_t mask = places_.size() - 1;
  uint64_t hashes[kTogether];
  uint32_t rows[kTogether];
  for (size_t at = 0; at < words.size(); ++at) {
    // 0 marks a free place.
    hashes[at] = std::max<uint64_t>(hash_word(words[at]), 1);
    __builtin_prefetch(&places_[hashes[at] & mask]);
  }
  for (size_t at = 0; at < words.size(); ++at) {
    rows[at] = row_of(words[at], hashes[at]);
    for (size_t line = 0; line < size; line += 8) {
      __builtin_prefetch(sums_.data() + rows[at] * size + line);
    }
  }
  if (model_.width == kUsualWidth) {
    add_each<kUsualWidth + 1>(sums_.data(), size, rows, words.size(), hidden);
    return;
  }
  for (size_t at = 0; at < words.size(); ++at) {
    const double *sums = sums_.data() + rows[at] * size;
    for (size_t number = 0; number < size; ++number) hidden[number] += sums[number];
  }
}

// The mean of the vectors of a text and of the line feed after it.
void WordScores::sum_up(std::string_view text, double *hidden) {
  const size_t width = model_.width;
  std::fill(hidden, hidden + width + 1, 0.0);
  words_.clear();
  const auto add = [&](std::string_view word) {
    words_.push_back(word);
    if (words_.size() < kTogether) return;
    add_words(words_, hidden);
    words_.clear();
  };
  for (size_t at = 0; at < text.size();) {
    size_t end = at;
    while (end < text.size() && !kPartsWords[uint8_t(text[end])]) ++end;
    if (end > at) add(text.substr(at, end - at));
    at = end + 1;
  }
  add(kEndOfLine);
  add_words(words_, hidden);
  const double number = std::max(hidden[width], 1.0);
  for (size_t at = 0; at < width; ++at) hidden[at] /= number;
}

bool WordScores::best(std::string_view text, double least, double minimum,
                      const std::vector<uint32_t> &rank_of, std::vector<Label> &labels) {
  must_fit(rank_of.size() == num_labels());
  hidden_.resize(model_.width + 1);
  sum_up(text, hidden_.data());
  const double error = kError + kErrorPerChar * double(num_chars(text));
  bool sure = true;
  labels.clear();
  descend(hidden_.data(), least, [&](int32_t label, double probability) {
    const double cut = std::min(probability, 1.0);
    const double steps = cut / kHalfPercent;
    // below the least step no rounding hangs on anything, at 1 every score is cut
    if (cut > kHalfPercent / 2 && cut < 1) {
      sure &= std::abs(steps - std::nearbyint(steps)) * kHalfPercent > error;
    }
    const double rounded = std::nearbyint(cut * 1e6) / 1e6;
    if (rounded >= minimum) labels.push_back({rounded, rank_of[label], uint32_t(label)});
  });
  std::sort(labels.begin(), labels.end(), [](const Label &a, const Label &b) {
    return a.probability != b.probability ? a.probability > b.probability : a.rank < b.rank;
  });
  return sure;
}

// Down the tree: at each inner node a share goes to the right, the rest to the left.
template <class Take>
void WordScores::descend(const double *hidden, double least, Take take) {
  const auto labels = static_cast<int32_t>(num_labels());
  // A hundredth lower, so that no rounding drops a label which is just probable enough.
  const double least_log = least > 0 ? std::log(least) - 0.01 : -HUGE_VAL;
  // A binary tree of so many leaves has one inner node less; they follow the labels, the root last.
  waiting_.assign(1, {2 * labels - 2, 0.0});
  while (!waiting_.empty()) {
    const auto [node, log] = waiting_.back();
    waiting_.pop_back();
    // But for kNotZero, nothing below a node is more probable than it is; fastText cuts here, too.
    if (log < least_log) continue;
    if (node < labels) {
      take(node, std::exp(log));
      continue;
    }
    const size_t inner = size_t(node - labels);
    const float *weights = model_.nodes.data() + inner * model_.width;
    double sum = 0;
    for (size_t at = 0; at < model_.width; ++at) sum += hidden[at] * weights[at];
    const double right = 1 / (1 + std::exp(-sum));
    waiting_.emplace_back(model_.rights[inner], log + std::log(right + kNotZero));
    waiting_.emplace_back(model_.lefts[inner], log + std::log(1 - right + kNotZero));
  }
}

}  // namespace skord
