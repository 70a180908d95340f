// Reading numbers out of bytes that may be damaged, and the two ways in which a file can fail.

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>

namespace skord {

// The file is of a kind that is read elsewhere: Python falls back to the packages.
struct Unsupported : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The file contradicts itself: Python says so and goes no further.
struct Damaged : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A number at any address, whatever its alignment. The files are little-endian, as is every
// machine that this is built for (checked in module.cpp).
template <class T>
inline T load(const void *from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

inline float float_of_bits(uint32_t bits) { return load<float>(&bits); }
inline uint32_t bits_of_float(float value) { return load<uint32_t>(&value); }

// Hands out the bytes of a file one range after another; throws Damaged at its end.
class Cursor {
 public:
  explicit Cursor(std::string_view data) : data_(data) {}

  bool at_end() const { return offset_ == data_.size(); }
  size_t offset() const { return offset_; }

  const uint8_t *take(uint64_t size) {
    if (size > data_.size() - offset_) {
      throw Damaged("it ends after " + std::to_string(data_.size()) + " bytes, too early");
    }
    const char *start = data_.data() + offset_;
    offset_ += size;
    return reinterpret_cast<const uint8_t *>(start);
  }

  template <class T>
  T number() {
    return load<T>(take(sizeof(T)));
  }

  std::string_view text(uint64_t size) {
    return {reinterpret_cast<const char *>(take(size)), static_cast<size_t>(size)};
  }

 private:
  std::string_view data_;
  size_t offset_ = 0;
};

// a * b, or Damaged where that does not fit: sizes come from headers that may say anything.
inline uint64_t product(uint64_t a, uint64_t b) {
  uint64_t product;
  if (__builtin_mul_overflow(a, b, &product) || product >> 62) {
    throw Damaged("its header claims more than any file holds");
  }
  return product;
}

}  // namespace skord
