// What the elements around a page's lines are called, as numbers.

#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace skord {

// What is read of elements, one after the other.
struct ElementNumbers {
  std::vector<int64_t> flags;   // of each element
  std::vector<int64_t> tokens;  // buckets of each element's words, ascending
  std::vector<int64_t> starts;  // where each element's tokens start, and the end
  std::vector<int64_t> alike;   // of each element the number of the first that is the same
  std::vector<int64_t> unread;  // numbers of these first ones that are not ASCII
  std::vector<uint8_t> kinds;   // of each element what it is to the text, as `NotedKind`
};

// Figures, their captions, notes by their names, and by their role.
enum NotedKind : uint8_t { kFigure = 1, kCaption = 2, kNamedNote = 4, kNoteByRole = 8 };

// Reads elements as `skord.models.line_classifier.features.dom.read_plainly` does, which says what is read.
class ElementReader {
 public:
  static constexpr size_t kSymbols = 30;

  // Throws std::invalid_argument where tags and families are more than 63, a family is not of the
  // few signs that are read here, or there are no buckets.
  ElementReader(const std::vector<std::string_view> &tags,
                const std::vector<std::string_view> &families, int64_t buckets);

  // One that is not ASCII has no flags and no tokens, and is numbered in `unread`.
  ElementNumbers read(const std::vector<std::string_view> &elements) const;

 private:
  // What must stand behind the letters of a part.
  enum class Behind : uint8_t { anything, word_end, hyphen };

  struct Part {
    int64_t flag;
    bool at_word_start;
    Behind behind;
  };

  // A place in the tree of all parts' letters.
  struct Node {
    std::array<uint16_t, kSymbols> next{};
    std::vector<Part> parts;  // that end here
  };

  void add_part(std::string_view pattern, int64_t flag);
  int64_t families(std::string_view lower) const;
  void read_one(std::string_view element, std::string &lower, ElementNumbers &result) const;
  void add_tokens(std::string_view name, std::string_view lower,
                  std::vector<int64_t> &tokens) const;

  std::map<std::string, int64_t, std::less<>> tags_;
  std::vector<Node> nodes_ = std::vector<Node>(1);
  uint32_t buckets_;
};

}  // namespace skord
