#include "language_models/letter_grams.hpp"

#include <algorithm>
#include <cmath>

#include "text/utf8.hpp"

namespace skord {

namespace {

constexpr uint64_t kFactor = 0x9E3779B97F4A7C15, kMix = 0xD6E8FEB86659FD93;
constexpr uint8_t kBlank = 1;

// How far a hash of 64 bits is shifted to number one of so many buckets, a power of two.
unsigned shift_of(size_t buckets) {
  must_fit(buckets > 1 && (buckets & (buckets - 1)) == 0);
  return 64 - unsigned(__builtin_ctzll(buckets));
}

// Calls `use` with the bucket of each n-gram; returns how many there are.
template <class Use>
int64_t each_gram(const uint8_t *letters, size_t size, size_t longest, unsigned shift, Use use) {
  int64_t count = 0;
  for (size_t first = 0; first < size; ++first) {
    // Grown letter by letter: each n-gram from one place costs one step. No letter
    // is 0, or longer ones could have the hash of shorter ones.
    uint64_t gram = 0;
    for (size_t at = first; at < std::min(first + longest, size); ++at, ++count) {
      gram = (gram + letters[at]) * kFactor;
      use(size_t((gram ^ gram >> 32) * kMix >> shift));
    }
  }
  return count;
}

}  // namespace

void LetterTexts::check() const {
  must_fit(starts.size > 0 && std::is_sorted(starts.begin(), starts.end()));
  must_fit(starts[0] >= 0 && size_t(starts[size()]) <= letters.size);
}

size_t write_letters(const ArrowTexts &texts, Numbers<const uint8_t> table, size_t most,
                     Numbers<uint8_t> out, Numbers<int64_t> starts) {
  must_fit(table.size > 0 && starts.size == texts.size() + 1);
  size_t size = 0;
  starts[0] = 0;
  for (size_t text = 0; text < texts.size(); ++text) {
    const std::string_view shown = texts[text];
    const size_t first = size;
    must_fit(out.size - size >= shown.size() + 2);
    out[size++] = kBlank;
    for (size_t at = 0; at < shown.size() && size - first < most;) {
      const uint8_t letter = table[std::min(size_t(next_point(shown, at)), table.size - 1)];
      if (letter == 0 || (letter == kBlank && out[size - 1] == kBlank)) continue;
      out[size++] = letter;
    }
    if (out[size - 1] != kBlank) out[size++] = kBlank;
    starts[text + 1] = int64_t(size);
  }
  return size;
}

void sum_letter_grams(const LetterTexts &texts, size_t longest, Numbers<const int8_t> weights,
                      Numbers<int32_t> sums, Numbers<int64_t> counts) {
  texts.check();
  must_fit(weights.size % kLabelLanes == 0 && sums.size == texts.size() * kLabelLanes);
  must_fit(counts.size == texts.size());
  const unsigned shift = shift_of(weights.size / kLabelLanes);
  for (size_t text = 0; text < texts.size(); ++text) {
    int32_t sum[kLabelLanes] = {};
    const size_t first = size_t(texts.starts[text]), end = size_t(texts.starts[text + 1]);
    counts[text] =
        each_gram(texts.letters.data + first, end - first, longest, shift, [&](size_t bucket) {
          const int8_t *row = weights.data + bucket * kLabelLanes;
          for (size_t label = 0; label < kLabelLanes; ++label) sum[label] += row[label];
        });
    std::copy_n(sum, kLabelLanes, &sums[text * kLabelLanes]);
  }
}

double train_letter_grams(const LetterTexts &texts, const LetterTraining &training,
                          Numbers<float> weights) {
  texts.check();
  const size_t labels = training.labels, texts_left = training.order.size;
  must_fit(labels > 0 && weights.size % labels == 0 && training.answers.size == texts.size());
  for (const int64_t answer : training.answers) must_fit(answer >= 0 && size_t(answer) < labels);
  for (const int64_t text : training.order) must_fit(text >= 0 && size_t(text) < texts.size());
  const unsigned shift = shift_of(weights.size / labels);
  std::vector<float> shares(labels);
  double loss = 0;
  for (size_t step = 0; step < texts_left; ++step) {
    const size_t text = size_t(training.order[step]);
    const size_t first = size_t(texts.starts[text]), end = size_t(texts.starts[text + 1]);
    const uint8_t *letters = texts.letters.data + first;
    std::fill(shares.begin(), shares.end(), 0.0f);
    const int64_t count =
        each_gram(letters, end - first, training.longest, shift, [&](size_t bucket) {
          for (size_t label = 0; label < labels; ++label) {
            shares[label] += weights[bucket * labels + label];
          }
        });
    if (count == 0) continue;
    for (float &share : shares) share = float(double(share) / double(count));
    // A softmax; less the greatest, so that no exponential overflows.
    const float most = *std::max_element(shares.begin(), shares.end());
    float total = 0;
    for (float &share : shares) total += share = std::exp(share - most);
    for (float &share : shares) share /= total;
    const auto answer = size_t(training.answers[text]);
    loss -= std::log(std::max(double(shares[answer]), 1e-12));
    const double now = training.rate + (training.next_rate - training.rate) * double(step) /
                                           double(texts_left);
    // What is left is the gradient of the cross-entropy by the label's sum.
    shares[answer] -= 1;
    each_gram(letters, end - first, training.longest, shift, [&](size_t bucket) {
      for (size_t label = 0; label < labels; ++label) {
        float &weight = weights[bucket * labels + label];
        weight = float(double(weight) - now * double(shares[label]) / double(count));
      }
    });
  }
  return texts_left ? loss / double(texts_left) : 0.0;
}

}  // namespace skord
