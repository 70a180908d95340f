// JSON (RFC 8259) as a tree, for documents of a program of our own choosing.

#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace skord {

struct Json {
  enum class Kind { null, boolean, number, string, array, object };
  Kind kind = Kind::null;
  double number = 0;  // also of a boolean
  std::string string;
  std::vector<Json> items;                            // of an array
  std::vector<std::pair<std::string, Json>> members;  // of an object

  // What stands at a place or under a name; null where nothing does.
  const Json &operator[](size_t at) const;
  const Json &operator[](std::string_view name) const;
};

// What a text holds is deeper than was asked for.
struct TooDeep {};

// Throws std::invalid_argument where the text is no JSON, TooDeep where more arrays and objects
// than `most_nested` stand in one another.
Json json_of(std::string_view text, size_t most_nested);

}  // namespace skord
