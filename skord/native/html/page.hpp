// A page of HTML read once: its cleaned markup, title, language, and words with their elements.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "letters.hpp"

namespace skord::html {

// The noncharacters that stand around the text of links in cleaned markup (Unicode 15, section 23.7).
inline constexpr std::string_view kLinkStart = "\xEF\xB7\x90", kLinkEnd = "\xEF\xB7\x92";  // U+FDD0, U+FDD2

// Limits over which a page is refused instead of read.
struct Limits {
  size_t max_html_chars, max_cleaned_chars;  // code points of the source, and of the cleaned markup
};

// Why a page was refused; the names are those of pipeline's ConversionFailure.
enum class Refusal : uint8_t { none, too_large, too_deep };

// The elements and words of a page (skord/html/element_words.py says what each column holds).
struct PageWords {
  TextList elements;                // "div .a #b @role !hidden"
  std::vector<int32_t> parents;     // of each element, -1 for the outermost
  TextList words;                   // in lower case
  std::vector<int32_t> owners;      // of each word: its innermost element, -1 for none
  std::vector<uint8_t> linked;      // of each word: whether it is in a link
  std::vector<uint8_t> controlled;  // of each word: whether it is in a control of a form
  std::string facts;                // what the page says of itself to machines: page_facts.hpp
  std::string address;              // its own, as it says; "" for none
};

// What one parse of a page yields. All strings are UTF-8.
struct Page {
  Refusal refusal = Refusal::none;
  std::string refused;        // a sentence that goes with the refusal
  std::string cleaned;        // as `clean_html(…, mark_links=True)` in Python: a `<head>` with the
                              // page's `<base>` if it has one, then the markup, links marked
  std::string title;          // blanks folded; "" for none
  std::string language;       // of `<html lang>`; "" for none
  PageWords words;
};

// Reads a page; `source` is valid UTF-8 without lone surrogates.
Page read_page(std::string_view source, const Limits &limits, bool mark_links = true);

// Title and language of a page alone, for the price of its head.
void read_head(std::string_view source, Page &page);

}  // namespace skord::html
