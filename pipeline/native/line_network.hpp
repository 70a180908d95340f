// Products of matrices, and convolutions along the lines of a page.
//
// For these small matrices a linear algebra library spends its time on handing work to threads,
// and ten times of it where other processes have the cores.

#pragma once

#include <cstddef>
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
