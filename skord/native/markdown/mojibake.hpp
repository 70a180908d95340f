// Mojibake, as far as it is simple.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace skord {

struct PartlyMended {
  std::string text;
  std::vector<size_t> doubtful;
};

// What `ftfy.fix_text` (6.x, as it is set by default) makes of a text, but for the lines, as "\n"
// parts them, of which only it can tell: these stay, and their numbers are told. Bytes are UTF-8,
// surrogates perhaps.
PartlyMended partly_mended(std::string_view text);

}  // namespace skord
