#include "dedup/item_matches.hpp"

#include <algorithm>
#include <tuple>

#include "dedup/tokens.hpp"
#include "dedup/word_grams.hpp"

namespace skord {

namespace {

constexpr uint32_t kNone = UINT32_MAX;
constexpr int64_t kDrift = 4;     // places that a word may be off its seed's line
constexpr float kMiss = 1.2f;     // evidence that a word without its twin costs: -log(0.3)
constexpr float kDrop = 10;       // evidence below the best at which a stretch ends
constexpr float kMovesLine = 4;   // evidence of a word that is rare enough to move the line

class Lookup {
 public:
  explicit Lookup(const HashTable &table) : table_(table), mask_(table.hashes.size - 1) {
    must_fit(table.hashes.size > 0 && (table.hashes.size & mask_) == 0);
    must_fit(table.numbers.size == table.hashes.size);
  }
  uint32_t operator[](uint64_t hash) const {
    for (size_t step = 0; step <= mask_; ++step) {  // a full table ends, too
      const size_t slot = ((hash >> 1) + step) & mask_;
      if (table_.hashes[slot] == hash) return table_.numbers[slot];
      if (table_.hashes[slot] == 0) return kNone;
    }
    return kNone;
  }

 private:
  const HashTable &table_;
  size_t mask_;
};

// Reads texts as numbers of words, and finds the runs that the index has.
class Reader {
 public:
  explicit Reader(const ItemWords &index)
      : length_(index.length), words_(index.words), grams_(index.grams) {
    must_fit(length_ > 0);
  }

  // Calls back with the number of each known run and its first word; fills `tokens` and `numbers`.
  template <class Call>
  void read(std::string_view text, Call call) {
    word_tokens(text, tokens);
    numbers.clear();
    size_t known = 0;
    Rolling run(length_);
    for (size_t at = 0; at < tokens.size(); ++at) {
      numbers.push_back(words_[gram_hash(tokens[at].hash)]);
      run.add(tokens[at].hash, at >= length_ ? tokens[at - length_].hash : 0);
      // A run with a word that no item has is none of theirs: most runs are not even looked up.
      known = numbers.back() == kNone ? 0 : known + 1;
      if (known < length_) continue;
      const uint32_t gram = grams_[gram_hash(run.sum())];
      if (gram != kNone) call(gram, at + 1 - length_);
    }
  }

  std::vector<Token> tokens;
  std::vector<uint32_t> numbers;

 private:
  size_t length_;
  Lookup words_, grams_;
};

struct Seed {
  uint32_t item, at, place;  // a run of the item: word of the text, word of the item
  float evidence;
  bool operator<(const Seed &other) const {
    return std::tie(item, at, place) < std::tie(other.item, other.at, other.place);
  }
};

// Words of an item and of a text that are each other's.
struct Stretch {
  float evidence = 0;
  std::vector<std::pair<uint32_t, uint32_t>> pairs;  // place in the item, word of the text
};

class Aligner {
 public:
  Aligner(const Items &items, size_t length) : items_(items), length_(int64_t(length)) {}

  void begin(uint32_t item, const std::vector<uint32_t> &text) {
    first_ = items_.item_first[item];
    size_ = int64_t(items_.item_first[item + 1]) - int64_t(first_);
    text_ = &text;
    taken_.assign(size_t(size_), kNone);
    evidence = 0;
    best = Stretch();
  }

  // The stretch around a seed, unless one before it went through here.
  void add(const Seed &seed, float least) {
    if (taken_[seed.place] == seed.at) return;
    result_.evidence = seed.evidence;
    result_.pairs.clear();
    for (int64_t k = 0; k < length_; ++k) {
      result_.pairs.push_back({uint32_t(seed.place + k), uint32_t(seed.at + k)});
    }
    extend(int64_t(seed.place) + length_ - 1, int64_t(seed.at) + length_ - 1, 1);
    extend(seed.place, seed.at, -1);
    if (result_.evidence < least) return;
    float added = 0;
    bool is_new = false;
    for (const auto &[place, at] : result_.pairs) {
      if (taken_[place] != kNone) continue;
      taken_[place] = at;
      added += items_.evidence[first_ + place];
      is_new = true;
    }
    // Words that another stretch has claimed already are no evidence once more.
    if (is_new) evidence += std::min(result_.evidence, added);
    if (result_.evidence > best.evidence) best = result_;
  }

  // Share of the item's weight that was found.
  float score() const {
    double all = 0, matched = 0;
    for (int64_t place = 0; place < size_; ++place) {
      const float weight = items_.weights[first_ + size_t(place)];
      all += weight;
      if (taken_[size_t(place)] != kNone) matched += weight;
    }
    return all > 0 ? float(matched / all) : 0;
  }

  float evidence = 0;
  Stretch best;

 private:
  // Goes on from a pair, to the right (1) or left (-1).
  void extend(int64_t place, int64_t at, int64_t step) {
    const auto &text = *text_;
    const int64_t count = int64_t(text.size());
    float sum = 0, most = 0;
    size_t kept = result_.pairs.size();
    int64_t line = at - place, last = at;
    for (place += step; place >= 0 && place < size_; place += step) {
      const size_t own = first_ + size_t(place);
      int64_t twin = -1;
      for (int64_t off = 0; off <= kDrift && twin < 0; ++off) {
        // The nearest word counts; of two as near the one looked at last, before the line.
        for (const int64_t side : {off, -off}) {
          const int64_t where = line + place + side;
          // Words of the text are used in their order, each once: beyond the last one only.
          if (where < 0 || where >= count || (where - last) * step <= 0) continue;
          if (text[size_t(where)] == items_.words[own]) twin = where;
        }
      }
      if (twin < 0) {
        sum -= kMiss;
        if (sum < most - kDrop) break;
        continue;
      }
      result_.pairs.push_back({uint32_t(place), uint32_t(twin)});
      sum += items_.evidence[own];
      // A rare word shows that words were added or left out; a common one may be there by chance.
      if (items_.evidence[own] >= kMovesLine) line = twin - place;
      last = twin;
      // The stretch is cut back to its best end: the misses behind that cost nothing.
      if (sum >= most) {
        most = sum;
        kept = result_.pairs.size();
      }
    }
    result_.pairs.resize(kept);
    result_.evidence += most;
  }

  const Items &items_;
  int64_t length_, size_ = 0;
  size_t first_ = 0;
  const std::vector<uint32_t> *text_ = nullptr;
  std::vector<uint32_t> taken_;  // word of the text that is the item's, by place
  Stretch result_;
};

void check(const Items &items) {
  const size_t grams = items.seeds.size, places = items.words.size;
  must_fit(items.first.size == grams + 1 && items.item_first.size > 0);
  must_fit(items.items.size == items.places.size && items.evidence.size == places);
  must_fit(items.weights.size == places);
  must_fit(std::is_sorted(items.first.begin(), items.first.end()));
  must_fit(items.first[grams] <= items.items.size);
  must_fit(std::is_sorted(items.item_first.begin(), items.item_first.end()));
  must_fit(items.item_first[items.item_first.size - 1] <= places);
}

}  // namespace

Frequencies item_frequencies(const ArrowTexts &texts, const ItemWords &index, size_t num_words,
                             size_t num_grams) {
  must_fit(num_words <= index.words.hashes.size && num_grams <= index.grams.hashes.size);
  Frequencies result{std::vector<uint32_t>(num_words), std::vector<uint32_t>(num_grams)};
  std::vector<uint32_t> last_word(num_words, kNone), last_gram(num_grams, kNone);
  Reader reader(index);
  const auto count = [](uint32_t number, uint32_t text, std::vector<uint32_t> &last,
                        std::vector<uint32_t> &counts) {
    must_fit(number < counts.size());
    // Counted by texts: the number of the text that was counted last stands in for a set of them.
    if (last[number] == text) return;
    last[number] = text;
    ++counts[number];
  };
  for (size_t text = 0; text < texts.size(); ++text) {
    reader.read(texts[text],
                [&](uint32_t gram, size_t) {
                  count(gram, uint32_t(text), last_gram, result.grams);
                });
    for (const uint32_t word : reader.numbers) {
      if (word != kNone) count(word, uint32_t(text), last_word, result.words);
    }
  }
  return result;
}

ItemMatches item_matches(const ArrowTexts &texts, const ItemWords &index, const Items &items,
                         const Least &least) {
  check(items);
  ItemMatches result;
  Reader reader(index);
  Aligner aligner(items, index.length);
  std::vector<Seed> seeds;
  for (size_t text = 0; text < texts.size(); ++text) {
    seeds.clear();
    reader.read(texts[text], [&](uint32_t gram, size_t at) {
      must_fit(gram < items.seeds.size);
      if (items.seeds[gram] <= 0) return;
      for (uint32_t k = items.first[gram]; k < items.first[gram + 1]; ++k) {
        seeds.push_back({items.items[k], uint32_t(at), items.places[k], items.seeds[gram]});
      }
    });
    std::sort(seeds.begin(), seeds.end());
    for (size_t low = 0, high; low < seeds.size(); low = high) {
      const uint32_t item = seeds[low].item;
      must_fit(size_t(item) + 1 < items.item_first.size);
      aligner.begin(item, reader.numbers);
      const size_t size = items.item_first[item + 1] - items.item_first[item];
      for (high = low; high < seeds.size() && seeds[high].item == item; ++high) {
        must_fit(index.length <= size && seeds[high].place <= size - index.length);
        aligner.add(seeds[high], least.stretch);
      }
      const float score = aligner.score();
      const float needed = least.evidence + least.missing * (1 - score);
      if (aligner.evidence < needed || score < least.score || aligner.best.pairs.empty()) continue;
      const auto by_text = [](const auto &a, const auto &b) { return a.second < b.second; };
      const auto [from, to] =
          std::minmax_element(aligner.best.pairs.begin(), aligner.best.pairs.end(), by_text);
      result.texts.push_back(uint32_t(text));
      result.items.push_back(item);
      result.starts.push_back(reader.tokens[from->second].start);
      result.ends.push_back(reader.tokens[to->second].end);
      result.scores.push_back(score);
      result.evidence.push_back(aligner.evidence);
    }
  }
  return result;
}

}  // namespace skord
