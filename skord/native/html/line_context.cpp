// A page's Markdown is laid along the words of its HTML: both hold the same words in nearly the
// same order. What the constants mean stands in skord/html/line_context.py.

#include "line_context.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <string>

#include "bindings/reading.hpp"
#include "letters.hpp"
#include "references.hpp"
#include "markdown/images.hpp"
#include "page_text/lines_of.hpp"

namespace skord::html {

namespace {

constexpr uint32_t kNearWords = 3;
constexpr uint32_t kLookAhead = 600;
constexpr size_t kMostPlaces = 200;
constexpr size_t kInStep = 3;
constexpr uint32_t kUnknown = UINT32_MAX;  // of a word that the HTML does not hold

// Up to eight bytes as a number, others of that size as another; by loads of known sizes, since a call
// to copy them would take longer.
uint64_t up_to_8(std::string_view bytes) {
  const char *data = bytes.data();
  const size_t size = bytes.size();
  if (size == 8) return load<uint64_t>(data);
  if (size >= 4) return load<uint32_t>(data) | uint64_t(load<uint32_t>(data + size - 4)) << 32;
  if (size >= 2) return load<uint16_t>(data) | uint64_t(load<uint16_t>(data + size - 2)) << 16;
  return size ? uint8_t(data[0]) : 0;
}

// Numbers words, equal ones alike. Hashes differ from run to run, so that no page can be made
// to have them collide.
class Vocabulary {
 public:
  explicit Vocabulary(const TextList &words) : words_(words) {
    size_t slots = 16;
    while (slots < 2 * words.size()) slots *= 2;
    slots_.assign(slots, kUnknown);
    ids_.reserve(words.size());
    for (uint32_t at = 0; at < words.size(); ++at) ids_.push_back(number(words[at], at));
    count_places();
  }

  uint32_t id(uint32_t place) const { return ids_[place]; }
  uint32_t size() const { return static_cast<uint32_t>(ids_.size()); }
  uint32_t id_of(std::string_view word) const {
    const uint32_t first = slots_[slot_of(word)];
    return first == kUnknown ? kUnknown : ids_[first];
  }

  // The places of a word, in rising order.
  const uint32_t *begin(uint32_t id) const { return places_.data() + starts_[id]; }
  const uint32_t *end(uint32_t id) const { return places_.data() + starts_[id + 1]; }

 private:
  static uint64_t hash_of(std::string_view word) {
    static const uint64_t seed = std::random_device{}() | uint64_t(1) << 40;
    const uint64_t factor = seed * 0x9E3779B97F4A7C15u | 1;
    uint64_t hash = seed ^ word.size();
    const auto add = [&](uint64_t part) {
      hash = (hash ^ part) * factor;
      hash ^= hash >> 29;
    };
    for (; word.size() > 8; word.remove_prefix(8)) add(load<uint64_t>(word.data()));
    add(up_to_8(word));
    return hash;
  }

  size_t slot_of(std::string_view word) const {
    for (size_t slot = hash_of(word) & (slots_.size() - 1);; slot = (slot + 1) & (slots_.size() - 1)) {
      if (slots_[slot] == kUnknown || words_[slots_[slot]] == word) return slot;
    }
  }

  uint32_t number(std::string_view word, uint32_t place) {
    uint32_t &first = slots_[slot_of(word)];
    if (first != kUnknown) return ids_[first];
    first = place;
    return different_++;
  }

  void count_places() {
    starts_.assign(different_ + 1, 0);
    for (const uint32_t id : ids_) ++starts_[id + 1];
    for (uint32_t id = 0; id < different_; ++id) starts_[id + 1] += starts_[id];
    places_.resize(ids_.size());
    std::vector<uint32_t> next(starts_);
    for (uint32_t at = 0; at < ids_.size(); ++at) places_[next[ids_[at]]++] = at;
  }

  const TextList &words_;
  std::vector<uint32_t> slots_, ids_, starts_, places_;
  uint32_t different_ = 0;
};

// The end of `- `, `> 1. ` and the like at the beginning of a line.
size_t end_of_markers(std::string_view line) {
  size_t at = 0;
  while (at < line.size() && (line[at] == ' ' || line[at] == '>')) ++at;
  while (at < line.size()) {
    size_t next = at;
    if (std::strchr("-*+", line[at]) && line[at]) {
      ++next;
    } else {
      for (size_t digit = next; digit < line.size() && is_decimal(next_code(line, digit));) {
        next = digit;
      }
      if (next == at || next == line.size() || (line[next] != '.' && line[next] != ')')) break;
      ++next;
    }
    const size_t blanks = next;
    for (size_t blank = next; blank < line.size() && is_blank(next_code(line, blank));) {
      next = blank;
    }
    if (next == blanks) break;
    at = next;
  }
  return at;
}

// Words of a line, without list markers and images, whose texts no element holds.
void read_line(std::string_view line, TextList &words) {
  words.clear();
  line.remove_prefix(end_of_markers(line));
  std::string other;
  if (line.find("![") != line.npos) line = other = with_blank_images(line);
  if (line.find('&') != line.npos) line = other = unescaped(line);
  add_words(line, words);
}

// Walks the words of the HTML, line by line of the Markdown.
class Walk {
 public:
  explicit Walk(const Vocabulary &html) : html_(html) {}

  // The places of a line's words.
  const std::vector<uint32_t> &places_of(const TextList &line) {
    ids_.clear();
    for (size_t at = 0; at < line.size(); ++at) ids_.push_back(html_.id_of(line[at]));
    places_.clear();
    for (size_t at = 0; at < ids_.size(); ++at) {
      const uint32_t place = next_place(at);
      if (place == kUnknown) continue;
      places_.push_back(place);
      place_ = place + 1;
    }
    if (2 * places_.size() < ids_.size()) look_elsewhere();
    return places_;
  }

 private:
  // The next place of a word, if it is near or in step with what follows.
  uint32_t next_place(size_t at) const {
    const uint32_t id = ids_[at];
    if (place_ < html_.size() && html_.id(place_) == id) return place_;
    if (id == kUnknown) return kUnknown;
    const uint32_t *known = std::lower_bound(html_.begin(id), html_.end(id), place_);
    if (known == html_.end(id)) return kUnknown;
    const uint32_t place = *known;
    if (place - place_ <= kNearWords) return place;
    const bool in_step = at + kInStep <= ids_.size() && agree(at, place, kInStep);
    return in_step && place - place_ <= kLookAhead ? place : kUnknown;
  }

  // Whether so many words of the line stand one after another at a place of the HTML.
  bool agree(size_t at, uint32_t place, size_t count) const {
    if (place + count > html_.size()) return false;
    for (size_t step = 0; step < count; ++step) {
      if (ids_[at + step] != html_.id(place + static_cast<uint32_t>(step))) return false;
    }
    return true;
  }

  // The nearest stretch that begins as the line does, anywhere in the page.
  void look_elsewhere() {
    if (ids_[0] == kUnknown) return;
    const uint32_t *begin = html_.begin(ids_[0]), *end = html_.end(ids_[0]);
    const uint32_t *here = std::lower_bound(begin, end, place_);
    const uint32_t *from = here - std::min<size_t>(kMostPlaces, size_t(here - begin));
    const uint32_t *to = here + std::min<size_t>(kMostPlaces, size_t(end - here));
    const size_t count = std::min(kInStep, ids_.size());
    uint32_t best = kUnknown, best_distance = kUnknown;
    for (const uint32_t *place = from; place < to; ++place) {
      const uint32_t distance = *place > place_ ? *place - place_ : place_ - *place;
      if (distance >= best_distance || !agree(0, *place, count)) continue;
      best = *place;
      best_distance = distance;
    }
    if (best == kUnknown) return;
    places_.clear();
    const size_t last = std::min<size_t>(best + ids_.size(), html_.size());
    for (uint32_t place = best; place < last; ++place) places_.push_back(place);
  }

  const Vocabulary &html_;
  uint32_t place_ = 0;
  std::vector<uint32_t> ids_, places_;
};

// The share of the words at some places that a sign is true of, times 255.
uint8_t share_of(const std::vector<uint8_t> &sign, const std::vector<uint32_t> &places) {
  if (places.empty()) return 0;
  double count = 0;
  for (const uint32_t place : places) count += sign[place];
  return static_cast<uint8_t>(std::nearbyint(255 * count / static_cast<double>(places.size())));
}

// Keeps only the elements around some line, numbered anew.
void keep_used(const PageWords &page, LineContext &context) {
  std::vector<int32_t> number(page.elements.size(), -1);
  for (int32_t element : context.lines) {
    // Up to the first that another line has marked already: each element is marked once.
    for (; element >= 0 && number[size_t(element)] < 0; element = page.parents[size_t(element)]) {
      number[size_t(element)] = 0;
    }
  }
  const auto new_number = [&](int32_t old) { return old < 0 ? -1 : number[size_t(old)]; };
  for (size_t element = 0; element < number.size(); ++element) {
    if (number[element] < 0) continue;
    number[element] = static_cast<int32_t>(context.elements.size());
    context.elements.push_back(page.elements[element]);
    context.parents.push_back(new_number(page.parents[element]));
  }
  for (int32_t &element : context.lines) element = new_number(element);
}

}  // namespace

LineContext line_context(const PageWords &page, std::string_view markdown) {
  LineContext context;
  Lines lines = lines_of(markdown);
  lines.pop_back();  // lines end in a line feed; what follows the last is none
  const Vocabulary html(page.words);
  Walk walk(html);
  TextList words;
  for (const std::string_view line : lines) {
    read_line(line, words);
    if (words.size() == 0) {
      context.lines.push_back(-1);
      context.links.push_back(0);
      context.controls.push_back(0);
      continue;
    }
    const std::vector<uint32_t> &places = walk.places_of(words);
    // The element of the line's middle word: at its ends words are met that stand elsewhere, too.
    context.lines.push_back(places.empty() ? -1 : page.owners[places[places.size() / 2]]);
    context.links.push_back(share_of(page.linked, places));
    context.controls.push_back(share_of(page.controlled, places));
  }
  keep_used(page, context);
  return context;
}

}  // namespace skord::html
