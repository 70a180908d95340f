// The file of a SentencePiece model: a protocol buffer, of which a dozen fields matter.

#include <algorithm>
#include <cmath>
#include <limits>

#include "language_models/pieces.hpp"

namespace skord {

namespace {

enum Type { kNormal = 1, kUnknown = 2, kControl = 3, kUserDefined = 4, kUnused = 5, kByte = 6 };
constexpr uint64_t kUnigram = 1;

// One field of a message: its number, and its value as a number or as bytes.
struct Field {
  uint32_t number = 0;
  uint64_t value = 0;
  std::string_view bytes;
};

uint64_t varint(Cursor &cursor) {
  uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    const uint8_t byte = cursor.number<uint8_t>();
    value |= uint64_t(byte & 0x7F) << shift;
    if (byte < 0x80) return value;
  }
  throw Damaged("a number has no end");
}

Field next_field(Cursor &cursor) {
  const uint64_t tag = varint(cursor);
  Field field;
  field.number = static_cast<uint32_t>(tag >> 3);
  // Wire types: 0 is a varint, 1 eight bytes, 2 a length and so many, 5 four bytes.
  switch (tag & 7) {
    case 0: field.value = varint(cursor); break;
    case 1: field.value = cursor.number<uint64_t>(); break;
    case 2: field.bytes = cursor.text(varint(cursor)); break;
    case 5: field.value = cursor.number<uint32_t>(); break;
    default: throw Damaged("it is no SentencePiece model");
  }
  if (field.number == 0) throw Damaged("it is no SentencePiece model");
  return field;
}

}  // namespace

struct UnigramModel::Parts {
  std::vector<std::string> pieces;
  std::vector<float> scores;
  std::vector<std::pair<std::string, int32_t>> sorted;
  int32_t unknown_id = -1;
  float least_score = std::numeric_limits<float>::max();
  bool add_dummy_prefix = true;
  bool remove_extra_whitespaces = true;
  std::string_view charsmap;

  void add_piece(std::string_view message);
  void read_trainer(std::string_view message);
  void read_normaliser(std::string_view message);
};

void UnigramModel::Parts::add_piece(std::string_view message) {
  std::string_view piece;
  float score = 0;
  uint64_t type = kNormal;
  for (Cursor cursor(message); !cursor.at_end();) {
    const Field field = next_field(cursor);
    if (field.number == 1) piece = field.bytes;
    if (field.number == 2) score = float_of_bits(static_cast<uint32_t>(field.value));
    if (field.number == 3) type = field.value;
  }
  const auto id = static_cast<int32_t>(pieces.size());
  if (piece.empty() || piece.find('\0') != piece.npos) throw Damaged("a piece is empty or binary");
  if (!std::isfinite(score)) throw Damaged("the score of a piece is no number");
  if (type == kUserDefined || type == kByte) throw Unsupported("pieces of users or of bytes");
  if (type == kUnknown && unknown_id >= 0) throw Damaged("it has two unknown pieces");
  if (type == kUnknown) unknown_id = id;
  if (type == kNormal) {
    least_score = std::min(least_score, score);
    sorted.emplace_back(piece, id);
  }
  pieces.emplace_back(piece);
  scores.push_back(score);
}

void UnigramModel::Parts::read_trainer(std::string_view message) {
  for (Cursor cursor(message); !cursor.at_end();) {
    const Field field = next_field(cursor);
    // TrainerSpec: 3 is model_type, 24 treat_whitespace_as_suffix, 35 byte_fallback.
    const bool suffix_or_bytes = field.number == 24 || field.number == 35;
    if (field.number == 3 && field.value != kUnigram) throw Unsupported("it is no unigram model");
    if (suffix_or_bytes && field.value) throw Unsupported("white space as suffix, or bytes");
  }
}

void UnigramModel::Parts::read_normaliser(std::string_view message) {
  for (Cursor cursor(message); !cursor.at_end();) {
    const Field field = next_field(cursor);
    // NormalizerSpec: precompiled_charsmap, add_dummy_prefix, remove_extra_whitespaces and
    // escape_whitespaces.
    if (field.number == 2) charsmap = field.bytes;
    if (field.number == 3) add_dummy_prefix = field.value != 0;
    if (field.number == 4) remove_extra_whitespaces = field.value != 0;
    if (field.number == 5 && !field.value) throw Unsupported("white space is not escaped");
  }
}

UnigramModel::Parts UnigramModel::parse(std::string_view file) {
  Parts parts;
  for (Cursor cursor(file); !cursor.at_end();) {
    const Field field = next_field(cursor);
    // ModelProto: pieces, trainer_spec, normalizer_spec.
    if (field.number == 1) parts.add_piece(field.bytes);
    if (field.number == 2) parts.read_trainer(field.bytes);
    if (field.number == 3) parts.read_normaliser(field.bytes);
  }
  if (parts.unknown_id < 0) throw Damaged("it has no piece for what is unknown");
  std::sort(parts.sorted.begin(), parts.sorted.end());
  const auto same = [](const auto &a, const auto &b) { return a.first == b.first; };
  if (std::adjacent_find(parts.sorted.begin(), parts.sorted.end(), same) != parts.sorted.end()) {
    throw Damaged("a piece is there twice");
  }
  return parts;
}

UnigramModel::UnigramModel(std::string_view file) : UnigramModel(parse(file)) {}

UnigramModel::UnigramModel(Parts &&parts)
    : pieces_(std::move(parts.pieces)),
      unknown_id_(parts.unknown_id),
      unknown_score_(parts.least_score - 10.0f),
      add_dummy_prefix_(parts.add_dummy_prefix),
      remove_extra_whitespaces_(parts.remove_extra_whitespaces),
      charsmap_(parts.charsmap),
      trie_(parts.sorted, parts.scores) {}

}  // namespace skord
