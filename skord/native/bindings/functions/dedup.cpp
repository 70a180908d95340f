// What Python calls to find near-duplicates, repeated lines, shared passages and evaluation items.

#include "bindings/functions.hpp"
#include "dedup/decisions.hpp"
#include "dedup/item_matches.hpp"
#include "dedup/keys.hpp"
#include "dedup/passages.hpp"
#include "dedup/repeated_lines.hpp"
#include "dedup/sketches.hpp"
#include "dedup/word_grams.hpp"

namespace skord {

PyMethodDef dedup_functions[] = {
    method<sketches, Threads::go_on>("sketches"),
    method<digests>("digests"),
    method<published_keys, Threads::go_on>("published_keys"),
    method<made<KeyScatter, size_t, size_t>>("key_scatter"),
    method<&KeyScatter::add>("scatter_keys"),
    method<&KeyScatter::take>("take_keys"),
    method<&KeyScatter::shared_keys, Threads::go_on>("shared_keys"),
    method<find_lines, Threads::go_on>("find_lines"),
    method<count_keys, Threads::go_on>("count_keys"),
    method<count_rows>("count_rows"),
    method<fill_rows>("fill_rows"),
    method<gather_signatures>("gather_signatures"),
    method<decide_greedily, Threads::go_on>("decide_greedily"),
    method<join_components, Threads::go_on>("join_components"),
    method<settle_components>("settle_components"),
    method<passage_anchors, Threads::go_on>("passage_anchors"),
    method<passage_prints, Threads::go_on>("passage_prints"),
    method<word_grams, Threads::go_on>("word_grams"),
    method<item_frequencies, Threads::go_on>("item_frequencies"),
    method<item_matches, Threads::go_on>("item_matches"),
    {}};

}  // namespace skord
