#include "tags.hpp"

#include <cstring>

namespace skord::html {

namespace {

constexpr size_t kSlots = 1024;

// Length and first eight letters tell nearly all names apart.
size_t slot_of(std::string_view name) {
  uint64_t head = 0;
  if (name.size() >= 8) std::memcpy(&head, name.data(), 8);  // by one load, as no call of unknown size is
  else for (size_t at = 0; at < name.size(); ++at) head |= uint64_t(static_cast<uint8_t>(name[at])) << (8 * at);
  // Fibonacci hashing: the high bits of the product by 2^64 / golden ratio depend on all bits.
  return static_cast<size_t>(((head + name.size()) * 0x9E3779B97F4A7C15u) >> 54);
}

struct Slots {
  Tag tags[kSlots] = {};

  Slots() {
    for (size_t at = 1; at < kTags.size(); ++at) {
      size_t slot = slot_of(kTags[at].name);
      while (tags[slot] != Tag::unknown) slot = (slot + 1) % kSlots;
      tags[slot] = static_cast<Tag>(at);
    }
  }
};

}  // namespace

Tag tag_of(std::string_view name) {
  static const Slots slots;
  for (size_t slot = slot_of(name);; slot = (slot + 1) % kSlots) {
    const Tag tag = slots.tags[slot];
    if (tag == Tag::unknown || facts_of(tag).name == name) return tag;
  }
}

}  // namespace skord::html
