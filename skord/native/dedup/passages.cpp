#include "dedup/passages.hpp"

#include <algorithm>
#include <deque>

#include "dedup/tokens.hpp"
#include "dedup/word_grams.hpp"

namespace skord {

namespace {

constexpr uint64_t kOtherBase = 0xAF251AF3B0F025B5;
constexpr uint64_t kSalt = 0x2545F4914F6CDD1D;

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
    Rolling run(half);
    grams.clear();
    for (size_t at = 0; at < tokens.size(); ++at) {
      run.add(tokens[at].hash, at >= half ? tokens[at - half].hash : 0);
      if (at + 1 >= half) grams.push_back(split_mixed(run.sum()));
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
      Rolling one(length), other(length, kOtherBase);
      for (size_t at = low; at < high + length; ++at) {
        const uint64_t token = tokens[at].hash;
        const bool is_full = at >= low + length;
        const uint64_t gone = is_full ? tokens[at - length].hash : 0;
        one.add(split_mixed(token ^ kSalt), is_full ? split_mixed(gone ^ kSalt) : 0);
        other.add(token, gone);
        if (at + 1 < low + length) continue;
        result.high.push_back(split_mixed(one.sum()));
        result.low.push_back(split_mixed(other.sum()));
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
