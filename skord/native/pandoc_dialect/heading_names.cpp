#include "pandoc_dialect/heading_names.hpp"

#include <unordered_set>
#include <vector>

#include "pandoc_dialect/escapes.hpp"
#include "text/unicode.hpp"

namespace skord::pandoc_dialect {

namespace {

constexpr uint32_t kSigma = 0x3A3, kFinalSigma = 0x3C2, kDottedI = 0x130, kDot = 0x307;

void collect(const Blocks &blocks, std::vector<const Block *> &headings) {
  for (const Block &block : blocks) {
    if (block.kind == BlockKind::heading) headings.push_back(&block);
    collect(block.blocks, headings);
    for (const Blocks &item : block.items) collect(item, headings);
    for (const Definition &definition : block.terms) {
      for (const Blocks &meaning : definition.meanings) collect(meaning, headings);
    }
    if (!block.table) continue;
    for (const Blocks &cell : block.table->head) collect(cell, headings);
    for (const Row &row : block.table->rows) {
      for (const Blocks &cell : row) collect(cell, headings);
    }
  }
}

std::vector<uint32_t> characters_of(std::string_view text) {
  std::vector<uint32_t> codes;
  while (!text.empty()) {
    const Character sign = first_character(text);
    codes.push_back(sign.code);
    text.remove_prefix(sign.size);
  }
  return codes;
}

// A sigma at the end of a word has a lower case of its own.
bool is_final(const std::vector<uint32_t> &text, size_t at) {
  const bool is_first = at == 0 || !is_alpha(text[at - 1]);
  return !is_first && (at + 1 == text.size() || !is_alpha(text[at + 1]));
}

// A text in lower case, hyphens for blanks, from its first letter on.
std::string identifier(const Inlines &inlines) {
  const std::vector<uint32_t> text = characters_of(without_marks(plain_text(inlines)));
  std::string name;
  bool has_letter = false, is_apart = false;
  for (size_t at = 0; at < text.size(); ++at) {
    const uint32_t sign = text[at];
    if (is_space(sign)) {
      is_apart = true;
      continue;
    }
    if (!is_word(sign) && sign != '.' && sign != '-') continue;
    if (has_letter && is_apart) name.push_back('-');
    is_apart = false;
    has_letter = has_letter || is_alpha(sign);
    if (!has_letter) continue;
    append_utf8(name, sign == kSigma && is_final(text, at) ? kFinalSigma
                      : sign == kDottedI                   ? 'i'
                                                           : lower(sign));
  }
  return name;
}

}  // namespace

std::unordered_map<const Block *, std::string> heading_names(const Blocks &page) {
  std::vector<const Block *> headings;
  collect(page, headings);
  std::unordered_map<const Block *, std::string> names;
  std::unordered_map<std::string, size_t> next_numbers;  // all below are taken
  std::unordered_set<std::string> taken;
  for (const Block *heading : headings) {
    std::string base = identifier(heading->inlines);
    // So pandoc names a heading without a letter (its manual, extension auto_identifiers).
    if (base.empty()) base = "section";
    std::string name = base;
    size_t &number = next_numbers[base];
    while (!taken.insert(name).second) name = base + "-" + std::to_string(++number);
    names[heading] = std::move(name);
  }
  return names;
}

}  // namespace skord::pandoc_dialect
