// Products of matrices, sums of their rows, and convolutions along the lines of a page.
//
// For these small matrices a linear algebra library spends its time on handing work to threads,
// and ten times of it where other processes have the cores.
//
// Every number is a sum in the order of its terms whatever the vector width, so that AVX2 and
// AVX-512 agree to the bit; without either, products are rounded before they are added.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bindings/numbers.hpp"

namespace skord {

// One or more matrices of one shape, row by row.
struct Matrices {
  const float *values;
  size_t count, rows, columns;
};

// Columns of what is multiplied by come in lanes of so many.
constexpr size_t kLane = 16;

// Each matrix times its fellow, whose columns are a multiple of kLane; shape (count, rows of the
// left, columns of the right).
void multiply(const Matrices &left, const Matrices &right, float *out);

// How features become of one scale: minus the mean, times the scale, cut at `limit` to both sides.
struct Scaling {
  const float *means, *scales;
  float limit;
};

// Rows of features that lie in two tables side by side, the second perhaps without columns, as
// `scaling` has them, times a matrix as of `multiply`; shape (rows, columns of the matrix).
void multiply_scaled(const Matrices &first, const Matrices &second, const Scaling &scaling,
                     const Matrices &matrix, float *out);

// Rows of numbers, each `width` long.
struct Rows {
  const float *values;
  size_t count, width;
};

// Of each stretch the sum of the rows that are numbered in it, each times its share; without
// shares each counts once. Throws std::invalid_argument for a row or a stretch that is not there.
std::vector<float> sums_of_rows(const Rows &rows, Numbers<const int64_t> numbers,
                                Numbers<const int64_t> starts, const std::vector<float> &shares);

// A convolution over a line and those `dilation` before and after it; zeros beyond the page.
struct Convolution {
  const float *weights;  // shape (networks, 3, width, width): before, here, after
  const float *biases;   // shape (networks, width)
  size_t dilation;
};

// Vectors of a page's lines, a matrix for each network, of a width that is a multiple of kLane;
// each vector with what the convolution finds added where it is positive.
void convolve(const Matrices &vectors, const Convolution &convolution, float *out);

}  // namespace skord
