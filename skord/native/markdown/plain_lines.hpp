// The lines of a page's Markdown in their plain form: `skord.markdown.plain_lines`.

#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace skord {

// A text whose entities are the characters that HTML calls so.
using Unescape = std::function<std::string(std::string_view)>;

// As many lines as there are, each in its plain form. Bytes are UTF-8, surrogates perhaps.
// `unescape` is asked about entities that a writer of HTML has no need of.
std::vector<std::string> plain_page(std::string_view markdown, const Unescape &unescape);

// A line of a table in HTML without its tags.
std::string without_tags(std::string_view text);

}  // namespace skord
