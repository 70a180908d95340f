// Words, headings and runs of a text.

#include "quality/text_counts.hpp"
#include "text/utf8.hpp"

namespace skord {

namespace {

constexpr int32_t kNewline = 10, kTab = 9, kBlank = 32, kNumberSign = 35, kDot = 46;
constexpr int32_t kEllipsis = 0x2026, kReplacement = 0xFFFD;
constexpr size_t kMostSigns = 6;

}  // namespace

void CodePoints::read(std::string_view text, const TextTables &tables) {
  if (codes.size() < text.size()) {
    codes.resize(text.size());
    kinds.resize(text.size());
  }
  size = 0;
  declined = false;
  for (size_t at = 0; at < text.size();) {
    uint32_t code = next_point(text, at);
    if (code >= kPlanesEnd) {
      declined = true;
      code = kReplacement;
    }
    codes[size] = int32_t(code);
    kinds[size++] = tables.classes[code];
  }
}

bool sweb_words(const CodePoints &text, const TextTables &tables, Words &words) {
  constexpr uint32_t kSeldom = kDeclined | kBeginsWithMark | kEndsWithMark;
  words.clear();
  bool declined = false;
  uint64_t word = 0;
  uint32_t after_mark = 0;
  for (size_t at = 0; at < text.size; ++at) {
    const uint32_t kind = text.kinds[at];
    if (kind & kSpace) {
      if (word) words.numbers.push_back(word);
      word = 0;
      after_mark = 0;
    } else if (!(kind & kAsciiPunctuation)) {
      const size_t code = size_t(text.codes[at]);
      word = word * tables.factors[code] + tables.terms[code];
      // One test for three kinds that hardly any character is of.
      if (kind & kSeldom) {
        declined |= (kind & kDeclined) != 0 || (after_mark && (kind & kBeginsWithMark));
        after_mark = kind & kEndsWithMark;
      } else {
        after_mark = 0;
      }
    }
  }
  if (word) words.numbers.push_back(word);
  return declined;
}

void plain_words(const CodePoints &text, const TextTables &tables, bool by_script, Words &words) {
  words.clear();
  uint64_t word = 0;
  int32_t length = 0;
  uint32_t script = 0;
  const auto close = [&] {
    words.numbers.push_back(word);
    words.chars.push_back(length);
    word = 0;
    length = 0;
  };
  for (size_t at = 0; at < text.size; ++at) {
    const uint32_t kind = text.kinds[at];
    if (length && (kind & kSpace || (by_script && (kind & kScripts) != script))) close();
    if (!(kind & (kSpace | kPunctuation))) {
      const size_t code = size_t(text.codes[at]);
      word = word * tables.factors[code] + tables.terms[code];
      ++length;
    }
    script = kind & kScripts;
  }
  if (length) close();
}

// ATX headings, words in them (SWEb's, or those of `plain_words` by script), and the number signs
// that make them.
void count_headings(const CodePoints &text, bool by_script, int64_t *counts) {
  const uint32_t between = kSpace | (by_script ? kPunctuation : kAsciiPunctuation);
  for (size_t at = 0; at < text.size; ++at) {
    size_t signs = at;
    while (signs < text.size && text.codes[signs] == kNumberSign) ++signs;
    const int32_t behind = signs < text.size ? text.codes[signs] : kNewline;
    const bool is_heading = at < signs && signs <= at + kMostSigns &&
                            (behind == kNewline || behind == kBlank || behind == kTab);
    counts[kHeadings] += is_heading;
    counts[kHeadingSigns] += is_heading ? int64_t(signs - at) : 0;
    bool in_word = false;
    uint32_t script = 0;
    for (; at < text.size && text.codes[at] != kNewline; ++at) {
      if (!is_heading) continue;
      const uint32_t kind = text.kinds[at];
      if (kind & kSpace || (by_script && (kind & kScripts) != script)) in_word = false;
      script = kind & kScripts;
      const bool begins = !in_word && !(kind & between);
      counts[kHeadingWords] += begins;
      in_word |= begins;
    }
  }
}

// Letters and digits; runs without white space, those with a letter, and signs that Gopher counts.
void count_runs(const CodePoints &text, int64_t *counts) {
  bool in_run = false, has_letter = false;
  int dots = 0;
  for (size_t at = 0; at < text.size; ++at) {
    const int32_t code = text.codes[at];
    const uint32_t kind = text.kinds[at];
    counts[kAlnums] += (kind & kAlnum) != 0;
    counts[kHiraganas] += (kind & kHiragana) != 0;
    if (kind & kSpace) {
      in_run = has_letter = false;
      dots = 0;
      continue;
    }
    const bool is_letter = (kind & kAlpha) != 0;
    counts[kRuns] += !in_run;
    counts[kAlphabeticRuns] += !has_letter && is_letter;
    in_run = true;
    has_letter |= is_letter;
    counts[kNumberSigns] += code == kNumberSign;
    dots = code == kDot ? dots + 1 : 0;
    counts[kEllipses] += code == kEllipsis || dots == 3;
  }
}

}  // namespace skord
