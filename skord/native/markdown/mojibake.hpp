// Which lines of a text may hold mojibake.

#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace skord {

// Numbers of the lines, as "\n" parts them, that `skord.markdown.mojibake.repair_mojibake` may
// change; all others it leaves as they are. Bytes are UTF-8, surrogates perhaps.
std::vector<size_t> doubtful_lines(std::string_view text);

}  // namespace skord
