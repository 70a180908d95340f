#include "dedup/passages.hpp"

#include <algorithm>
#include <deque>

#include "dedup/tokens.hpp"

namespace skord {

namespace {

constexpr uint64_t kBase = 0xD1342543DE82EF95;
constexpr uint64_t kOtherBase = 0xAF251AF3B0F025B5;
constexpr uint64_t kOtherSalt = 0x2545F4914F6CDD1D;

// Rolling polynomials over hashes of tokens, modulo 2^64.
class Rolling {
 public:
  Rolling(uint64_t base, uint64_t salt, size_t length) : base_(base), salt_(salt) {
    for (size_t k = 1; k < length; ++k) top_ *= base;
  }
  void add(uint64_t token) { sum_ = sum_ * base_ + salted(token); }
  void drop(uint64_t token) { sum_ -= salted(token) * top_; }
  uint64_t value() const { return split_mixed(sum_); }

 private:
  uint64_t salted(uint64_t token) const { return salt_ ? split_mixed(token ^ salt_) : token; }
  uint64_t base_, salt_, top_ = 1, sum_ = 0;
};

}  // namespace

Anchors passage_anchors(const ArrowTexts &texts, size_t length) {
  must_fit(length >= 2);
  const size_t half = (length + 1) / 2, window = length - half + 1;
  Anchors result;
  std::vector<Token> tokens;
  std::vector<uint64_t> grams;
  for (size_t text = 0; text < texts.size(); ++text) {
    blank_tokens(texts[text], tokens);
    if (tokens.size() < length) continue;
    Rolling rolling(kBase, 0, half);
    grams.clear();
    for (size_t at = 0; at < tokens.size(); ++at) {
      if (at >= half) rolling.drop(tokens[at - half].hash);
      rolling.add(tokens[at].hash);
      if (at + 1 >= half) grams.push_back(rolling.value());
    }
    // the least of each window, the last of several
    std::deque<size_t> ascending;
    size_t chosen = SIZE_MAX;
    for (size_t at = 0; at < grams.size(); ++at) {
      while (!ascending.empty() && grams[ascending.back()] >= grams[at]) ascending.pop_back();
      ascending.push_back(at);
      if (ascending.front() + window <= at) ascending.pop_front();
      if (at + 1 < window || ascending.front() == chosen) continue;
      chosen = ascending.front();
      result.keys.push_back(grams[chosen]);
      result.texts.push_back(uint32_t(text));
      result.places.push_back(uint32_t(chosen));
    }
  }
  return result;
}

Prints passage_prints(const ArrowTexts &texts, size_t length, Numbers<const uint32_t> of_texts,
                      Numbers<const uint32_t> places) {
  must_fit(length >= 2 && of_texts.size == places.size);
  const size_t half = (length + 1) / 2;
  Prints result;
  std::vector<Token> tokens;
  for (size_t first = 0; first < of_texts.size;) {
    const uint32_t text = of_texts[first];
    must_fit(text < texts.size());
    size_t last = first;
    while (last < of_texts.size && of_texts[last] == text) ++last;
    blank_tokens(texts[text], tokens);
    size_t done = 0;  // windows that begin before it were printed or lie between anchors
    for (size_t anchor = first; anchor < last; ++anchor) {
      const size_t place = places[anchor];
      must_fit(place + half <= tokens.size() && (anchor == first || places[anchor - 1] < place));
      const size_t low = std::max(done, place + half >= length ? place + half - length : 0);
      const size_t high = std::min(place, tokens.size() - length);  // last window's beginning
      if (tokens.size() < length || low > high) continue;
      Rolling one(kBase, kOtherSalt, length), other(kOtherBase, 0, length);
      for (size_t at = low; at < high + length; ++at) {
        if (at >= low + length) {
          one.drop(tokens[at - length].hash);
          other.drop(tokens[at - length].hash);
        }
        one.add(tokens[at].hash);
        other.add(tokens[at].hash);
        if (at + 1 < low + length) continue;
        result.high.push_back(one.value());
        result.low.push_back(other.value());
        result.texts.push_back(text);
        result.places.push_back(uint32_t(at + 1 - length));
      }
      done = high + 1;
    }
    first = last;
  }
  return result;
}

}  // namespace skord
