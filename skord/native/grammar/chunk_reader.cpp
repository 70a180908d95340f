#include <algorithm>
#include <stdexcept>

#include "grammar/chunks.hpp"

namespace skord {

namespace {

constexpr size_t kBytesOfPiece = 32;  // of its letters, in the mean, before pieces are forgotten

}  // namespace

ChunkReader::ChunkReader(const NumberList &rows, size_t max_remembered)
    : automaton_(rows), max_remembered_(max_remembered) {}

void ChunkReader::forget_pieces() {
  pieces_.clear();
  numbers_.clear();
  bytes_ = 0;
}

// No token has a blank in it, so what stands between blanks is looked up as a whole.
NumberList ChunkReader::read(std::string_view text, const Classify &classify) {
  if (pieces_.size() > max_remembered_ || bytes_ > kBytesOfPiece * max_remembered_) {
    forget_pieces();
  }
  NumberList numbers;
  numbers.reserve(text.size() / 5);
  const auto parts = [](char c) { return c == ' ' || c == '\n'; };
  for (size_t at = 0; at < text.size(); ++at) {
    size_t end = at;
    while (end < text.size() && !parts(text[end])) ++end;
    if (end > at) add_piece(text.substr(at, end - at), classify, numbers);
    if (end < text.size() && text[end] == '\n') {
      if (classes_.size() <= size_t(kBreak)) throw std::invalid_argument("no class was added");
      numbers.push_back(kBreak);
    }
    at = end;
  }
  return numbers;
}

void ChunkReader::add_piece(std::string_view piece, const Classify &classify, NumberList &into) {
  key_.assign(piece);
  const auto place = pieces_.find(key_);
  if (place != pieces_.end()) {
    const auto first = numbers_.begin() + place->second.first;
    into.insert(into.end(), first, first + place->second.count);
    return;
  }
  const NumberList made = classify(piece);  // may read another text with this reader
  for (const int32_t number : made) {
    if (number < 0 || size_t(number) >= classes_.size()) {
      throw std::invalid_argument("a class that was not added");
    }
  }
  into.insert(into.end(), made.begin(), made.end());
  const Piece at{static_cast<uint32_t>(numbers_.size()), static_cast<uint32_t>(made.size())};
  if (pieces_.emplace(piece, at).second) {
    numbers_.insert(numbers_.end(), made.begin(), made.end());
    bytes_ += piece.size();
  }
}

// For each length from two on, where chunks of it begin. A break has no tags, so no state leads
// across one.
void ChunkReader::find_candidates(const NumberList &numbers, std::vector<size_t> *begins) {
  for (size_t at = 0; at < numbers.size(); ++at) {
    const size_t most = std::min(kLongestChunk, numbers.size() - at);
    int32_t state = automaton_.start();
    for (size_t length = 1; length <= most; ++length) {
      const int32_t number = numbers[at + length - 1];
      state = automaton_.step(state, number, classes_[size_t(number)].tags);
      if (state == ChunkAutomaton::kDead) break;
      if (length > 1 && automaton_.accepts(state)) begins[length].push_back(at);
    }
  }
}

bool ChunkReader::says_something(const int32_t *first, size_t length) const {
  size_t content = 0, guessed = 0;
  for (size_t at = 0; at < length; ++at) {
    content += classes_[size_t(first[at])].content;
    guessed += classes_[size_t(first[at])].guessed;
  }
  return content > 0 && guessed <= content;
}

ChunkCounts ChunkReader::select(const NumberList &numbers, std::vector<ChunkSpan> *spans) {
  if (automaton_.num_steps() > max_remembered_) automaton_.forget();
  std::vector<size_t> begins[kLongestChunk + 1];
  find_candidates(numbers, begins);
  std::vector<uint8_t> taken(numbers.size());
  ChunkCounts counts;
  const auto take = [&](size_t at, size_t length) {
    std::fill_n(taken.begin() + static_cast<std::ptrdiff_t>(at), length, uint8_t(1));
    ++counts.by_length[length];
    if (spans != nullptr) spans->push_back({at, length});
  };
  for (size_t length = kLongestChunk; length > 1; --length) {
    for (const size_t at : begins[length]) {
      // a chunk taken before is no shorter, so it would cover one of the ends
      if (taken[at] || taken[at + length - 1]) continue;
      if (says_something(numbers.data() + at, length)) take(at, length);
    }
  }
  for (size_t at = 0; at < numbers.size(); ++at) {
    const WordClass &word_class = classes_[size_t(numbers[at])];
    if (numbers[at] == kBreak) continue;
    ++counts.words;
    counts.known += word_class.known;
    counts.content += word_class.content;
    counts.numbers += !word_class.known && !word_class.guessed && !word_class.tags.empty();
    if (word_class.content && !taken[at]) take(at, 1);
  }
  return counts;
}

}  // namespace skord
