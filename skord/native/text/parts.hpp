// Parts of texts: how they begin and end, and what stands between signs.

#pragma once

#include <algorithm>
#include <iterator>
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
  return std::find(std::begin(list), std::end(list), value) != std::end(list);
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

}  // namespace skord
