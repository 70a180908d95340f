// An open hash table that is used again and again without being cleared: a slot is free unless it
// bears the stamp of the present use.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace skord {

class HashSlots {
 public:
  struct Slot {
    uint64_t key;
    uint32_t stamp, count;
  };

  // Begins anew, with room for `size` keys and as many free slots.
  void begin(size_t size) {
    size_t slots = 16;
    while (slots < 2 * size) slots *= 2;
    // A stamp that came around would find what was written four billion uses ago.
    if (slots > slots_.size() || stamp_ == UINT32_MAX) {
      slots_.assign(slots > slots_.size() ? slots : slots_.size(), Slot{});
      stamp_ = 0;
    }
    mask_ = slots - 1;
    ++stamp_;
  }

  // The slot of a key, whose count is 0 where it is new.
  Slot &operator[](uint64_t key) {
    size_t at = ((key ^ key >> 32) * kMix >> 32) & mask_;
    while (slots_[at].stamp == stamp_ && slots_[at].key != key) at = (at + 1) & mask_;
    Slot &slot = slots_[at];
    if (slot.stamp != stamp_) slot = {key, stamp_, 0};
    return slot;
  }

  // Where a slot lies, as long as no other use begins.
  uint32_t place_of(const Slot &slot) const { return uint32_t(&slot - slots_.data()); }
  Slot &at(uint32_t place) { return slots_[place]; }

  // Whether the key is there already; it is afterwards.
  bool seen(uint64_t key) { return (*this)[key].count++ > 0; }

 private:
  static constexpr uint64_t kMix = 0xD6E8FEB86659FD93;
  std::vector<Slot> slots_;
  size_t mask_ = 0;
  uint32_t stamp_ = 0;
};

}  // namespace skord
