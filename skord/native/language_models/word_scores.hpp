// fastText's classifiers of one word at a time with a tree of labels, such as lid.176.
//
// Joulin et al. 2016, "Bag of Tricks for Efficient Text Classification". fastText looks up every
// word's character n-grams each time it meets the word; here what they add up to is remembered.
// Sums are of doubles, so scores differ from fastText's by the error of its own float sums.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace skord {

// As `skord.models.language_id.fasttext_file.FastTextModel` has it.
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

  // Labels with at least `minimum`, rounded to six decimals, best first, equal ones by the rank of
  // their names. False where a probability is so near to half a percent that the error of
  // fastText's own sums could decide how it is rounded to two decimals.
  struct Label {
    double probability;
    uint32_t rank, number;
  };
  bool best(std::string_view text, double least, double minimum,
            const std::vector<uint32_t> &rank_of, std::vector<Label> &labels);

 private:
  struct Place {
    uint64_t hash;  // 0: free
    uint32_t row;
  };
  void check() const;
  int32_t known_row(std::string_view word, uint64_t hash) const;
  void forget();
  void make_room();
  void add_words(const std::vector<std::string_view> &words, double *hidden);
  uint32_t row_of(std::string_view word, uint64_t hash);
  void compute(std::string_view word, uint64_t hash, double *sums) const;
  void add_ngrams(std::string_view word, double *sums) const;
  void add_rows(const uint32_t *buckets, size_t count, double *sums) const;
  void add_row(int32_t row, double *sums) const;
  void sum_up(std::string_view text, double *hidden);
  template <class Take>
  void descend(const double *hidden, double least, Take take);

  WordModel model_;
  std::vector<int32_t> known_;  // rows of the words known, by their hash, an open hash table
  // Which buckets have a vector, few do in a `.ftz`: a bit each, in words of 64, and how many
  // have one before the word, so that the rows of those that do lie close together.
  struct Buckets {
    uint64_t kept;
    uint32_t before;
  };
  std::vector<Buckets> buckets_;
  std::vector<int32_t> rows_;
  uint32_t num_buckets_ = 0;
  size_t max_words_;
  std::vector<Place> places_;  // an open hash table, half empty at the least; grows with the words
  std::vector<double> sums_;   // of each word remembered: its vectors' sum, and their number
  std::vector<double> hidden_;
  std::vector<std::string_view> words_;              // of the text, at most kTogether
  std::vector<std::pair<int32_t, double>> waiting_;  // nodes to visit, with their log probability
};

}  // namespace skord
