// Many texts at once.

#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bindings/numbers.hpp"

namespace skord {

// Texts as Arrow holds them: all UTF-8 in one buffer, and where each begins, the end last.
class ArrowTexts {
 public:
  // Throws std::invalid_argument where a text lies outside of the bytes.
  ArrowTexts(Numbers<const uint64_t> starts, std::string_view bytes)
      : starts_(starts), bytes_(bytes) {
    must_fit(starts.size > 0 && std::is_sorted(starts.begin(), starts.end()));
    must_fit(starts.size == 1 || starts[starts.size - 1] <= bytes.size());
  }

  size_t size() const { return starts_.size - 1; }
  std::string_view operator[](size_t text) const {
    return bytes_.substr(starts_[text], starts_[text + 1] - starts_[text]);
  }
  size_t longest() const {  // bytes
    size_t longest = 0;
    for (size_t text = 0; text < size(); ++text) longest = std::max(longest, (*this)[text].size());
    return longest;
  }

 private:
  Numbers<const uint64_t> starts_;
  std::string_view bytes_;
};

// Texts written one after another, as `ArrowTexts` reads them.
struct WrittenTexts {
  std::vector<uint64_t> starts{0};
  std::string bytes;

  void end() { starts.push_back(bytes.size()); }
  void add(std::string_view text) {
    bytes += text;
    end();
  }
  std::string_view last() const {
    return std::string_view(bytes).substr(starts[starts.size() - 2]);
  }
};

}  // namespace skord
