#include "text/json.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <stdexcept>

#include "text/unicode.hpp"

namespace skord {

namespace {

class JsonReader {
 public:
  JsonReader(std::string_view text, size_t most_nested) : text_(text), left_(most_nested) {}

  Json read() {
    Json result = value();
    skip_blanks();
    if (at_ != text_.size()) refuse();
    return result;
  }

 private:
  [[noreturn]] void refuse() const {
    throw std::invalid_argument("no JSON at byte " + std::to_string(at_));
  }

  void skip_blanks() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != text_.npos) ++at_;
  }

  char next() {
    skip_blanks();
    if (at_ == text_.size()) refuse();
    return text_[at_];
  }

  bool take(char sign) {
    if (next() != sign) return false;
    ++at_;
    return true;
  }

  void must_take(char sign) {
    if (!take(sign)) refuse();
  }

  Json value() {  // calls itself at most as often as may be nested
    switch (next()) {
      case '{':
      case '[':
        return held();
      case '"': {
        Json result;
        result.kind = Json::Kind::string;
        result.string = string();
        return result;
      }
      case 't':
        return word("true", Json::Kind::boolean, 1);
      case 'f':
        return word("false", Json::Kind::boolean, 0);
      case 'n':
        return word("null", Json::Kind::null, 0);
      default:
        return number();
    }
  }

  Json held() {
    if (left_ == 0) throw TooDeep();
    --left_;
    Json result = text_[at_] == '{' ? object() : array();
    ++left_;
    return result;
  }

  Json object() {
    Json result;
    result.kind = Json::Kind::object;
    must_take('{');
    if (take('}')) return result;
    do {
      if (next() != '"') refuse();
      std::string name = string();
      must_take(':');
      result.members.emplace_back(std::move(name), value());
    } while (take(','));
    must_take('}');
    return result;
  }

  Json array() {
    Json result;
    result.kind = Json::Kind::array;
    must_take('[');
    if (take(']')) return result;
    do {
      result.items.push_back(value());
    } while (take(','));
    must_take(']');
    return result;
  }

  Json word(std::string_view name, Json::Kind kind, double number) {
    if (text_.substr(at_, name.size()) != name) refuse();
    at_ += name.size();
    Json result;
    result.kind = kind;
    result.number = number;
    return result;
  }

  Json number() {
    // More than RFC 8259 allows is taken, such as "+1" and "01"; words such as "inf" are not.
    const size_t end = std::min(text_.find_first_not_of("+-.0123456789eE", at_), text_.size());
    const std::string digits(text_.substr(at_, end - at_));
    char *rest = nullptr;
    Json result;
    result.kind = Json::Kind::number;
    result.number = std::strtod(digits.c_str(), &rest);
    if (digits.empty() || *rest != '\0' || !std::isfinite(result.number)) refuse();
    at_ = end;
    return result;
  }

  std::string string() {
    std::string out;
    ++at_;  // the quote
    while (true) {
      const size_t end = text_.find_first_of("\"\\", at_);
      if (end == text_.npos) refuse();
      out.append(text_.substr(at_, end - at_));
      at_ = end + 1;
      if (text_[end] == '"') return out;
      escape(out);
    }
  }

  void escape(std::string &out) {
    if (at_ == text_.size()) refuse();
    const char sign = text_[at_++];
    if (sign == 'u') return append_utf8(out, character());
    const size_t which = std::string_view("\"\\/bfnrt").find(sign);
    if (which == std::string_view::npos) refuse();
    out.push_back("\"\\/\b\f\n\r\t"[which]);
  }

  uint32_t character() {
    const uint32_t first = four_digits();
    if (first < 0xD800 || first > 0xDFFF) return first;
    if (first < 0xDC00 && text_.substr(at_, 2) == "\\u") {
      at_ += 2;
      const uint32_t second = four_digits();
      if (second >= 0xDC00 && second <= 0xDFFF) {
        // RFC 8259, section 7: beyond U+FFFF a character is written as two surrogates.
        return 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
      }
    }
    return 0xFFFD;  // half of a pair
  }

  uint32_t four_digits() {
    uint32_t code = 0;
    for (int digit = 0; digit < 4; ++digit, ++at_) {
      const char sign = at_ < text_.size() ? text_[at_] : '"';
      const size_t value = std::string_view("0123456789abcdefABCDEF").find(sign);
      if (value == std::string_view::npos) refuse();
      code = 16 * code + static_cast<uint32_t>(value < 16 ? value : value - 6);
    }
    return code;
  }

  std::string_view text_;
  size_t at_ = 0, left_;
};

const Json kNull;

}  // namespace

const Json &Json::operator[](size_t at) const { return at < items.size() ? items[at] : kNull; }

const Json &Json::operator[](std::string_view name) const {
  for (const auto &[key, value] : members) {
    if (key == name) return value;
  }
  return kNull;
}

Json json_of(std::string_view text, size_t most_nested) {
  return JsonReader(text, most_nested).read();
}

}  // namespace skord
