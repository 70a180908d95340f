// Products of matrices, sums of their rows, and convolutions along the lines of a page.
//
// For these small matrices a linear algebra library spends its time on handing work to threads,
// and ten times of it where other processes have the cores.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

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
std::vector<float> multiplied(const Matrices &left, const Matrices &right);

// Rows of numbers, each `width` long.
struct Rows {
  const float *values;
  size_t count, width;
};

// Of each stretch the sum of the rows that are numbered in it, each times its share; without
// shares each counts once. Throws std::invalid_argument for a row or a stretch that is not there.
std::vector<float> sums_of_rows(const Rows &rows, const std::vector<int64_t> &numbers,
                                const std::vector<int64_t> &starts,
                                const std::vector<float> &shares);

// A convolution over a line and those `dilation` before and after it; zeros beyond the page.
struct Convolution {
  static constexpr size_t kWidth = 48;
  const float *weights;  // shape (networks, 3, kWidth, kWidth): before, here, after
  const float *biases;   // shape (networks, kWidth)
  size_t dilation;
};

// Vectors of a page's lines, a matrix for each network, each vector with what the convolution
// finds added where it is positive.
std::vector<float> convolved(const Matrices &vectors, const Convolution &convolution);

}  // namespace skord
