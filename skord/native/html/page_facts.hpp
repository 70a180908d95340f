// What a page says of itself to machines, in its head and in schema.org's terms.

#pragma once

#include <string>
#include <string_view>

#include "tree.hpp"

namespace skord::html {

struct PageFacts {
  std::string names;    // "~og-article ~ld-product", each once, in the page's order
  std::string address;  // the page's own, by its canonical link or its OpenGraph; "" for none
};

PageFacts facts_of(const Tree &tree);

bool is_web_address(std::string_view text);

}  // namespace skord::html
