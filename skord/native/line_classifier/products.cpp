#include "line_classifier/products.hpp"

#include <algorithm>
#include <cstring>

#include "simd.hpp"

namespace skord {

namespace {

constexpr size_t kPlaces = 3;

// A kind of registers: vectors of kBytes, kRows rows of at most kVectors of them as sums. They
// must be the processor's own: of wider ones the compiler makes single numbers in memory.
// Sums, the weights of one column and one number of a row must fit: 2 * 4 + 4 + 1 of 16 registers,
// 6 * 2 + 2 + 1 of 16 with AVX2, 8 * 3 + 3 + 1 of 32 with AVX-512.
struct Plain {
  static constexpr size_t kBytes = 16, kVectors = 4;
#if defined(__aarch64__)
  static constexpr size_t kRows = 6;  // of 32 registers
#else
  static constexpr size_t kRows = 2;  // of 16
#endif
};
struct Avx2 {
  static constexpr size_t kBytes = 32, kVectors = 2, kRows = 6;
};
struct Avx512 {
  static constexpr size_t kBytes = 64, kVectors = 3, kRows = 8;
};

template <class Kind>
struct VectorOf {
  typedef float type __attribute__((vector_size(Kind::kBytes)));
  static constexpr size_t kNumbers = Kind::kBytes / sizeof(float);
};

template <class Vector>
SKORD_INLINE void load_vector(const float *from, Vector &vector) {
  std::memcpy(&vector, from, sizeof vector);
}

template <class Vector>
SKORD_INLINE void store_vector(const Vector &vector, float *to) {
  std::memcpy(to, &vector, sizeof vector);
}

// Some neighbouring columns of some rows of a product, as sums in registers.
template <class Kind, size_t kRows, size_t kVectors>
struct Tile {
  using Vector = typename VectorOf<Kind>::type;
  static constexpr size_t kNumbers = VectorOf<Kind>::kNumbers;

  Vector sums[kRows][kVectors];

  SKORD_INLINE void clear() {
    SKORD_UNROLLED
    for (size_t row = 0; row < kRows; ++row) {
      SKORD_UNROLLED
      for (size_t vector = 0; vector < kVectors; ++vector) sums[row][vector] = Vector{};
    }
  }

  // Adds rows times a matrix, of which `width` numbers are a row; each of its numbers is loaded
  // once for all rows.
  SKORD_INLINE void add_product(const float *const (&rows)[kRows], size_t inner,
                                const float *matrix, size_t width) {
    for (size_t column = 0; column < inner; ++column, matrix += width) {
      Vector weights[kVectors];
      SKORD_UNROLLED
      for (size_t vector = 0; vector < kVectors; ++vector) {
        load_vector(matrix + vector * kNumbers, weights[vector]);
      }
      SKORD_UNROLLED
      for (size_t row = 0; row < kRows; ++row) {
        SKORD_UNROLLED
        for (size_t vector = 0; vector < kVectors; ++vector) {
          sums[row][vector] += rows[row][column] * weights[vector];
        }
      }
    }
  }
};

// One product of matrices.
struct Product {
  const float *left, *right;
  float *out;
  size_t rows, inner, width;

  template <class Kind, size_t kRows, size_t kVectors>
  SKORD_INLINE void tile_at(size_t first, size_t column) const {
    Tile<Kind, kRows, kVectors> tile;
    tile.clear();
    const float *from[kRows];
    SKORD_UNROLLED
    for (size_t row = 0; row < kRows; ++row) from[row] = left + (first + row) * inner;
    tile.add_product(from, inner, right + column, width);
    SKORD_UNROLLED
    for (size_t row = 0; row < kRows; ++row) {
      SKORD_UNROLLED
      for (size_t vector = 0; vector < kVectors; ++vector) {
        store_vector(tile.sums[row][vector],
                     out + (first + row) * width + column + vector * tile.kNumbers);
      }
    }
  }
};

// One network's part of a convolution.
struct Along {
  const float *lines, *weights, *bias, *zeros;
  float *out;
  size_t rows, width, dilation;

  // The numbers of the line at `at`, or zeros beyond the page; before it `at` wraps around.
  SKORD_INLINE const float *line_or_zeros(size_t at) const {
    return at < rows ? lines + at * width : zeros;
  }

  template <class Kind, size_t kRows, size_t kVectors>
  SKORD_INLINE void tile_at(size_t first, size_t column) const {
    Tile<Kind, kRows, kVectors> tile;
    using Vector = typename Tile<Kind, kRows, kVectors>::Vector;
    tile.clear();
    for (size_t place = 0; place < kPlaces; ++place) {
      // Beyond the page's ends a row of zeros is read, so that the innermost loop has no branch.
      const float *from[kRows];
      SKORD_UNROLLED
      for (size_t row = 0; row < kRows; ++row) {
        from[row] = line_or_zeros(first + row + place * dilation - dilation);
      }
      tile.add_product(from, width, weights + place * width * width + column, width);
    }
    SKORD_UNROLLED
    for (size_t row = 0; row < kRows; ++row) {
      SKORD_UNROLLED
      for (size_t vector = 0; vector < kVectors; ++vector) {
        const size_t from = column + vector * tile.kNumbers, at = (first + row) * width + from;
        Vector line, sum;
        load_vector(bias + from, sum);
        load_vector(lines + at, line);
        sum += tile.sums[row][vector];
        // A residual block: ReLU of the convolution, added to what the line was.
        line += sum > 0.0f ? sum : Vector{};
        store_vector(line, out + at);
      }
    }
  }
};

template <class Kind, size_t kVectors, class Work>
SKORD_INLINE void columns_at(const Work &work, size_t column) {
  size_t first = 0;
  // As many rows at once as there are registers for their sums; what is left in ever fewer.
  for (; first + Kind::kRows <= work.rows; first += Kind::kRows) {
    work.template tile_at<Kind, Kind::kRows, kVectors>(first, column);
  }
  if (Kind::kRows > 4 && first + 4 <= work.rows) {
    work.template tile_at<Kind, 4, kVectors>(first, column);
    first += 4;
  }
  if (Kind::kRows > 2 && first + 2 <= work.rows) {
    work.template tile_at<Kind, 2, kVectors>(first, column);
    first += 2;
  }
  for (; first < work.rows; ++first) work.template tile_at<Kind, 1, kVectors>(first, column);
}

// The columns that are computed at once stay in the cache for all rows.
template <class Work>
struct ByColumns {
  Work work;

  template <class Kind>
  SKORD_INLINE void all() const {
    // 48 columns for AVX-512, which is the network's width, and 16, one lane, for the others.
    constexpr size_t kWide = Kind::kVectors * VectorOf<Kind>::kNumbers;
    size_t column = 0;
    for (; column + kWide <= work.width; column += kWide) {
      columns_at<Kind, Kind::kVectors>(work, column);
    }
    for (; column < work.width; column += kLane) {
      columns_at<Kind, kLane / VectorOf<Kind>::kNumbers>(work, column);
    }
  }
};

// The sums of one stretch of rows.
struct Stretch {
  const Rows &rows;
  const int64_t *numbers;
  const float *shares;  // none: each counts once
  size_t size;
  float *sums;

  template <class Kind, size_t kVectors>
  SKORD_INLINE void add_up(size_t column) const {
    using Vector = typename VectorOf<Kind>::type;
    constexpr size_t kNumbers = VectorOf<Kind>::kNumbers;
    // The sums stay in registers over all rows; each column is added up in the rows' order.
    Vector sum[kVectors] = {};
    for (size_t at = 0; at < size; ++at) {
      const float *row = rows.values + size_t(numbers[at]) * rows.width + column;
      const float share = shares == nullptr ? 1.0f : shares[at];
      SKORD_UNROLLED
      for (size_t vector = 0; vector < kVectors; ++vector) {
        Vector value;
        load_vector(row + vector * kNumbers, value);
        sum[vector] += share * value;
      }
    }
    SKORD_UNROLLED
    for (size_t vector = 0; vector < kVectors; ++vector) {
      store_vector(sum[vector], sums + column + vector * kNumbers);
    }
  }

  // Fewer columns than a vector has: as a vector, too, for compilers round lone sums otherwise.
  template <class Kind>
  SKORD_INLINE void add_up_last(size_t column) const {
    using Vector = typename VectorOf<Kind>::type;
    float padded[VectorOf<Kind>::kNumbers] = {};
    const size_t bytes = (rows.width - column) * sizeof(float);
    Vector sum = {};
    for (size_t at = 0; at < size; ++at) {
      const float share = shares == nullptr ? 1.0f : shares[at];
      std::memcpy(padded, rows.values + size_t(numbers[at]) * rows.width + column, bytes);
      Vector value;
      load_vector(padded, value);
      sum += share * value;
    }
    store_vector(sum, padded);
    std::memcpy(sums + column, padded, bytes);
  }

  template <class Kind>
  SKORD_INLINE void all() const {
    constexpr size_t kNumbers = VectorOf<Kind>::kNumbers;
    // 32 columns at once, which two networks have of words and elements.
    constexpr size_t kVectors = 32 / kNumbers;
    size_t column = 0;
    for (; column + 32 <= rows.width; column += 32) add_up<Kind, kVectors>(column);
    for (; column + kNumbers <= rows.width; column += kNumbers) add_up<Kind, 1>(column);
    if (column < rows.width) add_up_last<Kind>(column);
  }
};

// All stretches, in one function for each width.
struct Stretches {
  const Rows &rows;
  Numbers<const int64_t> numbers, starts;
  const std::vector<float> &shares;
  float *sums;

  template <class Kind>
  SKORD_INLINE void all() const {
    for (size_t at = 0; at + 1 < starts.size; ++at) {
      const size_t first = size_t(starts[at]), size = size_t(starts[at + 1]) - first;
      const float *weighed = shares.empty() ? nullptr : shares.data() + first;
      Stretch{rows, numbers.data + first, weighed, size, sums + at * rows.width}
          .template all<Kind>();
    }
  }
};

#if defined(__x86_64__)
template <class Work>
SKORD_AVX2 void by_avx2(const Work &work) {
  work.template all<Avx2>();
}

template <class Work>
SKORD_AVX512 void by_avx512(const Work &work) {
  work.template all<Avx512>();
}
#endif

// Does all of some work in a function of the width that is used.
template <class Work>
void run(const Work &work) {
#if defined(__x86_64__)
  if (simd() == Simd::avx512) return by_avx512(work);
  if (simd() == Simd::avx2) return by_avx2(work);
#endif
  work.template all<Plain>();
}

}  // namespace

std::vector<float> sums_of_rows(const Rows &rows, Numbers<const int64_t> numbers,
                                Numbers<const int64_t> starts, const std::vector<float> &shares) {
  const auto no_row = [&](int64_t row) { return row < 0 || size_t(row) >= rows.count; };
  must_fit(starts.size > 0 && starts[0] == 0 && starts[starts.size - 1] == int64_t(numbers.size));
  must_fit(std::is_sorted(starts.begin(), starts.end()));
  must_fit(shares.empty() || shares.size() == numbers.size);
  must_fit(std::none_of(numbers.begin(), numbers.end(), no_row));
  std::vector<float> sums((starts.size - 1) * rows.width);
  run(Stretches{rows, numbers, starts, shares, sums.data()});
  return sums;
}

void multiply(const Matrices &left, const Matrices &right, float *out) {
  const size_t size = left.rows * right.columns;
  for (size_t at = 0; at < left.count; ++at) {
    run(ByColumns<Product>{{left.values + at * left.rows * left.columns,
                right.values + at * right.rows * right.columns, out + at * size, left.rows,
                left.columns, right.columns}});
  }
}

void multiply_scaled(const Matrices &first, const Matrices &second, const Scaling &scaling,
                     const Matrices &matrix, float *out) {
  std::vector<float> scaled(first.rows * matrix.rows);
  float *to = scaled.data();
  for (size_t row = 0; row < first.rows; ++row) {
    const float *means = scaling.means, *scales = scaling.scales;
    for (const Matrices *part : {&first, &second}) {
      const float *from = part->values + row * part->columns;
      for (size_t column = 0; column < part->columns; ++column) {
        const float value = (from[column] - means[column]) * scales[column];
        to[column] = std::min(std::max(value, -scaling.limit), scaling.limit);
      }
      to += part->columns;
      means += part->columns;
      scales += part->columns;
    }
  }
  multiply({scaled.data(), 1, first.rows, matrix.rows}, matrix, out);
}

void convolve(const Matrices &vectors, const Convolution &convolution, float *out) {
  const size_t width = vectors.columns, size = vectors.rows * width;
  const std::vector<float> zeros(width);
  for (size_t at = 0; at < vectors.count; ++at) {
    run(ByColumns<Along>{{vectors.values + at * size, convolution.weights + at * kPlaces * width * width,
              convolution.biases + at * width, zeros.data(), out + at * size, vectors.rows, width,
              convolution.dilation}});
  }
}

}  // namespace skord
