"""What each code point is, as arrays that compiled code looks up.

Covered are the first two planes of Unicode, in which all but rare Han characters lie; the rest
is `DECLINED`, and texts with it are measured by plain Python. native/quality/text_counts.hpp names
the same bits.
"""

from __future__ import annotations

import string
import unicodedata
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

PLANES_END = 0x20000
"""First code point that the tables do not cover."""

SPACE = 1
"""`str.isspace`: what `str.split` cuts at."""
ALNUM = 2
"""`str.isalnum`."""
ALPHA = 4
"""`str.isalpha`."""
ASCII_PUNCTUATION = 8
"""`string.punctuation`: what SWEb takes out of words."""
PUNCTUATION = 16
"""Punctuation and symbols of any script (categories P and S)."""
LOWER = 32
"""`str.islower`."""
HIRAGANA = 64
KATAKANA = 128
HAN = 256
BULLET = 512
"""What stands before the items of a list."""
TERMINAL = 1024
"""What ends a sentence."""
QUOTE = 2048
"""A quotation mark that may close a sentence."""
MARKUP = 4096
"""Markdown's signs that may stand behind the end of a line."""
BEGINS_WITH_MARK = 8192
"""Decomposed, it begins with a combining mark."""
ENDS_WITH_MARK = 16384
"""Decomposed, it ends with one."""
DECLINED = 32768
"""Its lower case depends on its neighbours, or it is not covered."""

WIDE_TERMINAL = 65536
"""What ends a sentence in Japanese and Chinese, with no blank behind it."""
BRACKET = 131072
"""A closing bracket, which may stand behind the end of a sentence."""

TERMINALS = ".!?…"
WIDE_TERMINALS = "。！？｡"
QUOTES = "\"'”’»«“」』"
BRACKETS = ")]）】"
BULLETS = "•‣▪▫●○◦■□–*+-·"
MARKUP_SIGNS = "*_~`\\"
_CAPITAL_SIGMA = "Σ"

FACTOR = 0x9E3779B97F4A7C15
"""Base of the polynomials, modulo 2**64, that words are known by."""

_WORD_64 = 2**64 - 1


@dataclass(frozen=True, eq=False)
class TextTables:
    """Looked up by code point; each of shape (PLANES_END,).

    Attributes:
        classes: the bits above.
        factors: what a word's polynomial is multiplied with, and
        terms: what is added, when the code point's lower case, decomposed (NFD), joins it.
    """

    classes: NDArray[np.uint32]
    factors: NDArray[np.uint64]
    terms: NDArray[np.uint64]


@cache
def tables_with_ends(sentence_ends: str) -> TextTables:
    """The tables of a language in which these signs, too, end a sentence."""

    tables = text_tables()
    classes = tables.classes.copy()
    classes[[ord(char) for char in sentence_ends if ord(char) < PLANES_END]] |= np.uint32(TERMINAL)
    return replace(tables, classes=classes)


@cache
def text_tables() -> TextTables:
    """The tables, made once per process in about a fifth of a second."""

    classes = np.zeros(PLANES_END, np.uint32)
    factors = np.full(PLANES_END, FACTOR, np.uint64)
    terms = np.arange(1, PLANES_END + 1, dtype=np.uint64)
    for code in range(PLANES_END):
        char = chr(code)
        category = unicodedata.category(char)
        if category in ("Cn", "Cs", "Co"):
            continue
        classes[code] = _character_classes(char, category)
        folded = unicodedata.normalize("NFD", char.lower())
        if folded != char:
            factors[code], terms[code] = _polynomial(folded)
            classes[code] |= _mark_tables(folded)
        elif category[0] == "M":
            classes[code] |= _mark_tables(char)
    for bit, chars in _LISTED.items():
        classes[[ord(char) for char in chars]] |= np.uint32(bit)
    classes[ord(_CAPITAL_SIGMA)] |= DECLINED
    return TextTables(classes, factors, terms)


_LISTED = {
    ASCII_PUNCTUATION: string.punctuation,
    BULLET: BULLETS,
    TERMINAL: TERMINALS,
    WIDE_TERMINAL: WIDE_TERMINALS,
    QUOTE: QUOTES,
    BRACKET: BRACKETS,
    MARKUP: MARKUP_SIGNS,
}


def _character_classes(char: str, category: str) -> int:
    classes = (
        (SPACE, char.isspace()),
        (ALNUM, char.isalnum()),
        (ALPHA, char.isalpha()),
        (PUNCTUATION, category[0] in "PS"),
        (LOWER, char.islower()),
        (HIRAGANA, "\u3041" <= char <= "\u309f"),
        (KATAKANA, "\u30a0" <= char <= "\u30ff" or "\uff66" <= char <= "\uff9f"),
        (HAN, "\u3400" <= char <= "\u9fff" or "\uf900" <= char <= "\ufaff" or char == "々"),
    )
    return sum(bit for bit, is_so in classes if is_so)


def _mark_tables(folded: str) -> int:
    first, last = unicodedata.combining(folded[0]), unicodedata.combining(folded[-1])
    return (BEGINS_WITH_MARK if first else 0) | (ENDS_WITH_MARK if last else 0)


def _polynomial(folded: str) -> tuple[int, int]:
    term = 0
    for char in folded:
        term = (term * FACTOR + ord(char) + 1) & _WORD_64
    return pow(FACTOR, len(folded), 2**64), term
