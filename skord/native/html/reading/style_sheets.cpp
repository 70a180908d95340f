#include "html/reading/style_sheets.hpp"

#include <algorithm>

#include "html/reading/reshape.hpp"
#include "text/utf8.hpp"

namespace skord::html {

namespace {

constexpr int kImportant = 1'000'000, kId = 10'000, kClass = 100;  // weights of a rule
constexpr size_t kMostSteps = 2'000'000;  // behind these a page's sheets hide nothing more
constexpr std::string_view kCombinators = " >+~\n\t";

// The marks by which Vue, Angular, Astro and Svelte keep a selector to one component.
constexpr std::string_view kScopes[] = {"[data-v-", "[_ngcontent-", "[data-astro-cid-", ".svelte-"};

// A selector without such a mark, and without what is around the element there.
std::string_view without_scope(std::string_view selector) {
  for (const std::string_view mark : kScopes) {
    const size_t at = selector.rfind(mark);
    if (at == selector.npos || selector.find_first_of(" :>+~", at) != selector.npos) continue;
    selector = selector.substr(0, at);
    return selector.substr(selector.find_last_of(kCombinators) + 1);
  }
  return selector;
}

// The bytes that a sheet is cut at.
struct MayEnd {
  constexpr bool operator()(uint8_t byte) const { return (byte == '{') | (byte == '}') | (byte == '/'); }
};

bool is_name_char(char c) {
  return is_ascii_letter(c) || is_ascii_digit(c) || c == '-' || c == '_' || c == '\\' || (c & 0x80);
}

// Takes the first simple selector (`p`, `.a`, `#b`) off a compound one; "" where there is another thing.
std::string_view next_simple(std::string_view &rest) {
  size_t end = rest.empty() || (rest[0] != '.' && rest[0] != '#') ? 0 : 1;
  while (end < rest.size() && is_name_char(rest[end])) end += rest[end] == '\\' ? 2 : 1;
  end = std::min(end, rest.size());
  const std::string_view simple = rest.substr(0, end);
  rest.remove_prefix(end);
  return simple;
}

bool has_simple(const Node *node, std::string_view simple) {
  if (simple[0] == '.') return has_class(node, simple.substr(1));
  if (simple[0] == '#') return value_of(node, "id") == simple.substr(1);
  return node->text == simple;
}

bool is_screen(std::string_view media) {
  static constexpr std::string_view kScreens[] = {"", "all", "screen", "only screen"};
  return is_in(kScreens, lowered(stripped(media)));
}

}  // namespace

constexpr std::string_view kBlocks[] = {"block", "flex", "grid", "table", "list-item", "flow-root", "table-row"};
constexpr std::string_view kApart[] = {"inline-block", "inline-flex", "inline-grid", "table-cell", "inline-table"};
constexpr std::string_view kRows[] = {"flex", "grid", "inline-flex", "inline-grid"};
constexpr std::string_view kLined[] = {"pre-line", "pre-wrap", "pre", "break-spaces"};

bool is_drawn_as_block(std::string_view display) { return is_in(kBlocks, display); }
bool is_drawn_apart(std::string_view display) { return is_in(kApart, display); }
bool is_drawn_as_row(std::string_view display) { return is_in(kRows, display); }
bool keeps_lines(std::string_view space) { return is_in(kLined, space); }

StyleSheets::StyleSheets(Tree &tree) : tree_(tree) {
  if (!tree.has_any(Tag::style_)) return;
  for (Node *node = tree.document; node;) {
    const bool is_sheet = node->tag == Tag::style_;
    if (is_sheet && node->first) {
      const bool holds = node->parent->tag != Tag::noscript_ && is_screen(value_of(node, "media"));
      read(node->first->text, holds);
    }
    node = node_after(node, tree.document, !is_sheet);
  }
  if (hiding_names_.none()) return;
  for (uint32_t at = 0; at < rules_.size(); ++at) {
    std::string_view rest = rules_[at].compound;
    if (rules_[at].is_escaped) {
      by_name_[rest].push_back(at);
      continue;
    }
    for (std::string_view name = next_simple(rest); !name.empty(); name = next_simple(rest)) {
      const bool is_element_alone = name.size() == rules_[at].compound.size();
      if (name[0] == '.' || name[0] == '#' || is_element_alone) by_name_[name].push_back(at);
    }
  }
}

void StyleSheets::read(std::string_view sheet, bool always) {
  struct Block {
    std::string_view selectors;
    bool always;
  };
  std::vector<Block> open;
  size_t start = 0;
  for (size_t at = 0; (at = find_byte<MayEnd>(sheet, at)) < sheet.size(); ++at) {
    const std::string_view before = stripped(sheet.substr(start, at - start));
    if (sheet[at] == '/') {
      if (sheet.substr(at, 2) != "/*") continue;
      at = std::min(sheet.find("*/", at + 2), sheet.size() - 2) + 1;
      if (before.empty()) start = at + 1;
    } else if (sheet[at] == '{') {
      std::string_view selectors = stripped(before.substr(before.rfind(';') + 1));  // npos + 1 is 0
      if (starts_with(selectors, "<!--")) selectors = stripped(selectors.substr(4));
      bool holds = open.empty() ? always : open.back().always;
      if (starts_with(selectors, "@")) {
        std::string_view rest = selectors;
        const std::string name = lowered(next_part(rest));
        holds = holds && (name == "@layer" || name == "@supports" || (name == "@media" && is_screen(rest)));
      }
      open.push_back({selectors, holds});
      start = at + 1;
    } else if (sheet[at] == '}') {
      if (!open.empty()) {
        const Block block = open.back();
        open.pop_back();
        const bool is_rule = !starts_with(block.selectors, "@") && (open.empty() || starts_with(open.back().selectors, "@"));
        if (is_rule) take(block.selectors, before, block.always);
      }
      start = at + 1;
    }
  }
}

void StyleSheets::take(std::string_view selectors, std::string_view body, bool always) {
  if (!contains(body, "display") && !contains(body, "white-space") && !contains(body, "visibility")) return;
  std::string display, space, visibility;
  bool floats = false;  // beside the text that follows, as a large first letter is
  Rule rule;
  rule.always = always;
  for_each_part(body, ';', [&](std::string_view declaration) {
    const size_t colon = declaration.find(':');
    if (colon == declaration.npos) return;
    const std::string_view name = stripped(declaration.substr(0, colon));
    std::string_view value = stripped(declaration.substr(colon + 1));
    const size_t mark = value.find('!');
    value = stripped(value.substr(0, mark));
    const bool is_display = is_lowered(name, "display"), is_visibility = is_lowered(name, "visibility");
    if (is_display) display = lowered(value);
    if (is_visibility) visibility = lowered(value);
    if (is_lowered(name, "white-space")) space = lowered(value);
    if (is_lowered(name, "float")) floats = !is_lowered(value, "none");
    if (mark != value.npos && (is_display || is_visibility)) rule.weight = kImportant;
  });
  rule.has_display = !display.empty();
  rule.is_none = display == "none";
  rule.has_visibility = !visibility.empty();
  rule.is_hidden = visibility == "hidden" || visibility == "collapse";
  for_each_part(selectors, ',', [&](std::string_view part) {
    const std::string_view written = stripped(part);
    if (rule.has_display || rule.has_visibility) add(rule, written);
    const std::string_view selector = without_scope(written);
    if (!always || !starts_with(selector, ".") || selector.find_first_of(" .#:>+~[", 1) != selector.npos) return;
    const std::string_view name = selector.substr(1);
    if (is_drawn_as_row(display)) rows_.insert(name);
    if (is_drawn_as_block(display) && !floats) blocks_.insert(name);
    if (is_drawn_apart(display) && !floats) apart_.insert(name);
    if (html::keeps_lines(space)) lined_.insert(name);
  });
}

void StyleSheets::add(Rule rule, std::string_view selector) {
  const std::string_view compound = selector.substr(selector.find_last_of(kCombinators) + 1);
  rule.always = rule.always && compound.size() == selector.size();
  std::string_view rest = compound;
  for (std::string_view name = next_simple(rest); !name.empty(); name = next_simple(rest)) {
    rule.weight += name[0] == '#' ? kId : name[0] == '.' ? kClass : 1;
  }
  rule.compound = compound.substr(0, compound.size() - rest.size());
  if (!rest.empty()) {
    const bool is_scope = std::any_of(std::begin(kScopes), std::end(kScopes), [&](std::string_view mark) { return starts_with(rest, mark); });
    if (contains(rest, "::") || contains(rest, ":before") || contains(rest, ":after")) return;
    rule.weight += kClass;
    rule.always = rule.always && is_scope && rest.find(']') == rest.size() - 1;
  }
  if (rule.compound.empty()) return;
  if (contains(rule.compound, "\\")) {
    std::string plain;
    for (const char c : rule.compound) plain.append(c == '\\' ? 0 : 1, c);
    rule.compound = tree_.arena.keep(plain);
    rule.is_escaped = true;
  }
  if (rule.always && (rule.is_none || rule.is_hidden)) {
    rest = rule.compound;
    const std::string_view name = rule.is_escaped ? rest : next_simple(rest);
    const bool is_marked = name.size() > 1 && (name[0] == '.' || name[0] == '#');
    hiding_names_.set(sign_of(is_marked ? name[0] : '\0', name.substr(is_marked)));
  }
  rules_.push_back(rule);
}

bool StyleSheets::has(const Names &names, const Node *node) {
  if (names.empty()) return false;
  for (const std::string_view word : Words(value_of(node, "class"))) {
    if (names.count(word) != 0) return true;
  }
  return false;
}

bool StyleSheets::matches(const Rule &rule, const Node *node) {
  std::string_view rest = rule.compound;
  if (rule.is_escaped) return has_simple(node, rest);
  for (std::string_view name = next_simple(rest); !name.empty(); name = next_simple(rest)) {
    if (!has_simple(node, name)) return false;
  }
  return true;
}

// A number of 12 bits that a name behind its mark, 0 for elements, and others have.
size_t StyleSheets::sign_of(char mark, std::string_view word) {
  const auto at = [&](size_t place) { return static_cast<uint8_t>(word[place]); };
  return (word.size() * 331 + uint8_t(mark) * 7 + at(word.size() - 1) * 89 + at(word.size() / 2) * 1021) & 4095;
}

template <class Take>
void StyleSheets::for_names_of(const Node *node, Take take) {
  if (!node->text.empty()) take('\0', node->text);
  const std::string_view id = value_of(node, "id");
  if (!id.empty()) take('#', id);
  for (const std::string_view word : Words(value_of(node, "class"))) take('.', word);
}

Hiding StyleSheets::hiding_of(const Node *node) const {
  if (hiding_names_.none() || steps_ > kMostSteps) return Hiding::none;
  bool may_hide = false;
  for_names_of(node, [&](char mark, std::string_view word) { may_hide = may_hide || hiding_names_.test(sign_of(mark, word)); });
  if (!may_hide) return Hiding::none;
  struct Winner {
    int weight = -1;
    uint32_t at = 0;
    bool hides = false;
    std::string_view compound;
  };
  Winner display, visibility;
  const auto for_rules = [&](const auto &take) {
    for_names_of(node, [&](char mark, std::string_view word) {
      const std::string name = mark ? mark + std::string(word) : std::string(word);
      const auto found = by_name_.find(name);
      if (found == by_name_.end()) return;
      steps_ += found->second.size();
      for (const uint32_t at : found->second) take(at, name);
    });
  };
  for_rules([&](uint32_t at, std::string_view) {
    const Rule &rule = rules_[at];
    if (!rule.always || !matches(rule, node)) return;
    const auto weigh = [&](Winner &winner, bool hides) {
      const bool wins = rule.weight > winner.weight || (rule.weight == winner.weight && at >= winner.at);
      if (wins) winner = {rule.weight, at, hides, rule.compound};
    };
    if (rule.has_display) weigh(display, rule.is_none);
    if (rule.has_visibility) weigh(visibility, rule.is_hidden);
  });
  if (display.weight < kImportant && !style_value(node, "display").empty()) display.hides = false;
  if (visibility.weight < kImportant && !style_value(node, "visibility").empty()) visibility.hides = false;
  if (!display.hides && !visibility.hides) return Hiding::none;
  const std::string_view by = display.hides ? display.compound : visibility.compound;
  bool can_be_shown = false;
  for_rules([&](uint32_t at, std::string_view name) {
    const Rule &rule = rules_[at];
    const bool shows = display.hides ? rule.has_display && !rule.is_none : rule.has_visibility && !rule.is_hidden;
    if (!shows || can_be_shown) return;
    const bool is_met = matches(rule, node);
    can_be_shown = is_met ? !rule.always : contains(by, name);
  });
  if (can_be_shown) return Hiding::none;
  return display.hides ? Hiding::by_display : Hiding::by_visibility;
}

}  // namespace skord::html
