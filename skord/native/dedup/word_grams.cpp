#include "dedup/word_grams.hpp"

#include "dedup/tokens.hpp"

namespace skord {

std::vector<uint64_t> word_grams(const ArrowTexts &texts, size_t length,
                                 std::vector<uint32_t> &sizes) {
  must_fit(length > 0);
  std::vector<uint64_t> hashes;
  std::vector<Token> words;
  for (size_t text = 0; text < texts.size(); ++text) {
    word_tokens(texts[text], words);
    const size_t before = hashes.size();
    Grams grams(length);
    for (size_t at = 0; at < words.size(); ++at) {
      grams.add(words[at].hash, at >= length ? words[at - length].hash : 0);
      if (at + 1 >= length) hashes.push_back(grams.hash());
    }
    sizes.push_back(uint32_t(hashes.size() - before));
  }
  return hashes;
}

}  // namespace skord
