// Parts of texts: how they begin and end, and what stands between signs.

#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace skord {

inline bool starts_with(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}
inline bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}
inline bool contains(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

// Whether a list has a value.
template <class List, class Value>
bool is_in(const List &list, const Value &value) {
  for (const auto &one : list) {  // which compilers unroll, as they do no std::find
    if (one == value) return true;
  }
  return false;
}

// Calls `take` with each part of a text between two of a sign, as Python's `str.split` parts it.
template <class Take>
void for_each_part(std::string_view text, char sign, Take take) {
  for (size_t start = 0; start <= text.size();) {
    const size_t end = std::min(text.find(sign, start), text.size());
    take(text.substr(start, end - start));
    start = end + 1;
  }
}

// A text with another in place of each of its parts that is so.
std::string with_replaced(std::string_view text, std::string_view part, std::string_view by);

// The first run of characters that are not blank, taken off `rest`; "" at the end: str.split.
std::string_view next_part(std::string_view &rest);

// All of them: `for (const std::string_view word : Words(text))`.
class Words {
 public:
  explicit Words(std::string_view text) : rest_(text) { ++*this; }
  Words &begin() { return *this; }
  Words end() const { return Words({}); }
  bool operator!=(const Words &) const { return !word_.empty(); }
  Words &operator++() {
    word_ = next_part(rest_);
    return *this;
  }
  std::string_view operator*() const { return word_; }

 private:
  std::string_view rest_, word_;
};

// The words of a text with one blank between each two.
std::string with_single_blanks(std::string_view text);

}  // namespace skord
