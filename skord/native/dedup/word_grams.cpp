#include "dedup/word_grams.hpp"

#include "dedup/tokens.hpp"

namespace skord {

WordGrams word_grams(const ArrowTexts &texts, size_t length) {
  must_fit(length > 0);
  WordGrams result;
  std::vector<Token> words;
  for (size_t text = 0; text < texts.size(); ++text) {
    word_tokens(texts[text], words);
    const size_t before = result.hashes.size();
    Rolling run(length);
    for (size_t at = 0; at < words.size(); ++at) {
      run.add(words[at].hash, at >= length ? words[at - length].hash : 0);
      if (at + 1 >= length) result.hashes.push_back(gram_hash(run.sum()));
    }
    result.sizes.push_back(uint32_t(result.hashes.size() - before));
  }
  return result;
}

}  // namespace skord
