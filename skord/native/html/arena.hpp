// Memory for the nodes and strings of one page, let go of all at once.

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>
#include <vector>

namespace skord::html {

class Arena {
 public:
  char *take(size_t size, size_t alignment = 1) {
    const size_t start = (used_ + alignment - 1) & ~(alignment - 1);
    if (start + size > size_) return take_from_new_block(size);
    used_ = start + size;
    return block_ + start;
  }

  template <class T>
  T *make(size_t count = 1) {  // only for what needs no destructor
    T *made = reinterpret_cast<T *>(take(count * sizeof(T), alignof(T)));
    for (size_t at = 0; at < count; ++at) new (made + at) T();
    return made;
  }

  // Gives back the end of what was taken last.
  void shrink(const char *end) { used_ = static_cast<size_t>(end - block_); }

  std::string_view keep(std::string_view text) {
    char *kept = take(text.size());
    if (!text.empty()) std::memcpy(kept, text.data(), text.size());
    return {kept, text.size()};
  }

 private:
  char *take_from_new_block(size_t size) {
    size_ = size > kBlock ? size : kBlock;
    blocks_.emplace_back(new char[size_]);  // aligned for any type, as operator new is
    block_ = blocks_.back().get();
    used_ = size;
    return block_;
  }

  static constexpr size_t kBlock = size_t(1) << 18;
  std::vector<std::unique_ptr<char[]>> blocks_;
  char *block_ = nullptr;
  size_t used_ = 0, size_ = 0;
};

}  // namespace skord::html
