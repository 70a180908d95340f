#include "language_models/pieces.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <deque>
#include <limits>

#include "text/utf8.hpp"

namespace skord {

namespace {

constexpr std::string_view kSpace = "\xe2\x96\x81";  // U+2581, written for a space
constexpr std::string_view kReplacement = "\xef\xbf\xbd";
constexpr float kUnknownPenalty = 10.0f;
constexpr int kMaxTries = 64;  // places looked at before gaps are left behind
constexpr float kScoreReset = 100000.0f;  // beyond it float sums would lose what paths differ by

// Length of the character that `text` begins with; 0 where the bytes are none.
size_t valid_length(std::string_view text) {
  const size_t length = char_size(static_cast<uint8_t>(text[0]));
  if (length == 1) return static_cast<uint8_t>(text[0]) < 0x80 ? 1 : 0;
  if (length > text.size()) return 0;
  return std::all_of(text.begin() + 1, text.begin() + length, is_trail) ? length : 0;
}

}  // namespace

PieceTrie::PieceTrie(const std::vector<std::pair<std::string, int32_t>> &sorted,
                     const std::vector<float> &scores)
    : slots_(512) {
  struct Span {
    int32_t node;
    size_t first, last, depth;
  };
  slots_[kRoot].parent = kRoot;
  std::deque<Span> waiting{{kRoot, 0, sorted.size(), 0}};
  std::vector<uint8_t> labels;
  while (!waiting.empty()) {
    Span span = waiting.front();
    waiting.pop_front();
    if (span.first < span.last && sorted[span.first].first.size() == span.depth) {
      slots_[span.node].value = sorted[span.first++].second;
      slots_[span.node].score = scores[size_t(slots_[span.node].value)];
    }
    labels.clear();
    for (size_t at = span.first; at < span.last; ++at) {
      const uint8_t label = sorted[at].first[span.depth];
      if (labels.empty() || labels.back() != label) labels.push_back(label);
    }
    if (labels.empty()) {
      slots_[span.node].base = 0;  // slot 0 is the root's own: no byte leads anywhere
      if (span.node == kRoot) throw Damaged("it has no pieces");
      continue;
    }
    const int32_t base = free_base(labels);
    slots_[span.node].base = base;
    size_t first = span.first;
    for (const uint8_t label : labels) {
      size_t last = first;
      while (last < span.last && uint8_t(sorted[last].first[span.depth]) == label) ++last;
      slots_[base + label].parent = span.node;
      waiting.push_back({base + label, first, last, span.depth + 1});
      first = last;
    }
  }
}

// A base at which the slots of all labels are free; they are still to be claimed. Nodes with one
// child fill the gaps that the others leave; those go on from where there was room last.
int32_t PieceTrie::free_base(const std::vector<uint8_t> &labels) {
  const bool alone = labels.size() == 1;
  while (slots_[first_free_].parent != kNone) grow_beyond(++first_free_);
  int32_t base = (alone ? first_free_ : room_from_) - labels[0];
  for (int tries = 0;; ++base, ++tries) {
    grow_beyond(base);
    const auto taken = [&](uint8_t label) { return slots_[base + label].parent != kNone; };
    if (std::any_of(labels.begin(), labels.end(), taken)) continue;
    // The gaps before stay to nodes with one child, or each search would pass them all again.
    if (!alone && tries > kMaxTries) room_from_ = base + labels[0];
    return base;
  }
}

void PieceTrie::grow_beyond(int32_t base) {
  if (size_t(base) + 512 > slots_.size()) slots_.resize(slots_.size() * 2);
}

Charsmap::Charsmap(std::string_view blob) {
  if (!blob.empty()) {
    Cursor cursor(blob);
    const uint32_t size = cursor.number<uint32_t>();
    if (size < 1024 || size % 1024) throw Damaged("its normalisation rules are of no known form");
    units_.resize(size / 4);
    std::memcpy(units_.data(), cursor.take(size), size);
    written_ = cursor.text(blob.size() - cursor.offset());
    written_.push_back('\0');
  }
  find_staying();
}

// One step down. Of a unit, bits 10 to 30 (shifted by 8 where bit 9 is set) lead to the children,
// which are placed by exclusive or; the low byte and bit 31 are the label that a child must have.
bool Charsmap::child(uint64_t &node, uint8_t byte) const {
  const uint32_t unit = units_[node];
  const uint64_t next = node ^ ((unit >> 10) << ((unit & (1u << 9)) >> 6)) ^ byte;
  if (next >= units_.size() || (units_[next] & ((1u << 31) | 0xFF)) != byte) return false;
  node = next;
  return true;
}

size_t Charsmap::find(std::string_view text, std::string_view &written) const {
  size_t longest = 0;
  uint64_t node = 0;
  for (size_t at = 0; at < text.size() && !units_.empty(); ++at) {
    if (!child(node, static_cast<uint8_t>(text[at]))) break;
    const uint32_t unit = units_[node];
    if (!(unit & (1u << 8))) continue;  // no rule ends here
    const uint64_t leaf = node ^ ((unit >> 10) << ((unit & (1u << 9)) >> 6));
    const uint32_t place = leaf < units_.size() ? units_[leaf] & 0x7FFFFFFF : ~0u;
    if (place >= written_.size()) throw Damaged("a normalisation rule leads outside");
    longest = at + 1;
    written = written_.c_str() + place;
  }
  return longest;
}

void Charsmap::find_staying() {
  for (unsigned first = 0x21; first < 0x7F; ++first) {
    uint64_t node = 0;
    stays_[first] = units_.empty() || !child(node, uint8_t(first));
    if (stays_[first] || units_[node] & (1u << 8)) continue;
    stays_[first] = true;
    for (unsigned second = 0; second < 0x80; ++second) {
      uint64_t next = node;
      if (child(next, uint8_t(second))) stays_[first] = false;
    }
  }
}

void UnigramModel::normalise(std::string_view text, std::string &out) const {
  out.clear();
  if (add_dummy_prefix_) out += kSpace;
  bool after_space = remove_extra_whitespaces_;
  bool empty = true;  // nothing but spaces was read
  for (size_t at = 0; at < text.size();) {
    const uint8_t byte = text[at];
    if (charsmap_.stays(byte) && (at + 1 == text.size() || uint8_t(text[at + 1]) < 0x80)) {
      out.push_back(char(byte));
      after_space = empty = false;
      ++at;
      continue;
    }
    std::string_view rest = text.substr(at), written;
    size_t length = charsmap_.find(rest, written);
    if (length == 0) {
      length = valid_length(rest);
      written = length ? rest.substr(0, length) : kReplacement;
      length = std::max<size_t>(length, 1);
    }
    at += length;
    if (written != " " || !remove_extra_whitespaces_) empty = false;
    while (after_space && !written.empty() && written[0] == ' ') written.remove_prefix(1);
    for (const char c : written) {
      if (c == ' ') {
        out += kSpace;
      } else {
        out.push_back(c);
      }
    }
    if (!written.empty()) after_space = remove_extra_whitespaces_ && written.back() == ' ';
  }
  if (empty) out.clear();
  while (remove_extra_whitespaces_ && out.size() >= kSpace.size() &&
         std::string_view(out).substr(out.size() - kSpace.size()) == kSpace) {
    out.resize(out.size() - kSpace.size());
  }
}

// Viterbi, from left to right: of all pieces that end at a byte the one with the best path.
void UnigramModel::find_paths(CutScratch &scratch) const {
  const std::string &text = scratch.text;
  const size_t size = text.size();
  auto &paths = scratch.paths;
  paths.assign(size + 1, {0.0f, -1, -1});
  size_t frontier = 0;
  const auto offer = [&](size_t end, size_t start, int32_t id, float score) {
    if (paths[end].start == -1 || score > paths[end].score) {
      paths[end] = {score, static_cast<int32_t>(start), id};
    }
    frontier = std::max(frontier, end);
  };
  for (size_t start = 0, length; start < size; start += length) {
    if (std::fabs(paths[start].score) > kScoreReset) {
      const float offset = paths[start].score;
      for (size_t at = start; at <= frontier; ++at) {
        if (at == start || paths[at].start != -1) paths[at].score -= offset;
      }
    }
    const float here = paths[start].score;
    length = std::min(char_size(static_cast<uint8_t>(text[start])), size - start);
    bool whole_char = false;
    int32_t node = PieceTrie::kRoot;
    for (size_t at = start; at < size;) {
      node = trie_.step(node, static_cast<uint8_t>(text[at++]));
      if (node == PieceTrie::kNone) break;
      const int32_t id = trie_.value(node);
      if (id == PieceTrie::kNone) continue;
      offer(at, start, id, trie_.score(node) + here);
      whole_char |= at - start == length;
    }
    // Without a piece for the character alone some place could not be reached at all.
    if (!whole_char) offer(start + length, start, unknown_id_, unknown_score_ + here);
  }
}

void UnigramModel::cut(std::string_view text, CutScratch &scratch) const {
  scratch.pieces.clear();
  // Places are 32-bit numbers, and normalising makes a text longer: a space takes three bytes.
  if (text.size() >= size_t(std::numeric_limits<int32_t>::max()) / 8) {
    throw Unsupported("a line of more than 256 MB");
  }
  normalise(text, scratch.text);
  find_paths(scratch);
  auto &pieces = scratch.pieces;
  for (size_t end = scratch.text.size(); end > 0;) {
    const auto &path = scratch.paths[end];
    if (!pieces.empty() && path.id == unknown_id_ && pieces.back().id == unknown_id_) {
      pieces.back().start = uint32_t(path.start);
    } else {
      pieces.push_back({uint32_t(path.start), uint32_t(end), path.id});
    }
    end = size_t(path.start);
  }
  std::reverse(pieces.begin(), pieces.end());
}

}  // namespace skord
