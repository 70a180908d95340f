// Memory for the nodes and strings of one page, let go of all at once.

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>
#include <utility>
#include <vector>

namespace skord::html {

class Arena {
 public:
  Arena() = default;
  Arena(const Arena &) = delete;
  Arena &operator=(const Arena &) = delete;
  // Blocks are kept for the next page: memory that the system has given anew is slow at first.
  ~Arena() {
    for (Block &block : blocks_) {
      if (block.size == kBlock && spare().size() < kMostSpare) spare().push_back(std::move(block.bytes));
    }
  }

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
    std::unique_ptr<char[]> bytes;
    if (size_ == kBlock && !spare().empty()) {
      bytes = std::move(spare().back());
      spare().pop_back();
    } else {
      bytes.reset(new char[size_]);  // aligned for any type, as operator new is
    }
    block_ = bytes.get();
    blocks_.push_back({std::move(bytes), size_});
    used_ = size;
    return block_;
  }

  struct Block {
    std::unique_ptr<char[]> bytes;
    size_t size;
  };

  static constexpr size_t kBlock = size_t(1) << 18;
  static constexpr size_t kMostSpare = 16;
  static std::vector<std::unique_ptr<char[]>> &spare() {
    thread_local std::vector<std::unique_ptr<char[]>> blocks;
    return blocks;
  }

  std::vector<Block> blocks_;
  char *block_ = nullptr;
  size_t used_ = 0, size_ = 0;
};

}  // namespace skord::html
