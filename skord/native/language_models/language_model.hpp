// A language's pieces and n-grams together: one call scores a line of text.

#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "language_models/ngrams.hpp"
#include "language_models/pieces.hpp"

namespace skord {

struct LineScore {
  size_t num_pieces;
  float log10_probability;  // with the line's begin and end; 0 for a line without a piece
};

class LanguageModel {
 public:
  // `ngrams` must outlive the model.
  LanguageModel(std::shared_ptr<const UnigramModel> pieces, std::string_view ngrams,
                uint64_t max_unpacked);

  struct Scratch {
    CutScratch cut;
    std::vector<uint32_t> words;
  };
  LineScore score(std::string_view line, Scratch &scratch) const;

 private:
  bool add_words(std::string_view surface, std::vector<uint32_t> &words) const;

  std::shared_ptr<const UnigramModel> pieces_;
  NgramModel ngrams_;
  std::vector<int64_t> word_of_piece_;  // -1 for a piece that is not one word
};

}  // namespace skord
