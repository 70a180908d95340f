// Convolutions along the lines of a page.

#pragma once

#include <cstddef>
#include <vector>

namespace skord {

// Vectors of a page's lines as one or more networks have them.
struct LineVectors {
  static constexpr size_t kWidth = 48;
  const float *values;  // shape (networks, lines, kWidth)
  size_t networks, lines;
};

// A convolution over a line and those `dilation` before and after it; zeros beyond the page.
struct Convolution {
  const float *weights;  // shape (networks, 3, kWidth, kWidth): before, here, after
  const float *biases;   // shape (networks, kWidth)
  size_t dilation;
};

// The vectors, each with what the convolution finds added where it is positive.
std::vector<float> convolved(const LineVectors &vectors, const Convolution &convolution);

}  // namespace skord
