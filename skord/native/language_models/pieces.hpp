// SentencePiece's unigram models: how a text is normalised and cut into pieces.
//
// Kudo 2018, "Subword Regularization"; Kudo and Richardson 2018, "SentencePiece". The file is a
// protocol buffer (sentencepiece_model.proto). What is done here is what version 0.2.3 of the
// package does, in the same order of float operations, so that ties fall alike.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bindings/reading.hpp"

namespace skord {

// A set of byte strings with a number each, walked byte by byte: a double array. The child of
// node n by byte b is slot base[n] + b if that slot says that n is its parent.
class PieceTrie {
 public:
  // Strings must be sorted, distinct and not empty; `scores` has that of each number.
  PieceTrie(const std::vector<std::pair<std::string, int32_t>> &sorted,
            const std::vector<float> &scores);

  static constexpr int32_t kRoot = 0;
  static constexpr int32_t kNone = -1;

  // The node behind `node` by `byte`, or kNone.
  int32_t step(int32_t node, uint8_t byte) const {
    const int32_t next = slots_[node].base + byte;
    return slots_[next].parent == node ? next : kNone;
  }
  // The number of the string that ends at `node`, or kNone.
  int32_t value(int32_t node) const { return slots_[node].value; }
  // The score of that number.
  float score(int32_t node) const { return slots_[node].score; }

 private:
  struct Slot {
    int32_t base = 0;
    int32_t parent = kNone;
    int32_t value = kNone;
    float score = 0;  // here, where the walk is, and not in a table of its own
  };
  int32_t free_base(const std::vector<uint8_t> &labels);
  void grow_beyond(int32_t base);

  std::vector<Slot> slots_;  // always 256 more than the highest base, so that step stays inside
  int32_t first_free_ = 256;  // from here on any label finds a base above 0
  int32_t room_from_ = 256;
};

// The rules of `precompiled_charsmap`: which characters become which, found by the longest match.
// Its first part is a double array in the form of darts-clone, 32-bit units; see `Charsmap::find`.
class Charsmap {
 public:
  explicit Charsmap(std::string_view blob);  // may be empty: no rules

  // Length of the longest rule that `text` begins with, 0 if none, and what it writes.
  size_t find(std::string_view text, std::string_view &written) const;

  // Whether this ASCII character stays what it is wherever another one follows.
  bool stays(uint8_t byte) const { return stays_[byte]; }

 private:
  bool child(uint64_t &node, uint8_t byte) const;
  void find_staying();

  std::vector<uint32_t> units_;
  std::string written_;
  bool stays_[256] = {};
};

struct Piece {
  uint32_t start;
  uint32_t end;
  int32_t id;
};

// What cutting a text needs, kept from one text to the next.
struct CutScratch {
  struct Path {
    float score;
    int32_t start;
    int32_t id;
  };
  std::string text;          // normalised
  std::vector<Path> paths;   // the best path that ends at each byte
  std::vector<Piece> pieces;  // of `text`, in order
};

class UnigramModel {
 public:
  // Throws Unsupported for another model type, byte fallback, user-defined pieces, white space
  // as a suffix or left as it is; Damaged for what is no such file.
  explicit UnigramModel(std::string_view file);

  // The pieces of `text` (valid UTF-8), in `scratch`. Unknown characters side by side are one
  // piece. No text, or nothing but white space: no piece.
  void cut(std::string_view text, CutScratch &scratch) const;

  const std::vector<std::string> &pieces() const { return pieces_; }
  int32_t unknown_id() const { return unknown_id_; }

 private:
  struct Parts;
  explicit UnigramModel(Parts &&parts);
  static Parts parse(std::string_view file);

  void normalise(std::string_view text, std::string &out) const;
  void find_paths(CutScratch &scratch) const;

  std::vector<std::string> pieces_;
  int32_t unknown_id_;
  float unknown_score_;
  bool add_dummy_prefix_;
  bool remove_extra_whitespaces_;
  Charsmap charsmap_;
  PieceTrie trie_;
};

}  // namespace skord
