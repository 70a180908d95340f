// The line classifier's network: logits of a page's visible lines from their features.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bindings/numbers.hpp"

namespace skord {

// `skord.models.line_classifier.network` says what each is.
struct NetworkSizes {
  size_t width, word_width, element_width, heads, types;
  std::vector<size_t> dilations;
  float nearer, limit;
};

// Features of a page's lines, as `PageFeatures` has them.
struct NetworkLines {
  Numbers<const float> dense;
  Numbers<const int64_t> buckets, starts;
};

// What the HTML says of them, as `ContextFeatures` has it.
struct NetworkContext {
  Numbers<const float> by_leaf, by_line;
  Numbers<const int64_t> tokens, token_starts, path, steps, path_starts, leaves;
  int64_t page_element;
};

// Logits of the lines, mean of the networks, before any temperature; shares of the page's types.
struct Judgement {
  std::vector<float> logits, types;
};

// Some networks of one shape, computed together.
class LineNetwork {
 public:
  // Arrays in the order of `skord.models.line_classifier.network.ARRAYS`, those of each dilation after
  // them, and at last those that only a network for pages with their HTML has. Throws
  // std::invalid_argument where their shapes do not fit one another.
  LineNetwork(const std::vector<Numbers<const float>> &arrays, const NetworkSizes &sizes);

  // With a context exactly where the network is for one. Throws std::invalid_argument where shapes
  // or numbers do not fit, and for a page without lines.
  Judgement judge(const NetworkLines &lines, const NetworkContext *context) const;

 private:
  struct Scale {
    std::vector<float> mean, scale, weight;  // shapes (n), (n), (n, members * width)
  };
  struct Along {
    size_t dilation;
    std::vector<float> weight, bias;
  };
  using Floats = std::vector<float>;

  Floats line_vectors(const NetworkLines &lines, const NetworkContext *context,
                      const Floats &called, size_t rows) const;
  Floats leaf_vectors(const NetworkContext &context, const Floats &called) const;
  Floats seen_of(const Floats &hidden, size_t rows, const NetworkContext *context,
                 const Floats &called) const;
  Floats add_page(const Floats &seen, size_t rows, Floats &hidden) const;
  void compare(size_t rows, Floats &hidden) const;
  Floats product(const Floats &left, size_t rows, size_t inner, const Floats &right) const;

  NetworkSizes sizes_;
  size_t members_, seen_width_;
  bool with_context_;
  Scale dense_, leaf_;
  Floats line_bias_, word_vectors_, word_weight_, type_weight_, type_bias_, type_vectors_;
  Floats page_weight_, page_bias_, glance_weight_, seen_weight_, again_weight_, again_bias_;
  Floats out_weight_, out_bias_, called_weight_, element_vectors_;
  std::vector<Along> along_;
};

}  // namespace skord
