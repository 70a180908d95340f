// What each code point is. `skord.text.unicode_tables` makes the tables and defines the bits.

#pragma once

#include <cstddef>
#include <cstdint>

#include "bindings/numbers.hpp"

namespace skord {

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
};

}  // namespace skord
