// Lines and paragraphs of a text. A line is what stands between line feeds, white space at its
// ends left out; blank lines part paragraphs.

#include <algorithm>

#include "quality/text_counts.hpp"

namespace skord {

namespace {

constexpr uint64_t kFactor = 0x9E3779B97F4A7C15, kMix = 0xD6E8FEB86659FD93;
constexpr int32_t kNewline = 10, kBlank = 32, kDot = 46, kBar = 124, kEllipsis = 0x2026;
constexpr int kProseWords = 5;
constexpr uint32_t kClosing = kQuote | kBracket | kMarkup;

// One line that is not blank.
struct Line {
  const int32_t *codes;
  const uint32_t *kinds;
  size_t size;
  bool is_wide;
  uint32_t terminal;

  uint64_t number() const {
    uint64_t number = 1;
    for (size_t at = 0; at < size; ++at) number = number * kFactor + uint64_t(codes[at]);
    return number;
  }

  bool begins_with_bullet() const {
    // A bullet of ASCII needs a blank behind it, for "-5" and "*so*" are no items.
    const bool is_item = size > 1 && (codes[0] > 0x7F || codes[1] == kBlank);
    return (kinds[0] & kBullet) && is_item;
  }

  bool ends_with_ellipsis() const {
    const bool dots = size >= 3 && codes[size - 1] == kDot && codes[size - 2] == kDot &&
                      codes[size - 3] == kDot;
    return dots || codes[size - 1] == kEllipsis;
  }

  bool ends_a_sentence() const {
    size_t last = size - 1;
    if (kinds[last] & kQuote) return true;
    while (last > 0 && kinds[last] & kClosing) --last;
    return (kinds[last] & terminal) != 0;
  }

  // Whether it has enough words to be prose.
  bool has_words() const {
    int words = 0;
    bool in_word = false;
    uint32_t script = 0;
    for (size_t at = 0; at < size; ++at) {
      const uint32_t kind = kinds[at];
      if (kind & kSpace || (is_wide && (kind & kScripts) != script)) in_word = false;
      script = kind & kScripts;
      const bool is_alnum = (kind & kAlnum) != 0;
      words += !in_word && is_alnum;
      in_word |= is_alnum;
      if (words == kProseWords) return true;
    }
    return false;
  }

  // Sentences in a line that ends with one: at its end, and where none goes on.
  int64_t sentences() const {
    int64_t sentences = 1;
    for (size_t at = 0; at + 1 < size; ++at) {
      if (!(kinds[at] & terminal)) continue;
      size_t after = at + 1;
      while (after < size && kinds[after] & kClosing) ++after;
      if (after == size || kinds[after] & terminal) continue;
      // Such scripts put no space between sentences. Others do, and a small letter goes on.
      if (kinds[at] & kWideTerminal) {
        ++sentences;
      } else if (kinds[after] & kSpace && after + 1 < size) {
        sentences += !(kinds[after + 1] & kLower);
      }
    }
    return sentences;
  }
};

void count_kind(Line line, const NoticeFinder &notices, int64_t *counts) {
  counts[kBulletLines] += line.begins_with_bullet();
  while (line.size > 0 && line.kinds[line.size - 1] & kMarkup) --line.size;
  if (line.size == 0) return;
  const bool is_ellipsis = line.ends_with_ellipsis();
  counts[kEllipsisLines] += is_ellipsis;
  if (!line.ends_a_sentence()) return;
  ++counts[kPunctuatedLines];
  if (is_ellipsis || !line.has_words() || notices.finds(line.codes, line.size)) return;
  counts[kProseSentences] += line.sentences();
  if (line.codes[0] != kBar) counts[kProseChars] += int64_t(line.size);
}

// Lines and paragraphs share a table; a paragraph of one line has another number than the line.
struct Paragraph {
  uint64_t number = 0;
  int64_t chars = 0;

  void add(uint64_t line, size_t size) {
    number = (number + line) * kMix;
    chars += int64_t(size);
  }
  void close(HashSlots &slots, int64_t *counts) {
    if (chars) {
      ++counts[kParagraphs];
      if (slots.seen(number)) {
        ++counts[kDuplicateParagraphs];
        counts[kDuplicateParagraphChars] += chars;
      }
    }
    *this = {};
  }
};

}  // namespace

void NoticeFinder::check() const {
  must_fit(letters.size == kPlanesEnd && moves.size > 0);
  const int64_t most = *std::max_element(letters.begin(), letters.end());
  for (const int32_t move : moves) {
    must_fit(move >= -1 && int64_t(move) + most < int64_t(moves.size));
  }
  must_fit(most < int64_t(moves.size));
}

bool NoticeFinder::finds(const int32_t *codes, size_t size) const {
  int32_t state = 0;
  for (size_t at = 0; at < size && state >= 0; ++at) {
    // A state is the place of its row in `moves`; a negative one says that a notice was found.
    state = moves[size_t(state) + letters[size_t(codes[at])]];
  }
  return state < 0;
}

void count_lines(const CodePoints &text, const NoticeFinder &notices, bool is_wide,
                 int64_t short_chars, HashSlots &slots, int64_t *counts) {
  const int32_t *codes = text.codes.data(), *end_of_text = codes + text.size;
  const uint32_t *kinds = text.kinds.data();
  // Each line may be a paragraph too, and both are counted in one table.
  slots.begin(2 * (size_t(std::count(codes, end_of_text, kNewline)) + 1));
  const uint32_t terminal = is_wide ? kTerminal | kWideTerminal : kTerminal;
  uint64_t before = 0;
  Paragraph paragraph;
  for (size_t at = 0; at < text.size; ++at) {
    size_t first = at;
    at = size_t(std::find(codes + at, end_of_text, kNewline) - codes);
    size_t end = at;
    while (first < end && kinds[first] & kSpace) ++first;
    while (first < end && kinds[end - 1] & kSpace) --end;
    if (first == end) {
      paragraph.close(slots, counts);
      continue;
    }
    const Line line{codes + first, kinds + first, end - first, is_wide, terminal};
    const auto chars = int64_t(line.size);
    const uint64_t number = line.number();
    if (slots.seen(number)) {
      ++counts[kDuplicateLines];
      counts[kDuplicateLineChars] += chars;
    }
    if (number == before) counts[kAdjacentChars] += chars;
    before = number;
    paragraph.add(number, line.size);
    ++counts[kLines];
    counts[kLineChars] += chars;
    counts[kShortLines] += chars <= short_chars;
    count_kind(line, notices, counts);
  }
  paragraph.close(slots, counts);
}

void measure_texts(const ArrowTexts &texts, const TextTables &tables, const NoticeFinder &notices,
                   Numbers<const uint8_t> by_script, const ShortLines &shorts,
                   const WordLists &stop_words, const WordLists &listed, Numbers<int64_t> counts,
                   Numbers<double> entropies) {
  must_fit(by_script.size == texts.size() && entropies.size == texts.size());
  must_fit(counts.size == texts.size() * kNumCounts);
  tables.check();
  notices.check();
  stop_words.check(texts.size());
  listed.check(texts.size());
  CodePoints text;
  Words words;
  HashSlots slots;
  RecurringGrams grams;
  for (size_t at = 0; at < texts.size(); ++at) {
    int64_t *of_text = &counts[at * kNumCounts];
    const bool is_wide = by_script[at];
    std::fill_n(of_text, size_t(kNumCounts), 0);
    text.read(texts[at], tables);
    of_text[kChars] = int64_t(text.size);
    count_runs(text, of_text);
    count_headings(text, is_wide, of_text);
    const bool in_context = !is_wide && sweb_words(text, tables, words);
    of_text[kDeclinedText] = in_context || text.declined;
    if (is_wide) plain_words(text, tables, is_wide, words);
    of_text[kSwebWords] = int64_t(words.numbers.size());
    entropies[at] = entropy(words.numbers, slots);
    if (!is_wide) plain_words(text, tables, is_wide, words);
    of_text[kWords] = int64_t(words.numbers.size());
    for (const int32_t chars : words.chars) of_text[kWordChars] += chars;
    count_listed(words, stop_words, at, slots, of_text[kStopWords],
                 of_text[kStopWordTypes]);
    count_listed(words, listed, at, slots, of_text[kListedWords],
                 of_text[kListedWordTypes]);
    grams.count(words, slots, of_text);
    count_lines(text, notices, is_wide, is_wide ? shorts.wide_chars : shorts.chars,
                slots, of_text);
  }
}

std::vector<uint64_t> word_numbers(std::string_view text, const TextTables &tables) {
  tables.check();
  CodePoints points;
  Words words;
  points.read(text, tables);
  plain_words(points, tables, false, words);
  return std::move(words.numbers);
}

}  // namespace skord
