// Chunks of a text by a chunk grammar.
//
// After Dzerins and Dzonsons, "Harvesting National Language Text Corpora from the Web". A trie over
// tag sequences, with equal subtrees made one, is a nondeterministic automaton for words that may
// take several tags. Its subset construction is done as texts call for it, and remembered.

#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace skord {

constexpr size_t kLongestChunk = 5;
constexpr int32_t kBreak = 0;  // the class of what no chunk goes across

using NumberList = std::vector<int32_t>;

struct NumberListHash {
  size_t operator()(const NumberList &numbers) const {
    uint64_t hash = numbers.size();
    for (const int32_t number : numbers) hash = (hash ^ uint32_t(number)) * 0x9E3779B97F4A7C15u;
    return hash ^ hash >> 32;
  }
};

// The trie: nodes, and for each its edges, by ascending tags.
class ChunkGraph {
 public:
  // `rows`: kLongestChunk tags for each chunk, -1 after its last. Throws std::invalid_argument.
  explicit ChunkGraph(const NumberList &rows);

  int32_t root() const { return static_cast<int32_t>(ends_.size()) - 1; }
  bool ends(int32_t node) const { return ends_[node] != 0; }
  // Appends the node that each of the tags leads to, if any.
  void follow(int32_t node, const NumberList &tags, NumberList &into) const;

 private:
  using Row = const int32_t *;
  int32_t add(const Row *first, const Row *last, size_t depth);

  std::map<NumberList, int32_t> known_;  // nodes by whether a chunk ends there, and their edges
  std::vector<uint8_t> ends_;
  std::vector<uint32_t> first_edges_;
  NumberList tags_, targets_;
};

// Sets of nodes as states, and the steps between them, made on demand.
class ChunkAutomaton {
 public:
  static constexpr int32_t kDead = -1;  // no chunk can come any more

  explicit ChunkAutomaton(const NumberList &rows);
  int32_t start() const { return 0; }
  bool accepts(int32_t state) const { return accepts_[state] != 0; }
  int32_t step(int32_t state, int32_t number, const NumberList &tags);
  size_t num_steps() const { return num_steps_; }
  void forget();

 private:
  struct Step {
    uint64_t key;  // state and class; 0: free
    int32_t to;
  };
  int32_t state_of(NumberList &nodes);
  int32_t work_out(int32_t state, const NumberList &tags);
  size_t place_of(uint64_t key) const;
  void grow();

  ChunkGraph graph_;
  std::unordered_map<NumberList, int32_t, NumberListHash> states_;
  std::vector<const NumberList *> nodes_;  // of each state: keys of states_, which stay where they are
  std::vector<uint8_t> accepts_;
  std::vector<Step> steps_;  // an open hash table, half empty at the least
  size_t num_steps_ = 0;
};

struct WordClass {
  NumberList tags;
  bool known, content, guessed;
};

struct ChunkCounts {
  size_t words = 0, known = 0, content = 0, numbers = 0;
  std::array<size_t, kLongestChunk + 1> by_length{};
};

struct ChunkSpan {
  size_t at, length;
};

class ChunkReader {
 public:
  // The classes of the tokens of what stands between two blanks.
  using Classify = std::function<NumberList(std::string_view piece)>;

  // Pieces, and steps of the automaton, are forgotten when there are more than `max_remembered`.
  ChunkReader(const NumberList &rows, size_t max_remembered);
  void add_class(WordClass result) { classes_.push_back(std::move(result)); }
  // The classes of all tokens of a text. Throws std::invalid_argument for a class that was not
  // added. `classify` may call this reader.
  NumberList read(std::string_view text, const Classify &classify);
  // Counts what was read, and lists the chunks, the longest first, if `spans` is given.
  ChunkCounts select(const NumberList &numbers, std::vector<ChunkSpan> *spans);

 private:
  struct Piece {
    uint32_t first, count;  // of numbers_
  };
  void add_piece(std::string_view piece, const Classify &classify, NumberList &into);
  void find_candidates(const NumberList &numbers, std::vector<size_t> *begins);
  bool says_something(const int32_t *first, size_t length) const;
  void forget_pieces();

  ChunkAutomaton automaton_;
  std::vector<WordClass> classes_;
  size_t max_remembered_;
  std::unordered_map<std::string, Piece> pieces_;
  size_t bytes_ = 0;  // of the pieces
  std::string key_;
  NumberList numbers_;
};

}  // namespace skord
