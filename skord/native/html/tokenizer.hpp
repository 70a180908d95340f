// A page's source to tokens: WHATWG HTML 13.2.5, over a source that is wholly in memory.

#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "tree.hpp"

namespace skord::html {

struct Token {
  enum class Kind : uint8_t { text, start, end, comment, doctype, eof };
  Kind kind = Kind::eof;
  Tag tag = Tag::unknown;
  bool self_closing = false;
  bool is_instruction = false; // of a comment: it is a processing instruction
  bool has_odd_name = false;   // of a tag: as of `Node`
  bool is_quirky = false;      // of a doctype: it asks for quirks mode (13.2.6.4.1)
  std::string_view text;       // of a text or comment; the name of a tag or doctype
  std::vector<Attribute> attributes;
  size_t start = 0, end = 0;   // where it stands in the source
};

class Tokenizer {
 public:
  // What the content of an element is, other than markup (13.2.5.1 to 5).
  enum class Content : uint8_t { markup, rcdata, rawtext, script, plaintext };

  Tokenizer(std::string_view source, Arena &arena);

  // Reads the next token; `in_foreign` allows for CDATA sections.
  void next(Token &token, bool in_foreign);

  // What follows the start tag of an element that was just read.
  void read_content_of(std::string_view name, Content content);

 private:
  bool read_markup(Token &token, bool in_foreign);
  bool read_tag(Token &token, bool is_end);
  bool read_attribute(Token &token);
  std::string_view read_value();
  bool read_declaration(Token &token, bool in_foreign);
  void read_comment(Token &token);
  bool read_instruction(Token &token);
  void read_bogus_comment(Token &token, size_t start);
  void read_doctype(Token &token);
  void read_cdata(Token &token);
  void read_text(Token &token);
  void read_raw(Token &token);
  size_t end_of_raw() const;
  size_t end_of_script() const;
  bool ends_content_at(size_t at) const;
  bool is_markup_at(size_t at) const;

  bool at_end() const { return at_ >= source_.size(); }
  char here() const { return source_[at_]; }
  char peek(size_t at) const { return at < source_.size() ? source_[at] : '\0'; }
  void pass_spaces() {
    while (!at_end() && is_space(here())) ++at_;
  }
  void set_text(Token &token, Token::Kind kind, std::string_view text);
  std::string_view read_name(size_t from, uint8_t end_signs, bool &is_odd);
  std::string_view name_between(size_t start, size_t end);
  std::string_view without_nul(std::string_view text);
  std::string_view decoded(std::string_view text, bool in_value);

  Arena &arena_;
  std::string_view source_;
  size_t at_ = 0;
  bool has_nul_;
  Content content_ = Content::markup;
  std::string_view content_name_;
};

// A source with line ends as 13.2.3.5 wants them.
std::string_view with_line_feeds(std::string_view source, Arena &arena);

// Whether a doctype of this name, and with this behind it, asks for quirks mode (13.2.6.4.1).
bool asks_for_quirks(std::string_view name, std::string_view rest);

// A text with U+FFFD for each U+0000.
std::string_view with_replaced_nul(std::string_view text, Arena &arena);

}  // namespace skord::html
