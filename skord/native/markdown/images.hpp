// Images in Markdown whose texts are looked at elsewhere: `skord.models.line_classifier.features.words.IMAGE`.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace skord {

// The end of an image that begins with the `![` at `start`; 0 if it is none. Its description
// holds no brackets but after a backslash, its address no parentheses but pairs.
size_t end_of_image(std::string_view text, size_t start);

// A text with a blank in place of each image.
std::string with_blank_images(std::string_view line);

// The characters of a text, "![]" in place of each image.
std::vector<uint32_t> characters_without_images(std::string_view text);

}  // namespace skord
