#include "line_classifier/line_network.hpp"

#include <algorithm>
#include <cmath>

#include "line_classifier/products.hpp"

namespace skord {

namespace {

using Floats = std::vector<float>;

constexpr int64_t kMostSteps = 1 << 16;

// Hands out arrays one after the other, each of a size that is to be.
class Taker {
 public:
  explicit Taker(const std::vector<Numbers<const float>> &arrays) : arrays_(arrays) {}
  bool has_more() const { return at_ < arrays_.size(); }
  // An array of `unit` numbers, or of any positive number of times so many.
  Floats some(size_t unit) {
    must_fit(has_more() && unit > 0 && arrays_[at_].size > 0 && arrays_[at_].size % unit == 0);
    const Numbers<const float> array = arrays_[at_++];
    return {array.begin(), array.end()};
  }
  Floats exactly(size_t size) {
    must_fit(has_more() && arrays_[at_].size == size);
    return some(size);
  }

 private:
  const std::vector<Numbers<const float>> &arrays_;
  size_t at_ = 0;
};

bool are_below(Numbers<const int64_t> numbers, size_t end) {
  return std::all_of(numbers.begin(), numbers.end(),
                     [&](int64_t number) { return number >= 0 && number < int64_t(end); });
}

// From the members side by side in each row to one after the other, each with so many columns of
// `of`, from `column` on.
void spread(const Floats &rows, size_t members, size_t width, size_t column, size_t of,
            Floats &out) {
  const size_t count = rows.size() / (members * width);
  for (size_t member = 0; member < members; ++member) {
    for (size_t row = 0; row < count; ++row) {
      std::copy_n(&rows[(row * members + member) * width], width,
                  &out[(member * count + row) * of + column]);
    }
  }
}

// Sums of stretches as their means; empty ones stay zero.
void divide(Floats &sums, Numbers<const int64_t> starts) {
  const size_t width = sums.size() / (starts.size - 1);
  for (size_t row = 0; row + 1 < starts.size; ++row) {
    const float count = float(std::max<int64_t>(starts[row + 1] - starts[row], 1));
    for (size_t at = 0; at < width; ++at) sums[row * width + at] /= count;
  }
}

// Scores, a step apart, as shares that sum to 1.
void share(float *scores, size_t count, size_t step = 1) {
  float most = scores[0], total = 0;
  for (size_t at = 1; at < count; ++at) most = std::max(most, scores[at * step]);
  for (size_t at = 0; at < count; ++at) {
    scores[at * step] = std::exp(scores[at * step] - most);  // the greatest is 1: none overflows
    total += scores[at * step];
  }
  for (size_t at = 0; at < count; ++at) scores[at * step] /= total;
}

size_t whole_lanes(size_t columns) { return (columns + kLane - 1) / kLane * kLane; }

}  // namespace

LineNetwork::LineNetwork(const std::vector<Numbers<const float>> &arrays,
                         const NetworkSizes &sizes)
    : sizes_(sizes) {
  constexpr size_t kMost = 4096;  // so that no product of sizes overflows
  for (const size_t size : {sizes.width, sizes.word_width, sizes.element_width, sizes.heads,
                            sizes.types}) {
    must_fit(size > 0 && size <= kMost);
  }
  must_fit(sizes.width % kLane == 0 && !arrays.empty());
  Taker taker(arrays);
  out_bias_ = taker.some(1);
  members_ = out_bias_.size();
  must_fit(members_ <= kMost);
  const size_t width = sizes.width, all = members_ * width;
  dense_.mean = taker.some(1);
  dense_.scale = taker.exactly(dense_.mean.size());
  dense_.weight = taker.exactly(dense_.mean.size() * all);
  line_bias_ = taker.exactly(all);
  word_vectors_ = taker.some(members_ * sizes.word_width);
  word_weight_ = taker.exactly(sizes.word_width * all);
  page_weight_ = taker.some(all);
  seen_width_ = page_weight_.size() / all;
  with_context_ = seen_width_ != 2 * width;
  must_fit(seen_width_ == 2 * width + with_context_ * sizes.element_width);
  page_bias_ = taker.exactly(all);
  type_weight_ = taker.exactly(members_ * seen_width_ * whole_lanes(sizes.types));
  type_bias_ = taker.exactly(members_ * sizes.types);
  type_vectors_ = taker.exactly(sizes.types * all);
  glance_weight_ = taker.exactly(all * whole_lanes(sizes.heads));
  seen_weight_ = taker.exactly(sizes.heads * width * all);
  again_weight_ = taker.exactly(width * all);
  again_bias_ = taker.exactly(all);
  out_weight_ = taker.exactly(all * kLane);
  for (const size_t dilation : sizes.dilations) {
    must_fit(dilation > 0);
    Floats weight = taker.exactly(3 * width * all);
    along_.push_back({dilation, std::move(weight), taker.exactly(all)});
  }
  if (with_context_) {
    leaf_.mean = taker.some(1);
    leaf_.scale = taker.exactly(leaf_.mean.size());
    leaf_.weight = taker.exactly(leaf_.mean.size() * all);
    called_weight_ = taker.exactly(2 * sizes.element_width * all);
    element_vectors_ = taker.some(members_ * sizes.element_width);
  }
  must_fit(!taker.has_more());
}

// Of each member its rows times its matrix.
Floats LineNetwork::product(const Floats &left, size_t rows, size_t inner,
                            const Floats &right) const {
  const size_t columns = right.size() / members_ / inner;
  Floats out(members_ * rows * columns);
  multiply({left.data(), members_, rows, inner}, {right.data(), members_, inner, columns},
           out.data());
  return out;
}

// What the elements around each leaf say, and what they are called: near ones most, and all alike.
Floats LineNetwork::leaf_vectors(const NetworkContext &context, const Floats &called) const {
  const size_t leaves = context.path_starts.size - 1, width = members_ * sizes_.element_width;
  Floats shares(context.path.size), powers;
  for (size_t at = 0; at < shares.size(); ++at) {
    const auto step = size_t(context.steps[at]);
    while (powers.size() <= step) {
      powers.push_back(float(std::pow(double(sizes_.nearer), double(powers.size()))));
    }
    shares[at] = powers[step];
  }
  const Rows elements{called.data(), called.size() / width, width};
  const Floats near = sums_of_rows(elements, context.path, context.path_starts, shares);
  Floats all = sums_of_rows(elements, context.path, context.path_starts, {});
  divide(all, context.path_starts);
  Floats both(2 * leaves * width);
  const size_t of_one = sizes_.element_width;
  spread(near, members_, of_one, 0, 2 * of_one, both);
  spread(all, members_, of_one, of_one, 2 * of_one, both);
  Floats said(leaves * members_ * sizes_.width);
  multiply_scaled({context.by_leaf.data, 1, leaves, leaf_.mean.size()}, {nullptr, 1, leaves, 0},
                  {leaf_.mean.data(), leaf_.scale.data(), sizes_.limit},
                  {leaf_.weight.data(), 1, leaf_.mean.size(), members_ * sizes_.width},
                  said.data());
  Floats vectors = product(both, leaves, 2 * of_one, called_weight_), of_members(said.size());
  spread(said, members_, sizes_.width, 0, sizes_.width, of_members);
  for (size_t at = 0; at < vectors.size(); ++at) vectors[at] = of_members[at] + vectors[at];
  return vectors;
}

// Of each line alone what each member makes of it; shape (members, rows, width).
Floats LineNetwork::line_vectors(const NetworkLines &lines, const NetworkContext *context,
                                 const Floats &called, size_t rows) const {
  const size_t width = sizes_.width, columns = lines.dense.size / rows;
  const size_t more = dense_.mean.size() - columns;
  Floats said(rows * members_ * width);
  multiply_scaled({lines.dense.data, 1, rows, columns},
                  {context == nullptr ? nullptr : context->by_line.data, 1, rows, more},
                  {dense_.mean.data(), dense_.scale.data(), sizes_.limit},
                  {dense_.weight.data(), 1, dense_.mean.size(), members_ * width}, said.data());
  const size_t word_width = members_ * sizes_.word_width;
  const Rows known{word_vectors_.data(), word_vectors_.size() / word_width, word_width};
  Floats means = sums_of_rows(known, lines.buckets, lines.starts, {}), words(means.size());
  divide(means, lines.starts);
  spread(means, members_, sizes_.word_width, 0, sizes_.word_width, words);
  Floats hidden = product(words, rows, sizes_.word_width, word_weight_), of_leaves;
  if (context != nullptr) of_leaves = leaf_vectors(*context, called);
  const size_t leaves = of_leaves.size() / members_ / width;
  for (size_t member = 0; member < members_; ++member) {
    const float *bias = &line_bias_[member * width];
    for (size_t row = 0; row < rows; ++row) {
      float *vector = &hidden[(member * rows + row) * width];
      const float *its = &said[(row * members_ + member) * width];
      for (size_t at = 0; at < width; ++at) vector[at] += its[at] + bias[at];
      if (context != nullptr) {
        // Lines of one leaf share what its elements say.
        const float *leaf = &of_leaves[(member * leaves + size_t(context->leaves[row])) * width];
        for (size_t at = 0; at < width; ++at) vector[at] += leaf[at];
      }
      for (size_t at = 0; at < width; ++at) vector[at] = std::max(vector[at], 0.0f);
    }
  }
  return hidden;
}

// The page as a whole: what its lines are on average, the strongest sign of each kind, and what it
// says of itself.
Floats LineNetwork::seen_of(const Floats &hidden, size_t rows, const NetworkContext *context,
                            const Floats &called) const {
  const size_t width = sizes_.width;
  Floats seen(members_ * seen_width_);
  for (size_t member = 0; member < members_; ++member) {
    float *mean = &seen[member * seen_width_], *most = mean + width;
    for (size_t row = 0; row < rows; ++row) {
      const float *vector = &hidden[(member * rows + row) * width];
      for (size_t at = 0; at < width; ++at) {
        mean[at] += vector[at];
        most[at] = std::max(most[at], vector[at]);  // none is below zero
      }
    }
    for (size_t at = 0; at < width; ++at) mean[at] /= float(rows);
    if (context == nullptr || context->page_element < 0) continue;
    const size_t of_one = sizes_.element_width;
    std::copy_n(&called[(size_t(context->page_element) * members_ + member) * of_one], of_one,
                most + width);
  }
  return seen;
}

// Adds to each line what the page is and what its types, by their shares, are: a page may be half
// a shop, half an article. These shares are returned.
Floats LineNetwork::add_page(const Floats &seen, size_t rows, Floats &hidden) const {
  const size_t width = sizes_.width, padded = whole_lanes(sizes_.types);
  Floats scores = product(seen, 1, seen_width_, type_weight_);
  Floats whole = product(seen, 1, seen_width_, page_weight_), types(sizes_.types);
  for (size_t member = 0; member < members_; ++member) {
    float *its = &scores[member * padded], *added = &whole[member * width];
    for (size_t type = 0; type < sizes_.types; ++type) {
      its[type] += type_bias_[member * sizes_.types + type];
    }
    share(its, sizes_.types);
    for (size_t at = 0; at < width; ++at) {
      added[at] = std::max(added[at] + page_bias_[member * width + at], 0.0f);
    }
    for (size_t type = 0; type < sizes_.types; ++type) {
      types[type] += its[type];
      const float *vector = &type_vectors_[(member * sizes_.types + type) * width];
      for (size_t at = 0; at < width; ++at) added[at] += its[type] * vector[at];
    }
    for (size_t row = 0; row < rows; ++row) {
      float *vector = &hidden[(member * rows + row) * width];
      for (size_t at = 0; at < width; ++at) vector[at] += added[at];
    }
  }
  for (float &type : types) type /= float(members_);
  return types;
}

// Adds to each line what it is when the page's foremost lines are known, as the heads see them.
void LineNetwork::compare(size_t rows, Floats &hidden) const {
  const size_t width = sizes_.width, heads = sizes_.heads, padded = whole_lanes(heads);
  const Floats scores = product(hidden, rows, width, glance_weight_);
  Floats shares(members_ * heads * rows), seen(members_ * heads * width);
  for (size_t head = 0; head < members_ * heads; ++head) {
    const float *from = &scores[head / heads * rows * padded + head % heads];
    float *to = &shares[head * rows];
    for (size_t row = 0; row < rows; ++row) to[row] = from[row * padded];
    share(to, rows);
  }
  multiply({shares.data(), members_, heads, rows}, {hidden.data(), members_, rows, width},
           seen.data());
  Floats known = product(seen, 1, heads * width, seen_weight_);
  const Floats added = product(hidden, rows, width, again_weight_);
  for (size_t at = 0; at < known.size(); ++at) known[at] += again_bias_[at];
  for (size_t row = 0; row < members_ * rows; ++row) {
    const float *its = &known[row / rows * width];
    for (size_t at = row * width; at < (row + 1) * width; ++at) {
      hidden[at] += std::max(added[at] + its[at - row * width], 0.0f);
    }
  }
}

Judgement LineNetwork::judge(const NetworkLines &lines, const NetworkContext *context) const {
  must_fit(lines.starts.size > 1 && (context != nullptr) == with_context_);
  const size_t rows = lines.starts.size - 1, dense = dense_.mean.size();
  must_fit(lines.dense.size % rows == 0 && lines.dense.size / rows <= dense);
  must_fit(lines.dense.size + (context ? context->by_line.size : 0) == rows * dense);
  Floats called;  // what each element is called, the members side by side
  if (context != nullptr) {
    const size_t elements = std::max<size_t>(context->token_starts.size, 1) - 1;
    const size_t leaves = std::max<size_t>(context->path_starts.size, 1) - 1;
    must_fit(elements > 0 && context->page_element < int64_t(elements));
    must_fit(leaves > 0 && context->by_leaf.size == leaves * leaf_.mean.size());
    must_fit(context->leaves.size == rows && are_below(context->leaves, leaves));
    must_fit(context->steps.size == context->path.size && are_below(context->steps, kMostSteps));
    const size_t width = members_ * sizes_.element_width;
    called = sums_of_rows({element_vectors_.data(), element_vectors_.size() / width, width},
                          context->tokens, context->token_starts, {});
  }
  Floats hidden = line_vectors(lines, context, called, rows), next(hidden.size());
  Judgement judgement{Floats(rows), add_page(seen_of(hidden, rows, context, called), rows, hidden)};
  for (const Along &along : along_) {
    convolve({hidden.data(), members_, rows, sizes_.width},
             {along.weight.data(), along.bias.data(), along.dilation}, next.data());
    hidden.swap(next);
  }
  compare(rows, hidden);
  const Floats out = product(hidden, rows, sizes_.width, out_weight_);
  for (size_t member = 0; member < members_; ++member) {
    for (size_t row = 0; row < rows; ++row) {
      judgement.logits[row] += out[(member * rows + row) * kLane] + out_bias_[member];
    }
  }
  for (float &logit : judgement.logits) logit /= float(members_);
  return judgement;
}

}  // namespace skord
