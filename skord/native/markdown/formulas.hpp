// Formulas in a line of Markdown: TeX between `\(` and `\)`, or between `$$` and `$$`.

#pragma once

#include <cstddef>
#include <string_view>

namespace skord {

// Size of the formula that a text begins with, delimiters included; 0 for none.
inline size_t size_of_formula(std::string_view text) {
  constexpr size_t kDelimiter = 2, kLongest = 4'000;  // a line may hold many that never end
  const bool is_inline = text.substr(0, kDelimiter) == "\\(";
  if (!is_inline && text.substr(0, kDelimiter) != "$$") return 0;
  const size_t end = text.substr(0, kLongest).find(is_inline ? "\\)" : "$$", kDelimiter);
  return end == text.npos || end == kDelimiter ? 0 : end + kDelimiter;
}

}  // namespace skord
