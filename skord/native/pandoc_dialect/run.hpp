// A run of text under way: words, styles, links and images up to the next block.
//
// A style or link ends where a block begins in it, as pandoc ends it.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "pandoc_dialect/inlines.hpp"
#include "pandoc_dialect/tags.hpp"

namespace skord::pandoc_dialect {

class Run {
 public:
  // Open at once: each is written inside the one around it.
  static constexpr size_t kMostStyles = 100;

  // Whether nothing has begun, so that a blank would be at its start.
  bool is_empty() const { return pieces_.empty() && open_.empty(); }

  void text(std::string_view text);  // blanks are folded already
  void line_break();
  void image(Inline image);  // in code it is nothing
  void formula(std::string text);  // what is written as it is

  // Begins a style or a link; within code there are none. Throws Decline.
  void open(Tag tag, bool has_attributes);
  // Ends a style, unless a block in it has ended it already.
  void close(Tag tag);

  // Ends the run, styles and all; its text, with the blanks around it if it is `whole`.
  Inlines take(bool whole = false);

 private:
  struct Open {
    Tag tag;
    bool is_link;
    Style style;
    Inlines outer;  // the pieces before it
  };

  void close_innermost();

  Inlines pieces_;
  std::vector<Open> open_;
  bool in_code_ = false;
  std::string code_;
  size_t quotes_ = 0;
};

}  // namespace skord::pandoc_dialect
