// What a walk over a page's tree writes down. See page.hpp.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "letters.hpp"
#include "page.hpp"
#include "tree.hpp"

namespace skord::html {

// A page's markup for the converters: `clean_html` of skord/html/cleaning.py says what stays.
class CleanMarkup {
 public:
  explicit CleanMarkup(bool marks_links) : marks_links_(marks_links) {}

  void start(const Node *node);
  void end(const Node *node);
  void text(std::string_view text);
  void broken_tag(std::string_view tag);
  std::string finished(std::string_view base);

 private:
  void add_name(std::string_view opening, std::string_view name);
  void add_image(const Node *node);
  void add_attributes(const Node *node, std::string_view name);
  void end_link();
  std::string_view end_of_list(std::string_view name);

  bool marks_links_;
  std::string out_;
  size_t link_ = std::string::npos;       // where a link began that holds only text so far
  size_t link_end_ = std::string::npos;   // where the last link ended
  std::vector<std::pair<size_t, bool>> lists_;  // open ones: where each began, whether it has items
};

// A page's elements and words, for line context.
class WordReader {
 public:
  explicit WordReader(PageWords &words) : words_(words) {}

  void start(const Node *node);
  void end(const Node *node);
  void text(std::string_view text);
  void pause() { take_text(); }  // at what parts two texts without being an element

 private:
  void take_text();
  int32_t owner() const { return open_.empty() ? -1 : open_.back().second; }

  PageWords &words_;
  std::vector<std::pair<std::string_view, int32_t>> open_;
  bool in_link_ = false;
  int controls_ = 0;        // that are open
  std::string_view first_;  // the text since the last tag: this alone,
  std::string more_;        // or this, if it is of several pieces
};

// Adds an element as `line_context` writes it: "div .a .b #c @role !hidden".
void add_described(std::string &out, const Node *node);

// A start tag as it would be written again, its values escaped or as they are.
std::string start_tag(const Node *node, bool is_escaped);

// An attribute's value as it stands in cleaned markup.
std::string escaped_value(const Node *node, std::string_view name);
void add_visible(std::string &out, std::string_view text, bool in_value);

// Adds a text with one blank for each run of spaces.
void add_folded(std::string &out, std::string_view text);

}  // namespace skord::html
