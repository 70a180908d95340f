#include "dedup/word_grams.hpp"

#include "dedup/tokens.hpp"

namespace skord {

namespace {

constexpr uint64_t kBase = 0xD1342543DE82EF95;

// Calls back with the hash (never 0) and the first word of each run.
template <class Call>
void each_gram(const std::vector<Token> &words, size_t length, Call call) {
  uint64_t sum = 0, top = 1;
  for (size_t k = 1; k < length; ++k) top *= kBase;
  for (size_t at = 0; at < words.size(); ++at) {
    if (at >= length) sum -= words[at - length].hash * top;
    sum = sum * kBase + words[at].hash;
    if (at + 1 >= length) call(split_mixed(sum) | 1, at + 1 - length);
  }
}

}  // namespace

std::vector<uint64_t> word_grams(const ArrowTexts &texts, size_t length,
                                 std::vector<uint32_t> &sizes) {
  must_fit(length > 0);
  std::vector<uint64_t> found;
  std::vector<Token> words;
  for (size_t text = 0; text < texts.size(); ++text) {
    word_tokens(texts[text], words);
    const size_t before = found.size();
    each_gram(words, length, [&](uint64_t hash, size_t) { found.push_back(hash); });
    sizes.push_back(uint32_t(found.size() - before));
  }
  return found;
}

GramHits gram_hits(const ArrowTexts &texts, size_t length, const GramTable &table) {
  const size_t slots = table.hashes.size;
  must_fit(length > 0 && slots > 0 && (slots & (slots - 1)) == 0 && table.numbers.size == slots);
  GramHits found;
  std::vector<Token> words;
  for (size_t text = 0; text < texts.size(); ++text) {
    word_tokens(texts[text], words);
    each_gram(words, length, [&](uint64_t hash, size_t first) {
      for (size_t slot = (hash >> 1) & (slots - 1);; slot = (slot + 1) & (slots - 1)) {
        if (table.hashes[slot] == 0) return;
        if (table.hashes[slot] != hash) continue;
        found.grams.push_back(table.numbers[slot]);
        found.texts.push_back(uint32_t(text));
        found.words.push_back(uint32_t(first));
        found.starts.push_back(words[first].start);
        found.ends.push_back(words[first + length - 1].end);
        return;
      }
    });
  }
  return found;
}

}  // namespace skord
