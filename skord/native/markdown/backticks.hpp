// Code in a line of Markdown: what stands between two runs of as many backticks.

#pragma once

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

namespace skord {

class Backticks {
 public:
  explicit Backticks(std::string_view text) : text_(text) {
    for (size_t at = text.find('`'); at != text.npos; at = text.find('`', at)) {
      const size_t end = end_of_run(at);
      starts_[end - at].push_back(at);
      at = end;
    }
  }

  // Where code ends that begins with `size` backticks before `at`; npos if it does not.
  size_t end_of_code(size_t at, size_t size) const {
    const auto starts = starts_.find(size);
    if (starts == starts_.end()) return text_.npos;
    const auto next = std::lower_bound(starts->second.begin(), starts->second.end(), at);
    return next == starts->second.end() ? text_.npos : *next + size;
  }

  // Size of the code that begins at `at`, backticks included; 0 for none.
  size_t size_of_code(size_t at) const {
    if (text_[at] != '`' || (at > 0 && text_[at - 1] == '`')) return 0;
    const size_t start = end_of_run(at), end = end_of_code(start, start - at);
    return end == text_.npos ? 0 : end - at;
  }

 private:
  size_t end_of_run(size_t at) const { return std::min(text_.find_first_not_of('`', at), text_.size()); }

  std::string_view text_;
  std::map<size_t, std::vector<size_t>> starts_;  // of the runs of each size
};

}  // namespace skord
