// Addresses as seen from a page, as Python's `urllib.parse.urljoin` (3.11) joins them.

#pragma once

#include <string>
#include <string_view>

namespace skord::pandoc_dialect {

// RFC 3986, section 5. `base` is an absolute address; `address` as it is where it cannot be joined.
std::string url_joined(std::string_view base, std::string_view address);

}  // namespace skord::pandoc_dialect
