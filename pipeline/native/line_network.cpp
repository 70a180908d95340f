#include "line_network.hpp"

#include <cstring>

namespace skord {

namespace {

constexpr size_t kWidth = LineVectors::kWidth, kPlaces = 3, kLane = 16, kLanes = kWidth / kLane;

#define SKORD_INLINE inline __attribute__((always_inline))
// Loops of so few steps are unrolled only when the compiler is told to, and only then do the sums
// stay in registers.
#define SKORD_UNROLLED _Pragma("GCC unroll 8")

// Sixteen numbers; the compiler makes of them what the processor has.
typedef float Lane __attribute__((vector_size(kLane * sizeof(float))));

SKORD_INLINE void load_lane(const float *from, Lane &lane) {
  std::memcpy(&lane, from, sizeof lane);
}

// One network's part of the work.
struct Part {
  const float *lines, *weights, *bias;
  float *out;
  size_t count, dilation;
};

// The numbers of the line at `at`, or zeros beyond the page.
SKORD_INLINE const float *line_or_zeros(const Part &part, size_t at) {
  static const float zeros[kWidth] = {};
  return at < part.count ? part.lines + at * kWidth : zeros;  // before the first it wraps around
}

template <size_t kRows>
struct Sums {
  Lane of[kRows][kLanes];
};

// Adds what the matrix of one place makes of kRows lines; each weight is loaded once for all.
template <size_t kRows>
SKORD_INLINE void add_place(const Part &part, size_t first, size_t place, Sums<kRows> &sums) {
  const float *from[kRows];
  SKORD_UNROLLED
  for (size_t row = 0; row < kRows; ++row) {
    from[row] = line_or_zeros(part, first + row + place * part.dilation - part.dilation);
  }
  const float *weights = part.weights + place * kWidth * kWidth;
  for (size_t column = 0; column < kWidth; ++column, weights += kWidth) {
    SKORD_UNROLLED
    for (size_t lane = 0; lane < kLanes; ++lane) {
      Lane weight;
      load_lane(weights + lane * kLane, weight);
      SKORD_UNROLLED
      for (size_t row = 0; row < kRows; ++row) sums.of[row][lane] += from[row][column] * weight;
    }
  }
}

template <size_t kRows>
SKORD_INLINE void rows_at(const Part &part, size_t first) {
  Sums<kRows> sums;
  SKORD_UNROLLED
  for (size_t row = 0; row < kRows; ++row) {
    SKORD_UNROLLED
    for (size_t lane = 0; lane < kLanes; ++lane) {
      load_lane(part.bias + lane * kLane, sums.of[row][lane]);
    }
  }
  for (size_t place = 0; place < kPlaces; ++place) add_place<kRows>(part, first, place, sums);
  SKORD_UNROLLED
  for (size_t row = 0; row < kRows; ++row) {
    SKORD_UNROLLED
    for (size_t lane = 0; lane < kLanes; ++lane) {
      const size_t at = (first + row) * kWidth + lane * kLane;
      const Lane sum = sums.of[row][lane];
      Lane line;
      load_lane(part.lines + at, line);
      line += sum > 0.0f ? sum : Lane{};
      std::memcpy(part.out + at, &line, sizeof line);
    }
  }
}

template <size_t kRows>
SKORD_INLINE void all_rows(const Part &part) {
  size_t first = 0;
  for (; first + kRows <= part.count; first += kRows) rows_at<kRows>(part, first);
  for (; first < part.count; ++first) rows_at<1>(part, first);
}

void plainly(const Part &part) { all_rows<1>(part); }

#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) void by_avx2(const Part &part) { all_rows<2>(part); }
__attribute__((target("avx512f"))) void by_avx512(const Part &part) { all_rows<6>(part); }
#endif

// The best that this processor can do.
void (*chosen())(const Part &) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return by_avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return by_avx2;
#endif
  return plainly;
}

}  // namespace

std::vector<float> convolved(const LineVectors &vectors, const Convolution &convolution) {
  const auto run = chosen();
  const size_t size = vectors.lines * kWidth;
  std::vector<float> out(vectors.networks * size);
  for (size_t network = 0; network < vectors.networks; ++network) {
    run({vectors.values + network * size,
         convolution.weights + network * kPlaces * kWidth * kWidth,
         convolution.biases + network * kWidth, out.data() + network * size, vectors.lines,
         convolution.dilation});
  }
  return out;
}

}  // namespace skord
