// The few tags of a page's source that can say what it may be used for.

#pragma once

#include <string_view>
#include <vector>

namespace skord::html {

// The source of every <meta> and <link>, and of every <script> with its content, that holds one
// of the words (ASCII, lower case) in its tag, in whatever case; in order. What stands in
// comments, in other scripts, styles, titles and text areas is no tag.
std::vector<std::string_view> signal_tags(std::string_view page,
                                          const std::vector<std::string_view> &words);

}  // namespace skord::html
