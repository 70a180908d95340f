// A record of a WET file as nearly all are: one gzip member, plain headers, a block in UTF-8.

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace skord {

// Values of headers without the space around them; empty where the header is absent or empty.
struct WetRecord {
  std::string_view type, url, date, languages, digest;
  std::string id, refers_to;  // in the form of `warc_values.canonical_record_id`
  std::string_view block;
};

// The record that `data` is; none where it is in any way unusual, so that Python, which knows what
// is wrong with it or how it may be read all the same, has to look.
std::optional<WetRecord> wet_record(std::string_view data);

}  // namespace skord
