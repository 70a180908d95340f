// The lines of a page's Markdown in their plain form: `skord.markdown.plain_lines`.

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace skord {

// As many lines as there are, each in its plain form. Bytes are UTF-8, surrogates perhaps.
std::vector<std::string> plain_page(std::string_view markdown);

// A line of a table in HTML without its tags.
std::string without_tags(std::string_view text);

}  // namespace skord
