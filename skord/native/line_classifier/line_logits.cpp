#include "line_classifier/line_logits.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "page_text/lines_of.hpp"

namespace skord {

std::vector<float> chances_of(Numbers<const float> logits) {
  std::vector<float> chances(logits.size);
  for (size_t line = 0; line < logits.size; ++line) {
    chances[line] = float(1 / (1 + std::exp(-double(logits[line]))));
  }
  return chances;
}

std::vector<float> smoothed(Numbers<const float> logits, Numbers<const int64_t> words,
                            Numbers<const int64_t> groups, const Smoothing &smoothing) {
  const size_t count = logits.size, kinds = smoothing.shares.size;
  const auto is_group = [&](int64_t group) { return group >= 0 && group < int64_t(count); };
  must_fit(words.size == count && smoothing.step > 0);
  must_fit(count == 0 ? groups.size == 0 : groups.size % count == 0 && groups.size / count == kinds);
  must_fit(std::all_of(groups.begin(), groups.end(), is_group));
  // In double precision and rounded at the end, so that the order of adding does not show.
  std::vector<double> own(count), weights(count), mixed(count);
  for (size_t line = 0; line < count; ++line) {
    own[line] = std::min(std::max(double(logits[line]), -smoothing.surest), smoothing.surest);
    weights[line] = std::sqrt(double(words[line]) + 1);  // lines without words count too
    mixed[line] = own[line] * smoothing.rest;
  }
  for (size_t kind = 0; kind < kinds && count > 0; ++kind) {
    const int64_t *group = &groups[kind * count];
    std::vector<double> sums(count), weighed(count);
    for (size_t line = 0; line < count; ++line) {
      sums[size_t(group[line])] += own[line] * weights[line];
      weighed[size_t(group[line])] += weights[line];
    }
    for (size_t line = 0; line < count; ++line) {
      const auto at = size_t(group[line]);
      mixed[line] += smoothing.shares[kind] * (sums[at] / weighed[at]);
    }
  }
  std::vector<float> rounded(count);
  for (size_t line = 0; line < count; ++line) {
    rounded[line] = std::nearbyint(float(mixed[line]) / smoothing.step) * smoothing.step;
  }
  return rounded;
}

std::vector<float> drawn_to_headings(std::string_view plain, Numbers<const int64_t> visible,
                                     Numbers<const float> logits, Numbers<const float> links,
                                     const Drawing &drawing) {
  must_fit(logits.size == visible.size && links.size == visible.size);
  const Lines lines = lines_of(plain);
  const std::vector<bool> is_code = code_lines(lines);
  std::vector<float> drawn(logits.begin(), logits.end());
  std::vector<std::pair<size_t, float>> open;  // level and logit of each heading that a line stands under
  for (size_t at = 0; at < visible.size; ++at) {
    const auto number = size_t(visible[at]);
    must_fit(number < lines.size());
    const float logit = logits[at];
    const size_t level = is_code[number] ? 0 : heading_level(lines[number]);
    while (level > 0 && !open.empty() && open.back().first >= level) open.pop_back();
    const float heading = open.empty() ? drawing.least : open.back().second;
    if (level > 0) open.emplace_back(level, logit);
    if (logit <= drawing.least || links[at] > drawing.most_linked) continue;
    const float nearer = logit + drawing.share * std::min(std::max(heading - logit, 0.0f), drawing.farthest);
    drawn[at] = std::nearbyint(nearer / drawing.step) * drawing.step;
  }
  return drawn;
}

std::vector<float> with_blank_lines(Numbers<const int64_t> lines, Numbers<const float> logits,
                                    size_t line_count, float blank) {
  must_fit(lines.size == logits.size);
  std::vector<float> whole(line_count, blank);
  for (size_t first = 0, end = 0; first < lines.size; first = end) {
    float most = logits[first];
    for (end = first + 1; end < lines.size && lines[end] == lines[end - 1] + 1; ++end) {
      most = std::max(most, logits[end]);
    }
    const int64_t next = end < lines.size ? lines[end] : int64_t(line_count);
    must_fit(lines[first] >= 0 && lines[end - 1] < next && next <= int64_t(line_count));
    std::copy(logits.begin() + first, logits.begin() + end, whole.begin() + lines[first]);
    std::fill(whole.begin() + lines[end - 1] + 1, whole.begin() + next, most);
  }
  return whole;
}

}  // namespace skord
