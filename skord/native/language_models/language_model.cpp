#include "language_models/language_model.hpp"

namespace skord {

namespace {

// What the kenlm package parts words at, and the NUL that ends its line.
bool ends_word(char c) { return c == ' ' || (c >= '\t' && c <= '\r') || c == '\0'; }

bool is_one_word(std::string_view text) {
  for (const char c : text) {
    if (ends_word(c)) return false;
  }
  return true;
}

}  // namespace

LanguageModel::LanguageModel(std::shared_ptr<const UnigramModel> pieces, std::string_view ngrams,
                             uint64_t max_unpacked)
    : pieces_(std::move(pieces)), ngrams_(ngrams, max_unpacked) {
  for (const std::string &piece : pieces_->pieces()) {
    word_of_piece_.push_back(is_one_word(piece) ? int64_t(ngrams_.word(piece)) : -1);
  }
  word_of_piece_[size_t(pieces_->unknown_id())] = -1;
}

// The words of a piece by its surface; false where the line ends in it.
bool LanguageModel::add_words(std::string_view surface, std::vector<uint32_t> &words) const {
  for (size_t at = 0; at < surface.size();) {
    size_t end = at;
    while (end < surface.size() && !ends_word(surface[end])) ++end;
    if (end > at) words.push_back(ngrams_.word(surface.substr(at, end - at)));
    if (end < surface.size() && surface[end] == '\0') return false;
    at = end + 1;
  }
  return true;
}

LineScore LanguageModel::score(std::string_view line, Scratch &scratch) const {
  pieces_->cut(line, scratch.cut);
  const std::vector<Piece> &pieces = scratch.cut.pieces;
  if (pieces.empty()) return {0, 0.0f};
  scratch.words.clear();
  const std::string_view text = scratch.cut.text;
  for (const Piece &piece : pieces) {
    const int64_t word = word_of_piece_[size_t(piece.id)];
    if (word >= 0) {
      scratch.words.push_back(static_cast<uint32_t>(word));
    } else if (!add_words(text.substr(piece.start, piece.end - piece.start), scratch.words)) {
      break;
    }
  }
  return {pieces.size(), ngrams_.score(scratch.words)};
}

}  // namespace skord
