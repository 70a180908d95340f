#include "sketches.hpp"

#include <algorithm>

#include "reading.hpp"

namespace skord {

namespace {

constexpr uint32_t kEmpty = 0xFFFFFFFF;
constexpr uint64_t kZ = 0x9E3779B97F4A7C15;  // odd; the base of the rolling hash
constexpr uint64_t kMix1 = 0xBF58476D1CE4E5B9, kMix2 = 0x94D049BB133111EB;  // SplitMix64's
constexpr uint64_t kPrime1 = 0x9E3779B185EBCA87, kPrime2 = 0xC2B2AE3D27D4EB4F;  // xxHash's five
constexpr uint64_t kPrime3 = 0x165667B19E3779F9, kPrime4 = 0x85EBCA77C2B2AE63;
constexpr uint64_t kPrime5 = 0x27D4EB2F165667C5;

uint32_t trail(std::string_view text, size_t at) {
  must_fit(at < text.size());
  return static_cast<uint8_t>(text[at]) & 0x3F;
}

// The smallest hash of those runs that fall into each bin. Two halves of the text side by side,
// since in each every hash has to wait for the one before it.
class Bins {
 public:
  Bins(size_t width, size_t bins) : width_(width), smallest_(bins) {
    for (size_t at = 1; at < width; ++at) oldest_ *= kZ;
  }

  // `size` is at least the width.
  const std::vector<uint32_t> &fill(const uint32_t *points, size_t size) {
    std::fill(smallest_.begin(), smallest_.end(), kEmpty);
    const size_t runs = size - width_ + 1, half = runs / 2;
    uint64_t first = start(points), second = start(points + half);
    for (size_t at = 0; at < half; ++at) {
      first = step(first, points, at);
      second = step(second, points + half, at);
    }
    if (runs % 2) step(second, points + half, half);
    return smallest_;
  }

 private:
  // The hash of all but the last point of the first run.
  uint64_t start(const uint32_t *points) const {
    uint64_t hashed = 0;
    for (size_t at = 0; at + 1 < width_; ++at) hashed = hashed * kZ + points[at];
    return hashed;
  }
  // Takes the run that begins at `at`, given the hash of all but its last point, and gives that
  // of the next.
  uint64_t step(uint64_t hashed, const uint32_t *points, size_t at) {
    hashed = hashed * kZ + points[at + width_ - 1];
    uint64_t mixed = (hashed ^ (hashed >> 29)) * kMix1;
    mixed ^= mixed >> 32;
    uint32_t &least = smallest_[((mixed >> 32) * smallest_.size()) >> 32];
    least = std::min(least, static_cast<uint32_t>((mixed * kMix2) >> 32));
    return hashed - oldest_ * points[at];
  }

  size_t width_;
  std::vector<uint32_t> smallest_;
  uint64_t oldest_ = 1;  // what the first point of a run is multiplied by
};

// One byte of each bin; an empty bin takes the value of another, chosen by its own number. Every
// bin hashes its value anew, so that two texts of one run each, which fill all bins with one
// value, agree in one byte of 256 and not in all of them.
void write_bytes(const std::vector<uint32_t> &smallest, uint8_t *row) {
  for (size_t place = 0; place < smallest.size(); ++place) {
    const uint64_t high = uint64_t(place) << 32;
    uint32_t value = smallest[place];
    for (uint64_t attempt = 1; value == kEmpty; ++attempt) {
      const uint64_t drawn = split_mixed(high | attempt);
      value = smallest[((drawn >> 32) * smallest.size()) >> 32];
    }
    row[place] = static_cast<uint8_t>(split_mixed(high ^ value) >> 56);
  }
}

uint64_t rotated(uint64_t x, int left) { return x << left | x >> (64 - left); }

uint64_t xxh_round(uint64_t state, uint64_t lane) {
  return rotated(state + lane * kPrime2, 31) * kPrime1;
}

// The state after all whole stripes of 32 bytes.
uint64_t stripes(const char *&at, const char *end) {
  uint64_t state[4] = {kPrime1 + kPrime2, kPrime2, 0, 0 - kPrime1};
  for (; end - at >= 32; at += 32) {
    for (int lane = 0; lane < 4; ++lane) {
      state[lane] = xxh_round(state[lane], load<uint64_t>(at + 8 * lane));
    }
  }
  uint64_t merged = rotated(state[0], 1) + rotated(state[1], 7) + rotated(state[2], 12) +
                    rotated(state[3], 18);
  for (const uint64_t lane : state) merged = (merged ^ xxh_round(0, lane)) * kPrime1 + kPrime4;
  return merged;
}

}  // namespace

ArrowTexts::ArrowTexts(Numbers<const uint64_t> starts, std::string_view bytes)
    : starts_(starts), bytes_(bytes) {
  must_fit(starts.size > 0 && std::is_sorted(starts.begin(), starts.end()));
  must_fit(starts.size == 1 || starts[starts.size - 1] <= bytes.size());
}

size_t ArrowTexts::longest() const {
  size_t longest = 0;
  for (size_t text = 0; text < size(); ++text) longest = std::max(longest, (*this)[text].size());
  return longest;
}

size_t code_points(std::string_view text, const uint32_t *table, uint32_t *out) {
  uint32_t *to = out;
  for (size_t at = 0; at < text.size();) {
    const auto first = static_cast<uint8_t>(text[at]);
    if (first < 0x80) {
      *to++ = table[first];
      at += 1;
      continue;
    }
    const size_t width = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    uint32_t point = first & (0x7Fu >> width);
    for (size_t byte = 1; byte < width; ++byte) point = point << 6 | trail(text, at + byte);
    must_fit(point < kCodePoints);
    *to++ = table[point];
    at += width;
  }
  return static_cast<size_t>(to - out);
}

void sketch(const ArrowTexts &texts, const uint32_t *table, size_t shingle_chars, size_t bins,
            Numbers<uint8_t> out, Numbers<uint8_t> valid) {
  must_fit(shingle_chars > 0 && bins > 0 && bins < 10'000);
  must_fit(out.size == texts.size() * bins && valid.size == texts.size());
  std::vector<uint32_t> points(texts.longest());
  Bins filled(shingle_chars, bins);
  for (size_t text = 0; text < texts.size(); ++text) {
    const size_t size = code_points(texts[text], table, points.data());
    valid[text] = size >= shingle_chars;
    if (valid[text]) write_bytes(filled.fill(points.data(), size), &out[text * bins]);
  }
}

uint64_t xxh64(std::string_view data) {
  const char *at = data.data(), *end = at + data.size();
  uint64_t state = data.size() >= 32 ? stripes(at, end) : kPrime5;
  state += data.size();
  for (; end - at >= 8; at += 8) {
    state = rotated(state ^ xxh_round(0, load<uint64_t>(at)), 27) * kPrime1 + kPrime4;
  }
  if (end - at >= 4) {
    state = rotated(state ^ load<uint32_t>(at) * kPrime1, 23) * kPrime2 + kPrime3;
    at += 4;
  }
  for (; at < end; ++at) state = rotated(state ^ uint8_t(*at) * kPrime5, 11) * kPrime1;
  state = (state ^ state >> 33) * kPrime2;
  state = (state ^ state >> 29) * kPrime3;
  return state ^ state >> 32;
}

}  // namespace skord
