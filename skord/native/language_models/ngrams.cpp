#include "language_models/ngrams.hpp"

#include <algorithm>
#include <cstring>

namespace skord {

namespace {

constexpr uint32_t kSign = 0x80000000u;

// KenLM marks words that nothing follows with a back-off of minus zero.
bool has_extension(float backoff) { return bits_of_float(backoff) != kSign; }

}  // namespace

uint64_t hash_word(std::string_view word) {
  // Appleby's MurmurHash64A, to the bit: the files hold these hashes.
  constexpr uint64_t kFactor = 0xc6a4a7935bd1e995ULL;
  uint64_t hash = word.size() * kFactor;
  const char *at = word.data();
  for (size_t left = word.size() / 8; left > 0; --left, at += 8) {
    uint64_t part = load<uint64_t>(at) * kFactor;
    part = (part ^ (part >> 47)) * kFactor;
    hash = (hash ^ part) * kFactor;
  }
  if (const size_t rest = word.size() % 8) {
    uint64_t part = 0;
    std::memcpy(&part, at, rest);
    hash = (hash ^ part) * kFactor;
  }
  hash = (hash ^ (hash >> 47)) * kFactor;
  return hash ^ (hash >> 47);
}

NgramModel::NgramModel(std::string_view file, uint64_t max_unpacked)
    : tables_(read_ngrams(file, max_unpacked)), end_(word("</s>")), begin_{} {
  begin_.length = 1;
  begin_.words[0] = word("<s>");
  begin_.backoff[0] = load<float>(tables_.unigrams + 8 * size_t(begin_.words[0]) + 4);
}

uint32_t NgramModel::word(std::string_view text) const {
  const uint64_t hash = hash_word(text);
  if (tables_.sorted_words == nullptr) {
    const uint8_t *record = tables_.probed_words.find(hash);
    const uint32_t number = record ? load<uint32_t>(record) : kUnknownWord;
    if (number >= tables_.num_words) throw Damaged("a word has a number beyond the last");
    return number;
  }
  uint64_t low = 0, high = tables_.num_sorted;
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    const uint64_t stored = load<uint64_t>(tables_.sorted_words + 8 * middle);
    if (stored == hash) return static_cast<uint32_t>(middle + 1);
    (stored < hash ? low : high) = stored < hash ? middle + 1 : middle;
  }
  return kUnknownWord;
}

float NgramModel::score(const std::vector<uint32_t> &words) const {
  constexpr size_t kAhead = 3;
  State states[2] = {begin_, begin_};
  unsigned now = 0;
  float total = 0;
  for (size_t at = 0; at < std::min(kAhead, words.size()); ++at) prefetch(words, at);
  for (size_t at = 0; at < words.size(); ++at) {
    if (at + kAhead < words.size()) prefetch(words, at + kAhead);
    total += step(states[now], words[at], states[1 - now]);
    now = 1 - now;
  }
  return total + step(states[now], end_, states[1 - now]);
}

// Asks for the memory of a word and of the three shortest n-grams that end with it: tables
// are larger than what is near the processor, and few longer n-grams are known.
void NgramModel::prefetch(const std::vector<uint32_t> &words, size_t at) const {
  __builtin_prefetch(tables_.unigrams + 8 * size_t(words[at]));
  uint64_t node = words[at];
  for (size_t order = 0; order < std::min<size_t>({3, at, tables_.middle.size()}); ++order) {
    node = extend(node, words[at - 1 - order]);
    tables_.middle[order].prefetch(node);
  }
}

// The longest n-gram that ends with `word` and is known gives the probability; the words before
// it that had to be let go cost their back-off.
float NgramModel::step(const State &before, uint32_t word, State &after) const {
  const uint8_t *unigram = tables_.unigrams + 8 * size_t(word);
  uint32_t bits = load<uint32_t>(unigram);
  after.words[0] = word;
  after.backoff[0] = load<float>(unigram + 4);
  after.length = has_extension(after.backoff[0]) ? 1 : 0;
  unsigned matched = 1;
  uint64_t node = word;
  for (unsigned at = 0; at < before.length && !(bits & kSign); ++at) {
    node = extend(node, before.words[at]);
    if (at == tables_.order - 2) {
      if (const uint8_t *longest = tables_.longest.find(node)) {
        bits = load<uint32_t>(longest);
        matched = tables_.order;
      }
      break;
    }
    const uint8_t *middle = tables_.middle[at].find(node);
    if (middle == nullptr) break;
    bits = load<uint32_t>(middle);
    matched = at + 2;
    after.backoff[at + 1] = load<float>(middle + 4);
    if (has_extension(after.backoff[at + 1])) after.length = matched;
  }
  for (unsigned at = 1; at < after.length; ++at) after.words[at] = before.words[at - 1];
  float score = float_of_bits(bits | kSign);
  for (unsigned at = matched - 1; at < before.length; ++at) score += before.backoff[at];
  return score;
}

}  // namespace skord
