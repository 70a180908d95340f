// What the measures of quality count of a text: characters, words, headings, lines, repetitions.
// `skord.quality.text_measures` says what is made of it.

#pragma once

#include <cstdint>
#include <vector>

#include "quality/hash_slots.hpp"
#include "text/arrow_texts.hpp"

namespace skord {

// What each code point is: `skord.text.unicode_tables` makes the tables and defines the bits.
enum Class : uint32_t {
  kSpace = 1,
  kAlnum = 2,
  kAlpha = 4,
  kAsciiPunctuation = 8,
  kPunctuation = 16,
  kLower = 32,
  kHiragana = 64,
  kKatakana = 128,
  kHan = 256,
  kBullet = 512,
  kTerminal = 1024,
  kQuote = 2048,
  kMarkup = 4096,
  kBeginsWithMark = 8192,
  kEndsWithMark = 16384,
  kDeclined = 32768,
  kWideTerminal = 65536,
  kBracket = 131072,
};
constexpr uint32_t kScripts = kHan | kHiragana | kKatakana;
constexpr size_t kPlanesEnd = 0x20000;  // the first code point that is in no table

// Each of shape (kPlanesEnd,).
struct TextTables {
  Numbers<const uint32_t> classes;
  Numbers<const uint64_t> factors, terms;  // of the polynomials that words are known by

  void check() const {
    must_fit(classes.size == kPlanesEnd && factors.size == kPlanesEnd && terms.size == kPlanesEnd);
  }
};

// Columns of what is counted, in the order of `text_measures.COUNTS`.
enum Count : size_t {
  kChars, kAlnums, kHiraganas, kDeclinedText,
  kSwebWords, kHeadings, kHeadingWords, kHeadingSigns,
  kRuns, kAlphabeticRuns, kNumberSigns, kEllipses,
  kWords, kWordChars, kStopWords, kStopWordTypes, kListedWords, kListedWordTypes,
  kLines, kLineChars, kBulletLines, kEllipsisLines, kPunctuatedLines, kShortLines,
  kDuplicateLines, kDuplicateLineChars, kParagraphs, kDuplicateParagraphs,
  kDuplicateParagraphChars, kAdjacentChars, kProseSentences, kProseChars,
  kTopGrams,                          // of 2 to 4 words
  kDuplicateGrams = kTopGrams + 3,    // of 5 to 10 words
  kNumCounts = kDuplicateGrams + 6,
};

// The code points of a text, and what each is.
struct CodePoints {
  std::vector<int32_t> codes;
  std::vector<uint32_t> kinds;
  size_t size = 0;
  bool declined = false;  // holds one that is in no table, which stands as U+FFFD

  void read(std::string_view text, const TextTables &tables);
};

// Words by number, and how many characters each has.
struct Words {
  std::vector<uint64_t> numbers;
  std::vector<int32_t> chars;

  void clear() {
    numbers.clear();
    chars.clear();
  }
};

// Runs without white space, ASCII punctuation taken out; whether the text is to be declined, since
// its letters must be seen in context.
bool sweb_words(const CodePoints &text, const TextTables &tables, Words &words);

// Runs without white space, all punctuation taken out, cut where the script changes if `by_script`.
void plain_words(const CodePoints &text, const TextTables &tables, bool by_script, Words &words);

void count_headings(const CodePoints &text, bool by_script, int64_t *counts);
void count_runs(const CodePoints &text, int64_t *counts);

// Entropy of words, in nats.
double entropy(const std::vector<uint64_t> &words, HashSlots &slots);

// Characters in runs of words that recur.
class RecurringGrams {
 public:
  void count(const Words &words, HashSlots &slots, int64_t *counts);

 private:
  std::vector<uint64_t> grams_;
  std::vector<uint32_t> places_;  // of each gram's slot
};

// Lists of words as open hash tables, 0 where nothing is; each of a power of two of slots.
struct WordLists {
  Numbers<const uint64_t> tables;  // shape (lists, slots)
  size_t slots;
  Numbers<const int32_t> list_of;  // which list each text is held against; -1: none

  // Throws std::invalid_argument where a list is not there, or has no free slot.
  void check(size_t texts) const;
};

// Adds how many words are on the text's list, and how many different ones.
void count_listed(const Words &words, const WordLists &lists, size_t text, HashSlots &slots,
                  int64_t &instances, int64_t &types);

// An automaton that finds lines which are no prose; see `skord.quality.policy_phrases`.
struct NoticeFinder {
  Numbers<const uint8_t> letters;  // shape (kPlanesEnd,)
  Numbers<const int32_t> moves;    // -1: found

  // Throws std::invalid_argument where a move leads beyond the moves.
  void check() const;
  bool finds(const int32_t *codes, size_t size) const;
};

// How long a line is at most that counts as short, in a language with blanks and in one without.
struct ShortLines {
  int64_t chars, wide_chars;
};

void count_lines(const CodePoints &text, const NoticeFinder &notices, bool is_wide,
                 int64_t short_chars, HashSlots &slots, int64_t *counts);

// Fills counts, shape (texts, kNumCounts), and entropies of SWEb's words, shape (texts,).
// by_script: whether a text is in a language without blanks.
void measure_texts(const ArrowTexts &texts, const TextTables &tables, const NoticeFinder &notices,
                   Numbers<const uint8_t> by_script, const ShortLines &shorts,
                   const WordLists &stop_words, const WordLists &listed, Numbers<int64_t> counts,
                   Numbers<double> entropies);

// The plain words of a text, by number.
std::vector<uint64_t> word_numbers(std::string_view text, const TextTables &tables);

}  // namespace skord
