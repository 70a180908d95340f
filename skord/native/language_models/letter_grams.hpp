// A linear classifier of short texts by their n-grams of letters, hashed into buckets:
// `skord.models.scandinavian` says what for.

#pragma once

#include <cstdint>
#include <vector>

#include "text/arrow_texts.hpp"

namespace skord {

// Letters of some texts, by number, one after the other; where each begins, and the end.
struct LetterTexts {
  Numbers<const uint8_t> letters;
  Numbers<const int64_t> starts;

  // Throws std::invalid_argument where a text lies outside of the letters.
  void check() const;
  size_t size() const { return starts.size - 1; }
};

// Writes texts as letters of a small alphabet, runs of anything else as one blank, with one at
// both ends; at most `most` letters of each. `table` has the letter of each code point below its
// size; its last stands for all above. Returns how many were written.
size_t write_letters(const ArrowTexts &texts, Numbers<const uint8_t> table, size_t most,
                     Numbers<uint8_t> out, Numbers<int64_t> starts);

// Labels that the stored weights have room for.
constexpr size_t kLabelLanes = 8;

// Sums of the weights, shape (buckets, kLabelLanes), of each text's n-grams of up to `longest`
// letters, and how many n-grams it has.
void sum_letter_grams(const LetterTexts &texts, size_t longest, Numbers<const int8_t> weights,
                      Numbers<int32_t> sums, Numbers<int64_t> counts);

struct LetterTraining {
  Numbers<const int64_t> order;    // the texts as they are shown
  Numbers<const int64_t> answers;  // label of each text
  size_t longest, labels;
  double rate, next_rate;  // the step at the beginning of the pass, and at its end
};

// One pass of stochastic gradient descent on the softmax over `weights`, shape (buckets, labels);
// returns the mean loss.
double train_letter_grams(const LetterTexts &texts, const LetterTraining &training,
                          Numbers<float> weights);

}  // namespace skord
