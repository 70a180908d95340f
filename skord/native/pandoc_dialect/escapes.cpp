#include "pandoc_dialect/escapes.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "pandoc_dialect/convert.hpp"
#include "text/parts.hpp"
#include "text/unicode.hpp"

namespace skord::pandoc_dialect {

namespace {

constexpr std::string_view kMarkStart = "\xEF\xB7";  // and then one of 90, 91, 92

bool is_mark(std::string_view text) {
  return text.size() >= kMarkSize && starts_with(text, kMarkStart) && text[2] >= '\x90' &&
         text[2] <= '\x92';
}

using Signs = std::array<bool, 256>;

constexpr Signs signs_of(std::string_view list) {
  Signs signs{};
  for (const char sign : list) signs[static_cast<uint8_t>(sign)] = true;
  return signs;
}

constexpr Signs kSpecial = signs_of("\\`*_[]#<>~!&");

bool holds(const Signs &signs, char sign) { return signs[static_cast<uint8_t>(sign)]; }

// Where a backslash belongs if a text, escaped, could be read as the start of a list; else npos.
size_t place_of_list_mark(std::string_view text) {
  size_t at = size_of_marks(text);
  if (at == text.size()) return text.npos;
  if (text[at] == '-' || text[at] == '+' || text[at] == '=') return at;
  const size_t digits = at;
  while (at < text.size() && is_ascii_digit(text[at])) ++at;
  if (at == digits) return text.npos;
  at += size_of_marks(text.substr(at));
  if (at == text.size() || (text[at] != '.' && text[at] != ')')) return text.npos;
  const std::string_view rest = text.substr(at + 1);
  const std::string_view after = rest.substr(size_of_marks(rest));
  return after.empty() || after[0] == ' ' || after == "\n" ? at : text.npos;
}

void append_with_backslashes(std::string &out, std::string_view text) {
  size_t done = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    if (!holds(kSpecial, text[at])) continue;
    if (text[at] == '&' && !(at + 1 < text.size() && is_ascii_letter(text[at + 1]))) continue;
    out.append(text.substr(done, at - done)).push_back('\\');
    done = at;
  }
  out.append(text.substr(done));
}

std::set<size_t> runs_of_backticks(std::string_view text) {
  std::set<size_t> lengths;
  for (size_t at = text.find('`'); at != text.npos; at = text.find('`', at)) {
    const size_t end = std::min(text.find_first_not_of('`', at), text.size());
    lengths.insert(end - at);
    at = end;
  }
  return lengths;
}

struct ScriptSign {
  std::string_view text, raised, lowered;  // "" where Unicode has none
};

// What Unicode raises and lowers without making it look like another letter; dashes are minus signs.
constexpr ScriptSign kScriptSigns[] = {
    {"0", "⁰", "₀"}, {"1", "¹", "₁"}, {"2", "²", "₂"}, {"3", "³", "₃"}, {"4", "⁴", "₄"},
    {"5", "⁵", "₅"}, {"6", "⁶", "₆"}, {"7", "⁷", "₇"}, {"8", "⁸", "₈"}, {"9", "⁹", "₉"},
    {"+", "⁺", "₊"}, {"-", "⁻", "₋"}, {"−", "⁻", "₋"}, {"–", "⁻", "₋"}, {"‐", "⁻", "₋"},
    {"‑", "⁻", "₋"}, {"=", "⁼", "₌"}, {"(", "⁽", "₍"}, {")", "⁾", "₎"}, {"n", "ⁿ", "ₙ"},
    {"i", "ⁱ", "ᵢ"}, {"a", "", "ₐ"},  {"e", "", "ₑ"},  {"h", "", "ₕ"},  {"j", "", "ⱼ"},
    {"k", "", "ₖ"},  {"l", "", "ₗ"},  {"m", "", "ₘ"},  {"o", "", "ₒ"},  {"p", "", "ₚ"},
    {"r", "", "ᵣ"},  {"s", "", "ₛ"},  {"t", "", "ₜ"},  {"u", "", "ᵤ"},  {"v", "", "ᵥ"},
    {"x", "", "ₓ"},
};

// Percent-encodes what no address may hold (RFC 3986, section 2.1).
std::string safe(std::string_view source) {
  constexpr char kHex[] = "0123456789ABCDEF";
  static constexpr Signs kUnsafe = signs_of("\"<>[]^`{|}\x7f");
  std::string out;
  out.reserve(source.size());
  for (size_t at = 0; at < source.size(); ++at) {
    const auto byte = static_cast<uint8_t>(source[at]);
    if (byte <= ' ' || holds(kUnsafe, source[at])) {
      out.append({'%', kHex[byte >> 4], kHex[byte & 15]});
    } else if (starts_with(source.substr(at), "\xC2\xA0")) {
      out.append("%C2%A0");
      ++at;
    } else {
      out.push_back(source[at]);
    }
  }
  return out;
}

// The last value of an attribute, as written; "" if there is none.
std::string_view last_value(std::string_view attributes, std::string_view name) {
  std::string_view value;
  while (!attributes.empty()) {  // each is ` name="value"`
    const size_t sign = attributes.find("=\"");
    const size_t end = attributes.find('"', sign + 2);
    if (attributes.substr(1, sign - 1) == name) {
      value = attributes.substr(sign + 2, end - sign - 2);
    }
    attributes.remove_prefix(end + 1);
  }
  return value;
}

std::string joined(std::string_view base, std::string source) {
  if (base.empty() || source.find(' ') != source.npos) return source;
  std::string joined = url_joined(base, source);
  if (!source.empty() && source.back() == '#') joined.push_back('#');
  return joined;
}

}  // namespace

size_t size_of_marks(std::string_view text) {
  size_t size = 0;
  while (is_mark(text.substr(size))) size += kMarkSize;
  return size;
}

size_t place_of_mark(std::string_view text, size_t at) {
  at = text.find(kMarkStart, at);
  while (at != text.npos && !is_mark(text.substr(at))) at = text.find(kMarkStart, at + 1);
  return at;
}

std::string without_marks(std::string_view text) {
  std::string out;
  size_t done = 0;
  for (size_t at = place_of_mark(text, 0); at != text.npos; at = place_of_mark(text, done)) {
    out.append(text.substr(done, at - done));
    done = at + kMarkSize;
  }
  return out.append(text.substr(done));
}

std::string marked_link(std::string_view text, std::string_view start) {
  const std::string_view inner = stripped(text);
  if (inner.empty()) return std::string(text);
  const auto before = static_cast<size_t>(inner.data() - text.data());
  std::string out(text.substr(0, before));
  out.append(start).append(inner).append(kLinkEnd);
  return out.append(text.substr(before + inner.size()));
}

void append_unescaped(std::string &out, std::string_view text) {
  static constexpr std::pair<std::string_view, std::string_view> kEntities[] = {
      {"&amp;", "&"}, {"&nbsp;", "\xC2\xA0"}, {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}};
  while (!text.empty()) {
    const size_t next = std::min(text.find('&'), text.size());
    out.append(text.substr(0, next));
    text.remove_prefix(next);
    if (text.empty()) break;
    const auto entity =
        std::find_if(std::begin(kEntities), std::end(kEntities),
                     [&](const auto &one) { return starts_with(text, one.first); });
    const bool is_known = entity != std::end(kEntities);
    out.append(is_known ? entity->second : "&");
    text.remove_prefix(is_known ? entity->first.size() : 1);
  }
}

std::string unescaped(std::string_view text) {
  std::string out;
  append_unescaped(out, text);
  return out;
}

void append_escaped(std::string &out, std::string_view text, bool is_start) {
  const size_t mark = is_start ? place_of_list_mark(text) : text.npos;
  if (mark == text.npos) return append_with_backslashes(out, text);
  append_with_backslashes(out, text.substr(0, mark));
  out.push_back('\\');
  append_with_backslashes(out, text.substr(mark));
}

std::string code_span(std::string_view text) {
  const std::set<size_t> runs = runs_of_backticks(text);
  // A run of backticks ends the span if it is as long as the one that began it (CommonMark 6.1), so
  // one of a length is taken that the text has not; readers take one blank off again at each end.
  size_t many = 1;
  while (runs.count(many) != 0) ++many;
  const std::string mark(many, '`');
  constexpr std::string_view kEdges = "` ";
  const std::string room = text.empty() || is_in(kEdges, text.front()) || is_in(kEdges, text.back()) ? " " : "";
  return mark + room + std::string(text) + room + mark;
}

std::string fence_of(std::string_view text) {
  // A fence is ended by any that is as long or longer (CommonMark 4.5).
  const std::set<size_t> runs = runs_of_backticks(text);
  return std::string(std::max<size_t>(3, runs.empty() ? 0 : *runs.rbegin() + 1), '`');
}

std::optional<std::string> script(std::string_view text, Style style) {
  std::string out;
  // Words that are raised or lowered, as in a name, are easier to read as they are.
  if (text.size() > 1 && std::all_of(text.begin(), text.end(), is_ascii_letter)) return std::nullopt;
  while (!text.empty()) {
    const size_t marks = size_of_marks(text);
    const auto sign = std::find_if(std::begin(kScriptSigns), std::end(kScriptSigns),
                                   [&](const ScriptSign &one) { return starts_with(text, one.text); });
    if (marks > 0 || text[0] == ' ') {
      out.append(text.substr(0, std::max<size_t>(marks, 1)));
      text.remove_prefix(std::max<size_t>(marks, 1));
      continue;
    }
    if (sign == std::end(kScriptSigns)) return std::nullopt;
    const std::string_view other = style == Style::superscript ? sign->raised : sign->lowered;
    if (other.empty()) return std::nullopt;
    out.append(other);
    text.remove_prefix(sign->text.size());
  }
  return out;
}

Inline image_of(std::string_view attributes, std::string_view base) {
  Inline image;
  image.kind = Kind::image;
  image.text = safe(joined(base, unescaped(last_value(attributes, "src"))));
  std::string said = unescaped(last_value(attributes, "alt"));
  const auto both_blank = [](char one, char other) { return one == ' ' && other == ' '; };
  said.erase(std::unique(said.begin(), said.end(), both_blank), said.end());
  if (said == "\n") {
    image.content.push_back(break_piece());
  } else if (!said.empty()) {
    image.content.push_back(text_piece(std::move(said)));
  }
  return image;
}

void append_address(std::string &out, std::string_view source) {
  for (const char sign : source) {
    if (sign == '\\' || sign == '(' || sign == ')') out.push_back('\\');
    out.push_back(sign);
  }
}

std::optional<std::string_view> value_after(std::string_view attributes, std::string_view start) {
  const size_t at = attributes.find(start);
  if (at == attributes.npos) return std::nullopt;
  const size_t first = at + start.size(), end = attributes.find('"', first);
  if (end == attributes.npos) return std::nullopt;
  return attributes.substr(first, end - first);
}

}  // namespace skord::pandoc_dialect
