// What a newer pandoc read, as the blocks that version 2.9.2.1 would have read.
//
// A newer pandoc gives its document as JSON (`pandoc-types` 1.23). Its reader knows figures, cells
// that span others and heads of many rows; the older one did not, and its writer decides the
// dialect. So these become what they were to it, and the writer here writes the rest.

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace skord::pandoc_dialect {

// The Markdown of a document in JSON; none if it is too deep for any reader.
// Throws std::invalid_argument where it is no JSON.
std::optional<std::string> markdown_of_document(std::string_view document);

}  // namespace skord::pandoc_dialect
