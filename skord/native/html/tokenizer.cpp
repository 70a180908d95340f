#include "tokenizer.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "html/letters.hpp"
#include "references.hpp"

namespace skord::html {

namespace {

constexpr size_t kMostAttributes = 20'000;
constexpr size_t kFewAttributes = 16;  // compared one by one

bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool ends_name(char c) { return is_space(c) || c == '/' || c == '>'; }

// What each byte says of the name that it stands in.
struct NameSigns {
  static constexpr uint8_t kCapital = 1, kOdd = 2, kEnd = 4, kEquals = 8;
  uint8_t of[256] = {};
  constexpr NameSigns() {
    for (int byte = 0; byte < 256; ++byte) {
      if (byte >= 'A' && byte <= 'Z') of[byte] = kCapital;
      if (byte <= ' ' || byte >= 0x7F || byte == '=') of[byte] = kOdd;
      if (byte == '=') of[byte] |= kEquals;
      if (ends_name(static_cast<char>(byte))) of[byte] |= kEnd;
    }
  }
};
constexpr NameSigns kNameSigns;

bool is_of_target(char c) { return is_ascii_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-'; }

// Keeps the first of several attributes with one name (13.2.5.33).
void drop_doubles(std::vector<Attribute> &attributes) {
  const auto kept_end = [&](size_t at) { return attributes.begin() + static_cast<std::ptrdiff_t>(at); };
  // Nearly all tags have few; the sort below keeps one of thousands from taking their square.
  if (attributes.size() <= kFewAttributes) {
    uint32_t seen = 0;
    bool may_be_double = false;
    for (const Attribute &attribute : attributes) {
      const uint32_t bit = name_bit(attribute.name);
      may_be_double |= (seen & bit) != 0;
      seen |= bit;
    }
    if (!may_be_double) return;
    size_t kept = 0;
    for (const Attribute &attribute : attributes) {
      const bool is_new = std::none_of(
          attributes.begin(), kept_end(kept),
          [&](const Attribute &other) { return other.name == attribute.name; });
      if (is_new) attributes[kept++] = attribute;
    }
    return attributes.resize(kept);
  }
  std::vector<size_t> order(attributes.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return attributes[a].name < attributes[b].name; });
  std::vector<bool> is_double(attributes.size());
  for (size_t at = 1; at < order.size(); ++at) {
    is_double[order[at]] = attributes[order[at]].name == attributes[order[at - 1]].name;
  }
  size_t kept = 0;
  for (size_t at = 0; at < attributes.size(); ++at) {
    if (!is_double[at]) attributes[kept++] = attributes[at];
  }
  attributes.resize(kept);
}

}  // namespace

std::string_view with_line_feeds(std::string_view source, Arena &arena) {
  // WHATWG HTML 13.2.3.5, "preprocessing the input stream": CR LF and CR alone become LF.
  if (source.find('\r') == source.npos) return source;
  char *out = arena.take(source.size()), *end = out;
  for (size_t done = 0; done < source.size();) {
    const size_t at = std::min(source.find('\r', done), source.size());
    end = std::copy(source.data() + done, source.data() + at, end);
    if (at < source.size() && source.substr(at + 1, 1) != "\n") *end++ = '\n';
    done = at + 1;
  }
  return {out, static_cast<size_t>(end - out)};
}

Tokenizer::Tokenizer(std::string_view source, Arena &arena)
    : arena_(arena),
      source_(with_line_feeds(source, arena)),
      has_nul_(source.find('\0') != source.npos) {}

void Tokenizer::read_content_of(std::string_view name, Content content) {
  content_ = content;
  content_name_ = name;
}

void Tokenizer::next(Token &token, bool in_foreign) {
  while (true) {
    token.start = at_;
    if (at_end()) {
      token.kind = Token::Kind::eof;
      break;
    }
    if (content_ != Content::markup) {
      read_raw(token);
      // An element without content has no token of text: its end tag comes next.
      if (at_ > token.start) break;
    } else if (!is_markup_at(at_)) {
      read_text(token);
      break;
    } else if (read_markup(token, in_foreign)) {
      break;
    }
  }
  token.end = at_;
}

void Tokenizer::set_text(Token &token, Token::Kind kind, std::string_view text) {
  token.is_instruction = false;
  token.kind = kind;
  token.text = text;
}

// Whether a `<` begins anything but text (13.2.5.6).
bool Tokenizer::is_markup_at(size_t at) const {
  if (source_[at] != '<') return false;
  const char c = peek(at + 1);
  return is_ascii_letter(c) || c == '!' || c == '?' || (c == '/' && at + 2 < source_.size());
}

void Tokenizer::read_text(Token &token) {
  const size_t start = at_;
  do {
    at_ = std::min(source_.find('<', at_ + 1), source_.size());
  } while (!at_end() && !is_markup_at(at_));
  set_text(token, Token::Kind::text, decoded(source_.substr(start, at_ - start), false));
}

// Behind a `<`; false where the markup says nothing, such as `</>` or a tag that the page's end
// cuts off.
bool Tokenizer::read_markup(Token &token, bool in_foreign) {
  const char c = peek(++at_);
  if (is_ascii_letter(c)) return read_tag(token, false);
  if (c == '!') return read_declaration(token, in_foreign);
  if (c == '?') return read_instruction(token);
  ++at_;  // the slash of an end tag
  if (is_ascii_letter(here())) return read_tag(token, true);
  if (here() == '>') return ++at_, false;
  return read_bogus_comment(token, at_), true;
}

// 13.2.5.8 and 13.2.5.32 to 40.
bool Tokenizer::read_tag(Token &token, bool is_end) {
  token.has_odd_name = false;
  const std::string_view name = read_name(at_, NameSigns::kEnd, token.has_odd_name);
  token.attributes.clear();
  token.self_closing = false;
  while (true) {
    pass_spaces();
    if (at_end()) return false;
    if (here() == '>') break;
    if (here() == '/') {
      ++at_;
      if (at_end()) return false;
      token.self_closing = here() == '>';
    } else if (!read_attribute(token)) {
      return false;
    }
  }
  ++at_;
  drop_doubles(token.attributes);
  token.kind = is_end ? Token::Kind::end : Token::Kind::start;
  token.tag = tag_of(name);
  token.text = name;
  return true;
}

bool Tokenizer::read_attribute(Token &token) {
  // A `=` at the beginning belongs to the name.
  Attribute attribute{read_name(at_ + 1, NameSigns::kEnd | NameSigns::kEquals, token.has_odd_name), {}};
  pass_spaces();
  if (!at_end() && here() == '=') {
    ++at_;
    pass_spaces();
    if (at_end()) return false;
    if (here() != '>') attribute.value = read_value();
  }
  if (token.attributes.size() == kMostAttributes) {
    throw Refused(Refusal::too_large, "more than 20000 attributes in one tag");
  }
  token.attributes.push_back(attribute);
  return !at_end();
}

// 13.2.5.36 to 38
std::string_view Tokenizer::read_value() {
  const char quote = here();
  const bool is_quoted = quote == '"' || quote == '\'';
  const size_t start = at_ + is_quoted;
  if (is_quoted) {
    at_ = std::min(source_.find(quote, start), source_.size());
  } else {
    while (!at_end() && !is_space(here()) && here() != '>') ++at_;
  }
  const std::string_view value = source_.substr(start, at_ - start);
  if (is_quoted && !at_end()) ++at_;
  return without_nul(decoded(value, true));
}

// 13.2.5.42
bool Tokenizer::read_declaration(Token &token, bool in_foreign) {
  const std::string_view rest = source_.substr(++at_);
  if (rest.substr(0, 2) == "--") return at_ += 2, read_comment(token), true;
  if (is_lowered(rest.substr(0, 7), "doctype")) return at_ += 7, read_doctype(token), true;
  if (in_foreign && rest.substr(0, 7) == "[CDATA[") {
    at_ += 7;
    read_cdata(token);
    return !token.text.empty();
  }
  return read_bogus_comment(token, at_), true;
}

// `<?target data?>` or `<?target data>` ("processing instruction" states, as of 2026); `<?xml …>`
// is a comment, as is what has no proper target.
bool Tokenizer::read_instruction(Token &token) {
  size_t end = at_ + 1;
  if (is_ascii_letter(peek(end)) || peek(end) == '_') {
    while (is_of_target(peek(end))) ++end;
  }
  const std::string_view target = source_.substr(at_ + 1, end - at_ - 1);
  const char next = peek(end);
  const bool is_cut = end >= source_.size();
  if (target.empty() || (!is_cut && !is_space(next) && next != '?' && next != '>') ||
      is_lowered(target, "xml") || is_lowered(target, "xml-stylesheet")) {
    return read_bogus_comment(token, at_), true;
  }
  at_ = end;
  pass_spaces();
  const size_t start = at_;
  at_ = std::min(source_.find('>', at_), source_.size());
  if (at_end()) return false;
  const size_t data_end = at_ > start && source_[at_ - 1] == '?' ? at_ - 1 : at_;
  const std::string said =
      std::string(target) + " " + std::string(source_.substr(start, data_end - start));
  set_text(token, Token::Kind::comment, without_nul(arena_.keep(said)));
  token.is_instruction = true;
  return ++at_, true;
}

void Tokenizer::read_bogus_comment(Token &token, size_t start) {
  at_ = std::min(source_.find('>', start), source_.size());
  set_text(token, Token::Kind::comment, without_nul(source_.substr(start, at_ - start)));
  if (!at_end()) ++at_;
}

// 13.2.5.43 to 52: up to `-->` or `--!>`; `<!-->` and `<!--->` are whole.
void Tokenizer::read_comment(Token &token) {
  const size_t start = at_;
  const auto set = [&](size_t end, size_t next) {
    set_text(token, Token::Kind::comment, without_nul(source_.substr(start, end - start)));
    at_ = next;
  };
  if (peek(start) == '>') return set(start, start + 1);
  if (peek(start) == '-' && peek(start + 1) == '>') return set(start, start + 2);
  for (size_t at = start; (at = source_.find("--", at)) != source_.npos;) {
    // Of a longer run of dashes the last two end the comment, the others belong to it.
    at = std::min(source_.find_first_not_of('-', at), source_.size());
    if (peek(at) == '>') return set(at - 2, at + 1);
    if (peek(at) == '!' && peek(at + 1) == '>') return set(at - 2, at + 2);
    // At the page's end, dashes that might have ended it are not part of it (13.2.5.50 to 52).
    const bool is_cut = at == source_.size() || (peek(at) == '!' && at + 1 == source_.size());
    if (is_cut) return set(at - 2, source_.size());
  }
  const bool has_dash = source_.size() > start && source_.back() == '-';
  set(source_.size() - has_dash, source_.size());
}

// 13.2.5.53 to 68: all of it ends with the first `>`.
void Tokenizer::read_doctype(Token &token) {
  pass_spaces();
  const size_t start = at_;
  at_ = std::min(source_.find('>', start), source_.size());
  const std::string_view text = source_.substr(start, at_ - start);
  const size_t size = std::min(text.find_first_of(" \t\n\f\r"), text.size());
  set_text(token, Token::Kind::doctype, name_between(start, start + size));
  token.is_quirky = at_end() || asks_for_quirks(text.substr(0, size), text.substr(size));
  if (!at_end()) ++at_;
}

void Tokenizer::read_cdata(Token &token) {
  const size_t start = at_;
  at_ = std::min(source_.find("]]>", start), source_.size());
  set_text(token, Token::Kind::text, source_.substr(start, at_ - start));
  if (!at_end()) at_ += 3;
}

// What an element other than markup holds, up to its end tag (13.2.5.2 to 31).
void Tokenizer::read_raw(Token &token) {
  const size_t start = at_;
  if (content_ == Content::plaintext) {
    at_ = source_.size();
  } else {
    at_ = content_ == Content::script ? end_of_script() : end_of_raw();
  }
  const std::string_view text = source_.substr(start, at_ - start);
  set_text(token, Token::Kind::text,
           without_nul(content_ == Content::rcdata ? decoded(text, false) : text));
  content_ = Content::markup;
}

size_t Tokenizer::end_of_raw() const {
  size_t at = at_;
  while ((at = source_.find("</", at)) != source_.npos && !ends_content_at(at)) at += 2;
  return std::min(at, source_.size());
}

// Whether the end tag that ends the content begins here.
bool Tokenizer::ends_content_at(size_t at) const {
  const size_t size = content_name_.size();
  return peek(at + 1) == '/' && at + 2 + size < source_.size() && ends_name(peek(at + 2 + size)) &&
         is_lowered(source_.substr(at + 2, size), content_name_);
}

// 13.2.5.15 to 31: in `<!--` … `-->`, a `<script>` hides the next `</script>`.
size_t Tokenizer::end_of_script() const {
  size_t comment_end = 0;  // up to here all is in `<!--` … `-->`
  bool is_hidden = false;
  for (size_t at = at_; (at = source_.find('<', at)) != source_.npos; ++at) {
    if (at >= comment_end) is_hidden = false;
    if (ends_content_at(at)) {
      if (!is_hidden) return at;
      is_hidden = false;
    } else if (at < comment_end) {
      is_hidden |= ends_name(peek(at + 7)) && is_lowered(source_.substr(at + 1, 6), "script");
    } else if (source_.compare(at, 4, "<!--") == 0) {
      // From behind "<!", for the dashes that begin it may also end it: `<!-->`.
      comment_end = std::min(source_.find("-->", at + 2), source_.size());
    }
  }
  return source_.size();
}

// The name that begins here, from some place on up to a byte with such a sign.
std::string_view Tokenizer::read_name(size_t from, uint8_t end_signs, bool &is_odd) {
  const size_t start = at_;
  uint8_t signs = 0;
  for (; at_ < source_.size(); ++at_) {
    const uint8_t of_byte = kNameSigns.of[static_cast<uint8_t>(here())];
    if (at_ >= from && of_byte & end_signs) break;
    signs |= of_byte;
  }
  is_odd |= (signs & NameSigns::kOdd) != 0;
  const std::string_view name = source_.substr(start, at_ - start);
  return signs & NameSigns::kCapital ? name_between(start, at_) : without_nul(name);
}

// A name in lower case, U+0000 in it replaced (13.2.5.8 and 33).
std::string_view Tokenizer::name_between(size_t start, size_t end) {
  const std::string_view name = source_.substr(start, end - start);
  if (std::none_of(name.begin(), name.end(), is_capital)) return without_nul(name);
  char *out = arena_.take(name.size());
  std::transform(name.begin(), name.end(), out, [](char c) { return lowered(c); });
  return without_nul({out, name.size()});
}

std::string_view Tokenizer::without_nul(std::string_view text) {
  return has_nul_ ? with_replaced_nul(text, arena_) : text;
}

std::string_view Tokenizer::decoded(std::string_view text, bool in_value) {
  if (text.find('&') == text.npos) return text;
  char *out = arena_.take(room_without_references(text.size()));
  char *end = decode_references(text, in_value, out);
  arena_.shrink(end);
  return {out, static_cast<size_t>(end - out)};
}

std::string_view with_replaced_nul(std::string_view text, Arena &arena) {
  if (text.find('\0') == text.npos) return text;
  return arena.keep(with_replaced(text, {"", 1}, "\xEF\xBF\xBD"));
}

}  // namespace skord::html
