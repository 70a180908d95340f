// The fields of structs without constructors, in their order.

#pragma once

#include <cstddef>
#include <tuple>
#include <utility>

namespace skord {

// Stands for a value of any type.
struct Anything {
  template <class T>
  operator T() const;
};

template <class T, size_t... at, class = decltype(T{(void(at), Anything())...})>
constexpr bool has_fields(std::index_sequence<at...>, int) {
  return true;
}
template <class T, size_t... at>
constexpr bool has_fields(std::index_sequence<at...>, long) {
  return false;
}

// How many fields a struct has: the most values that it can be made of.
template <class T, size_t kMost = 10>
constexpr size_t num_fields() {
  if constexpr (has_fields<T>(std::make_index_sequence<kMost>(), 0)) {
    return kMost;
  } else {
    return num_fields<T, kMost - 1>();
  }
}

// References to the fields of a struct.
template <class T>
auto fields_of(T &value) {
  constexpr size_t kFields = num_fields<std::remove_const_t<T>>();
  static_assert(kFields > 1, "a struct of one field is no tuple");
#define SKORD_FIELDS(number, ...)           \
  if constexpr (kFields == number) {        \
    auto &[__VA_ARGS__] = value;            \
    return std::tie(__VA_ARGS__);           \
  }
  SKORD_FIELDS(2, a, b)
  SKORD_FIELDS(3, a, b, c)
  SKORD_FIELDS(4, a, b, c, d)
  SKORD_FIELDS(5, a, b, c, d, e)
  SKORD_FIELDS(6, a, b, c, d, e, f)
  SKORD_FIELDS(7, a, b, c, d, e, f, g)
  SKORD_FIELDS(8, a, b, c, d, e, f, g, h)
  SKORD_FIELDS(9, a, b, c, d, e, f, g, h, i)
  SKORD_FIELDS(10, a, b, c, d, e, f, g, h, i, j)
#undef SKORD_FIELDS
}

}  // namespace skord
