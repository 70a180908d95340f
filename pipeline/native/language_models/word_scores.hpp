// fastText's classifiers of one word at a time with a tree of labels, such as lid.176.
//
// Joulin et al. 2016, "Bag of Tricks for Efficient Text Classification". fastText looks up every
// word's character n-grams each time it meets the word; here what they add up to is remembered.
// Sums are of doubles, so scores differ from fastText's by the error of its own float sums.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace skord {

// As `models.language_id.fasttext_file.FastTextModel` has it.
struct WordModel {
  unsigned shortest, longest;             // characters of an n-gram
  size_t width;                           // of a vector
  std::vector<std::string> words;         // the known words; word n has vector n
  std::vector<int32_t> row_of_bucket;     // the vector of an n-gram's hash, -1: it has none
  std::vector<float> vectors;             // shape (rows, width)
  std::vector<float> nodes;               // of the tree's inner nodes, shape (labels, width)
  std::vector<int32_t> lefts, rights;     // their children, shape (labels - 1); labels come first
};

class WordScores {
 public:
  // Throws std::invalid_argument where shapes or numbers do not fit one another.
  WordScores(WordModel model, size_t max_words);

  size_t num_labels() const { return model_.nodes.size() / model_.width; }

  // Writes the probability of each label for a text and the line feed after it. Labels of less
  // than `least` may be given 0.
  void score(std::string_view text, double least, double *probabilities);

 private:
  struct Place {
    uint64_t hash;  // 0: free
    uint32_t row;
  };
  void check() const;
  void add_words(const std::vector<std::string_view> &words, double *hidden);
  uint32_t row_of(std::string_view word, uint64_t hash);
  bool has_row(size_t bucket) const { return kept_[bucket / 64] >> (bucket % 64) & 1; }
  void compute(std::string_view word, double *sums) const;
  void add_ngrams(std::string_view word, double *sums) const;
  void add_row(int32_t row, double *sums) const;
  void descend(const double *hidden, double least, double *probabilities);

  WordModel model_;
  std::unordered_map<std::string_view, int32_t> row_of_word_;
  std::vector<uint64_t> kept_;  // a bit for each bucket that has a vector: few do in a `.ftz`
  size_t max_words_;
  std::vector<Place> places_;  // an open hash table, half empty at the least
  std::vector<double> sums_;   // of each word remembered: its vectors' sum, and their number
  std::vector<std::string_view> words_;              // of the text, at most kTogether
  std::vector<std::pair<int32_t, double>> waiting_;  // nodes to visit, with their log probability
};

}  // namespace skord
