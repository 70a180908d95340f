#include "language_models/word_scores.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "language_models/ngrams.hpp"

namespace skord {

namespace {

constexpr size_t kTogether = 256;  // words looked up side by side: memory is waited for once
constexpr double kNotZero = 1e-5;  // fastText adds this before it takes a logarithm
constexpr std::string_view kEndOfLine = "</s>";
constexpr std::string_view kLabel = "__label__";

bool parts_words(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\v' || c == '\f' || c == '\0';
}

bool starts_char(char c) { return (static_cast<uint8_t>(c) & 0xC0) != 0x80; }

}  // namespace

WordScores::WordScores(WordModel model, size_t max_words)
    : model_(std::move(model)), max_words_(std::max(max_words, kTogether)) {
  check();
  for (size_t row = 0; row < model_.words.size(); ++row) {
    row_of_word_.emplace(model_.words[row], static_cast<int32_t>(row));
  }
  kept_.resize(model_.row_of_bucket.size() / 64 + 1);
  for (size_t bucket = 0; bucket < model_.row_of_bucket.size(); ++bucket) {
    kept_[bucket / 64] |= uint64_t(model_.row_of_bucket[bucket] >= 0) << (bucket % 64);
  }
  size_t size = 4;
  while (size < 2 * max_words_) size *= 2;
  places_.resize(size, {0, 0});
}

void WordScores::check() const {
  const size_t width = model_.width;
  const auto fits = [](const std::vector<int32_t> &numbers, int64_t least, int64_t end) {
    return std::all_of(numbers.begin(), numbers.end(),
                       [=](int32_t number) { return number >= least && number < end; });
  };
  bool good = width > 0 && model_.vectors.size() % width == 0 && model_.nodes.size() % width == 0;
  good = good && model_.longest > 0 && !model_.row_of_bucket.empty();
  if (good) {
    const auto rows = static_cast<int64_t>(model_.vectors.size() / width);
    const auto labels = static_cast<int64_t>(num_labels());
    good = int64_t(model_.words.size()) <= rows && labels > 0 &&
           int64_t(model_.lefts.size()) == labels - 1 &&
           int64_t(model_.rights.size()) == labels - 1 &&
           fits(model_.row_of_bucket, -1, rows);
    // a child stands before its parent, so that every way down ends
    for (int64_t node = 0; good && node < labels - 1; ++node) {
      const int64_t below = labels + node;
      good = model_.lefts[node] >= 0 && model_.lefts[node] < below && model_.rights[node] >= 0 &&
             model_.rights[node] < below;
    }
  }
  if (!good) throw std::invalid_argument("the parts of the classifier do not fit together");
}

void WordScores::add_row(int32_t row, double *sums) const {
  const float *vector = model_.vectors.data() + size_t(row) * model_.width;
  for (size_t at = 0; at < model_.width; ++at) sums[at] += vector[at];
  sums[model_.width] += 1;
}

// The vectors of a word: its own, where it is known, and those of the n-grams of "<word>".
void WordScores::compute(std::string_view word, double *sums) const {
  std::fill(sums, sums + model_.width + 1, 0.0);
  const auto known = row_of_word_.find(word);
  if (known != row_of_word_.end()) add_row(known->second, sums);
  if (word != kEndOfLine && word.substr(0, kLabel.size()) != kLabel) add_ngrams(word, sums);
}

void WordScores::add_ngrams(std::string_view word, double *sums) const {
  const std::string whole = "<" + std::string(word) + ">";
  for (size_t start = 0; start < whole.size(); ++start) {
    if (!starts_char(whole[start])) continue;
    uint32_t hash = 2166136261u;  // FNV-1a, over bytes that fastText takes for signed
    size_t end = start;
    for (unsigned length = 1; length <= model_.longest && end < whole.size(); ++length) {
      do {
        hash = (hash ^ static_cast<uint32_t>(static_cast<int8_t>(whole[end]))) * 16777619u;
      } while (++end < whole.size() && !starts_char(whole[end]));
      const bool bound_alone = length == 1 && (start == 0 || end == whole.size());
      const size_t bucket = hash % model_.row_of_bucket.size();
      if (length >= model_.shortest && !bound_alone && has_row(bucket)) {
        add_row(model_.row_of_bucket[bucket], sums);
      }
    }
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
  compute(word, sums_.data() + row * size);
  return static_cast<uint32_t>(row);
}

// Adds up the sums of at most kTogether words.
void WordScores::add_words(const std::vector<std::string_view> &words, double *hidden) {
  const size_t size = model_.width + 1, mask = places_.size() - 1;
  if (sums_.size() / size + words.size() > max_words_) {  // all are forgotten, and come again
    std::fill(places_.begin(), places_.end(), Place{0, 0});
    sums_.clear();
  }
  uint64_t hashes[kTogether];
  uint32_t rows[kTogether];
  for (size_t at = 0; at < words.size(); ++at) {
    hashes[at] = std::max<uint64_t>(hash_word(words[at]), 1);
    __builtin_prefetch(&places_[hashes[at] & mask]);
  }
  for (size_t at = 0; at < words.size(); ++at) {
    rows[at] = row_of(words[at], hashes[at]);
    for (size_t line = 0; line < size; line += 8) {
      __builtin_prefetch(sums_.data() + rows[at] * size + line);
    }
  }
  for (size_t at = 0; at < words.size(); ++at) {
    const double *sums = sums_.data() + rows[at] * size;
    for (size_t number = 0; number < size; ++number) hidden[number] += sums[number];
  }
}

void WordScores::score(std::string_view text, double least, double *probabilities) {
  const size_t width = model_.width;
  std::vector<double> hidden(width + 1, 0.0);
  words_.clear();
  const auto add = [&](std::string_view word) {
    words_.push_back(word);
    if (words_.size() < kTogether) return;
    add_words(words_, hidden.data());
    words_.clear();
  };
  for (size_t at = 0; at < text.size();) {
    size_t end = at;
    while (end < text.size() && !parts_words(text[end])) ++end;
    if (end > at) add(text.substr(at, end - at));
    at = end + 1;
  }
  add(kEndOfLine);
  add_words(words_, hidden.data());
  const double number = std::max(hidden[width], 1.0);
  for (size_t at = 0; at < width; ++at) hidden[at] /= number;
  descend(hidden.data(), least, probabilities);
}

// Down the tree: at each inner node a share goes to the right, the rest to the left.
void WordScores::descend(const double *hidden, double least, double *probabilities) {
  const auto labels = static_cast<int32_t>(num_labels());
  std::fill(probabilities, probabilities + labels, 0.0);
  const double least_log = least > 0 ? std::log(least) - 0.01 : -HUGE_VAL;
  waiting_.assign(1, {2 * labels - 2, 0.0});
  while (!waiting_.empty()) {
    const auto [node, log] = waiting_.back();
    waiting_.pop_back();
    if (log < least_log) continue;
    if (node < labels) {
      probabilities[node] = std::exp(log);
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
