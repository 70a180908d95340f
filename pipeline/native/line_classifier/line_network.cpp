#include "line_classifier/line_network.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace skord {

namespace {

#define SKORD_INLINE inline __attribute__((always_inline))
// Loops of so few steps are unrolled only when the compiler is told to, and only then do the sums
// stay in registers.
#define SKORD_UNROLLED _Pragma("GCC unroll 8")

constexpr size_t kWidth = Convolution::kWidth, kPlaces = 3, kMostLanes = kWidth / kLane;

// Sixteen numbers; the compiler makes of them what the processor has.
typedef float Lane __attribute__((vector_size(kLane * sizeof(float))));

SKORD_INLINE void load_lane(const float *from, Lane &lane) {
  std::memcpy(&lane, from, sizeof lane);
}

SKORD_INLINE void store_lane(const Lane &lane, float *to) { std::memcpy(to, &lane, sizeof lane); }

// Rows of which the same columns of a product are computed at once.
template <size_t kRows, size_t kLanes>
struct Sums {
  Lane of[kRows][kLanes];
};

template <size_t kRows, size_t kLanes>
SKORD_INLINE void clear(Sums<kRows, kLanes> &sums) {
  SKORD_UNROLLED
  for (size_t row = 0; row < kRows; ++row) {
    SKORD_UNROLLED
    for (size_t lane = 0; lane < kLanes; ++lane) sums.of[row][lane] = Lane{};
  }
}

// Adds rows times a matrix, of which `width` numbers are a row; each of its numbers is loaded once
// for all rows.
template <size_t kRows, size_t kLanes>
SKORD_INLINE void add_product(const float *const (&rows)[kRows], size_t inner, const float *matrix,
                              size_t width, Sums<kRows, kLanes> &sums) {
  for (size_t column = 0; column < inner; ++column, matrix += width) {
    SKORD_UNROLLED
    for (size_t lane = 0; lane < kLanes; ++lane) {
      Lane weights;
      load_lane(matrix + lane * kLane, weights);
      SKORD_UNROLLED
      for (size_t row = 0; row < kRows; ++row) sums.of[row][lane] += rows[row][column] * weights;
    }
  }
}

// One product of matrices.
struct Product {
  const float *left, *right;
  float *out;
  size_t rows, inner, width;

  template <size_t kRows, size_t kLanes>
  SKORD_INLINE void tile(size_t first, size_t column) const {
    Sums<kRows, kLanes> sums;
    clear(sums);
    const float *from[kRows];
    SKORD_UNROLLED
    for (size_t row = 0; row < kRows; ++row) from[row] = left + (first + row) * inner;
    add_product<kRows, kLanes>(from, inner, right + column, width, sums);
    SKORD_UNROLLED
    for (size_t row = 0; row < kRows; ++row) {
      SKORD_UNROLLED
      for (size_t lane = 0; lane < kLanes; ++lane) {
        store_lane(sums.of[row][lane], out + (first + row) * width + column + lane * kLane);
      }
    }
  }

  template <size_t kRows>
  SKORD_INLINE void rows_at(size_t first) const {
    size_t column = 0;
    for (; column + kWidth <= width; column += kWidth) tile<kRows, kMostLanes>(first, column);
    for (; column < width; column += kLane) tile<kRows, 1>(first, column);
  }
};

// One network's part of a convolution.
struct Along {
  const float *lines, *weights, *bias;
  float *out;
  size_t rows, dilation;

  // The numbers of the line at `at`, or zeros beyond the page; before it `at` wraps around.
  SKORD_INLINE const float *line_or_zeros(size_t at) const {
    static const float zeros[kWidth] = {};
    return at < rows ? lines + at * kWidth : zeros;
  }

  template <size_t kRows>
  SKORD_INLINE void rows_at(size_t first) const {
    Sums<kRows, kMostLanes> sums;
    clear(sums);
    for (size_t place = 0; place < kPlaces; ++place) {
      const float *from[kRows];
      SKORD_UNROLLED
      for (size_t row = 0; row < kRows; ++row) {
        from[row] = line_or_zeros(first + row + place * dilation - dilation);
      }
      add_product<kRows, kMostLanes>(from, kWidth, weights + place * kWidth * kWidth, kWidth, sums);
    }
    SKORD_UNROLLED
    for (size_t row = 0; row < kRows; ++row) {
      SKORD_UNROLLED
      for (size_t lane = 0; lane < kMostLanes; ++lane) {
        const size_t at = (first + row) * kWidth + lane * kLane;
        Lane line, sum;
        load_lane(bias + lane * kLane, sum);
        load_lane(lines + at, line);
        sum += sums.of[row][lane];
        line += sum > 0.0f ? sum : Lane{};
        store_lane(line, out + at);
      }
    }
  }
};

template <size_t kRows, class Work>
SKORD_INLINE void all_rows(const Work &work) {
  size_t first = 0;
  for (; first + kRows <= work.rows; first += kRows) work.template rows_at<kRows>(first);
  for (; first < work.rows; ++first) work.template rows_at<1>(first);
}

// As many rows at once as the processor's registers hold.
template <class Work>
void plainly(const Work &work) {
  all_rows<1>(work);
}

#if defined(__x86_64__)
template <class Work>
__attribute__((target("avx2,fma"))) void by_avx2(const Work &work) {
  all_rows<2>(work);
}

template <class Work>
__attribute__((target("avx512f"))) void by_avx512(const Work &work) {
  all_rows<6>(work);
}
#endif

template <class Work>
void run(const Work &work) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return by_avx512(work);
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return by_avx2(work);
#endif
  plainly(work);
}

// Columns added up at once: of a fixed number the compiler makes few instructions.
constexpr size_t kTogether = 16;

// Adds up kTogether columns of a stretch, or those that are left.
void add_up(const Rows &rows, size_t column, const std::vector<int64_t> &numbers,
            const std::vector<float> &shares, int64_t start, int64_t end, float *sums) {
  const size_t columns = std::min(kTogether, rows.width - column);
  float sum[kTogether] = {};
  for (int64_t at = start; at < end; ++at) {
    const float *row = rows.values + size_t(numbers[size_t(at)]) * rows.width + column;
    const float share = shares.empty() ? 1.0f : shares[size_t(at)];
    if (columns == kTogether) {
      for (size_t k = 0; k < kTogether; ++k) sum[k] += share * row[k];
    } else {
      for (size_t k = 0; k < columns; ++k) sum[k] += share * row[k];
    }
  }
  std::copy_n(sum, columns, sums + column);
}

}  // namespace

std::vector<float> sums_of_rows(const Rows &rows, const std::vector<int64_t> &numbers,
                                const std::vector<int64_t> &starts,
                                const std::vector<float> &shares) {
  const auto no_row = [&](int64_t row) { return row < 0 || size_t(row) >= rows.count; };
  if (starts.empty() || starts.front() != 0 || starts.back() != int64_t(numbers.size()) ||
      !std::is_sorted(starts.begin(), starts.end()) ||
      (!shares.empty() && shares.size() != numbers.size()) ||
      std::any_of(numbers.begin(), numbers.end(), no_row)) {
    throw std::invalid_argument("rows, stretches and shares do not fit one another");
  }
  std::vector<float> sums((starts.size() - 1) * rows.width);
  for (size_t stretch = 0; stretch + 1 < starts.size(); ++stretch) {
    for (size_t column = 0; column < rows.width; column += kTogether) {
      add_up(rows, column, numbers, shares, starts[stretch], starts[stretch + 1],
             sums.data() + stretch * rows.width);
    }
  }
  return sums;
}

std::vector<float> multiplied(const Matrices &left, const Matrices &right) {
  const size_t size = left.rows * right.columns;
  std::vector<float> out(left.count * size);
  for (size_t at = 0; at < left.count; ++at) {
    run(Product{left.values + at * left.rows * left.columns,
                right.values + at * right.rows * right.columns, out.data() + at * size, left.rows,
                left.columns, right.columns});
  }
  return out;
}

std::vector<float> convolved(const Matrices &vectors, const Convolution &convolution) {
  const size_t size = vectors.rows * kWidth;
  std::vector<float> out(vectors.count * size);
  for (size_t at = 0; at < vectors.count; ++at) {
    run(Along{vectors.values + at * size, convolution.weights + at * kPlaces * kWidth * kWidth,
              convolution.biases + at * kWidth, out.data() + at * size, vectors.rows,
              convolution.dilation});
  }
  return out;
}

}  // namespace skord
