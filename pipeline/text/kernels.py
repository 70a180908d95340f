"""Compiled loops over the bytes of many texts at once: code points, words, headings.

Texts come as Arrow holds them: all UTF-8 bytes in one buffer, and where each begins. Numba
compiles these functions on the first call (seconds) and keeps the result beside this file, or
in NUMBA_CACHE_DIR; importing it takes half a second, so this module is imported only where
texts are at hand. `text_words` says what the functions find; `text_tables` has the classes of
characters that they look up.
"""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

from pipeline.text.unicode_tables import (
    ALNUM,
    ALPHA,
    ASCII_PUNCTUATION,
    BEGINS_WITH_MARK,
    DECLINED,
    ENDS_WITH_MARK,
    HAN,
    HIRAGANA,
    KATAKANA,
    PLANES_END,
    PUNCTUATION,
    SPACE,
)

U8 = NDArray[np.uint8]
Codes = NDArray[np.int32]
Classes = NDArray[np.uint32]
U64 = NDArray[np.uint64]
I64 = NDArray[np.int64]
Flags = NDArray[np.bool_]

_SCRIPTS = HAN | HIRAGANA | KATAKANA
_NEWLINE, _TAB, _BLANK, _NUMBER_SIGN, _DOT, _ELLIPSIS = 10, 9, 32, 35, 46, 0x2026
_MOST_SIGNS = 6
_NONE = np.uint64(0)


@numba.njit(nogil=True, cache=True)
def decode(data: U8, starts: I64, codes: Codes, code_starts: I64, declined: Flags) -> None:
    """UTF-8 to code points; those that the tables lack become one that they decline."""
    size = 0
    for text in range(len(starts) - 1):
        at, end = starts[text], starts[text + 1]
        while at < end:
            code = np.int32(data[at])
            at += 1
            if code >= 0x80:
                more = 1 if code < 0xE0 else 2 if code < 0xF0 else 3
                code &= 0x3F >> more
                for _ in range(more):
                    code = (code << 6) | np.int32(data[at] & 0x3F)
                    at += 1
                if code >= PLANES_END:
                    declined[text] = True
                    code = np.int32(0xFFFD)
            codes[size] = code
            size += 1
        code_starts[text + 1] = size


@numba.njit(nogil=True, cache=True)
def count_classes(
    codes: Codes, code_starts: I64, classes: Classes, alnum: I64, hiragana: I64
) -> None:
    """Letters and digits of each text, and its hiragana."""
    for text in range(len(code_starts) - 1):
        for at in range(code_starts[text], code_starts[text + 1]):
            kind = classes[codes[at]]
            alnum[text] += (kind & ALNUM) != 0
            hiragana[text] += (kind & HIRAGANA) != 0


@numba.njit(nogil=True, cache=True)
def sweb_words(
    codes: Codes,
    code_starts: I64,
    classes: Classes,
    factors: U64,
    terms: U64,
    words: U64,
    word_starts: I64,
    declined: Flags,
) -> None:
    """Runs without white space, ASCII punctuation taken out, by number."""
    size = 0
    for text in range(len(code_starts) - 1):
        word, after_mark = _NONE, 0
        for at in range(code_starts[text], code_starts[text + 1]):
            code = codes[at]
            kind = classes[code]
            if kind & SPACE:
                if word:
                    words[size] = word
                    size += 1
                word, after_mark = _NONE, 0
            elif not kind & ASCII_PUNCTUATION:
                word = word * factors[code] + terms[code]
                if kind & (DECLINED | BEGINS_WITH_MARK | ENDS_WITH_MARK):
                    declined[text] |= bool(kind & DECLINED)
                    declined[text] |= bool(after_mark and kind & BEGINS_WITH_MARK)
                    after_mark = kind & ENDS_WITH_MARK
                else:
                    after_mark = 0
        if word:
            words[size] = word
            size += 1
        word_starts[text + 1] = size


@numba.njit(nogil=True, cache=True)
def count_headings(
    codes: Codes,
    code_starts: I64,
    classes: Classes,
    headings: I64,
    heading_words: I64,
    heading_signs: I64,
) -> None:
    """Markdown headings (ATX), SWEb's words in them, and the number signs that make them."""
    for text in range(len(code_starts) - 1):
        at, end = code_starts[text], code_starts[text + 1]
        while at < end:
            signs = at
            while signs < end and codes[signs] == _NUMBER_SIGN:
                signs += 1
            is_heading = at < signs <= at + _MOST_SIGNS and (
                signs == end or codes[signs] in (_NEWLINE, _BLANK, _TAB)
            )
            headings[text] += is_heading
            heading_signs[text] += (signs - at) * is_heading
            in_word = False
            while at < end and codes[at] != _NEWLINE:
                if is_heading:
                    kind = classes[codes[at]]
                    begins = not in_word and not kind & (SPACE | ASCII_PUNCTUATION)
                    heading_words[text] += begins
                    in_word = (in_word or begins) and not kind & SPACE
                at += 1
            at += 1


@numba.njit(nogil=True, cache=True)
def plain_words(
    codes: Codes,
    code_starts: I64,
    by_script: Flags,
    classes: Classes,
    factors: U64,
    terms: U64,
    words: U64,
    chars: Codes,
    word_starts: I64,
) -> None:
    """Runs without white space, all punctuation taken out, by number, and how long each is."""
    size = 0
    for text in range(len(code_starts) - 1):
        word, length, script = _NONE, 0, 0
        for at in range(code_starts[text], code_starts[text + 1]):
            code = codes[at]
            kind = classes[code]
            if length and (kind & SPACE or (by_script[text] and (kind & _SCRIPTS) != script)):
                words[size] = word
                chars[size] = length
                size += 1
                word, length = _NONE, 0
            if not kind & (SPACE | PUNCTUATION):
                word = word * factors[code] + terms[code]
                length += 1
            script = kind & _SCRIPTS
        if length:
            words[size] = word
            chars[size] = length
            size += 1
        word_starts[text + 1] = size


@numba.njit(nogil=True, cache=True)
def count_runs(
    codes: Codes,
    code_starts: I64,
    classes: Classes,
    runs: I64,
    alphabetic: I64,
    number_signs: I64,
    ellipses: I64,
) -> None:
    """Runs without white space, those with a letter among them, and signs that Gopher counts."""
    for text in range(len(code_starts) - 1):
        in_run, has_letter, dots = False, False, 0
        for at in range(code_starts[text], code_starts[text + 1]):
            code = codes[at]
            kind = classes[code]
            if kind & SPACE:
                in_run, has_letter, dots = False, False, 0
                continue
            runs[text] += not in_run
            alphabetic[text] += not has_letter and (kind & ALPHA) != 0
            in_run, has_letter = True, has_letter or (kind & ALPHA) != 0
            number_signs[text] += code == _NUMBER_SIGN
            dots = dots + 1 if code == _DOT else 0
            ellipses[text] += code == _ELLIPSIS or dots == 3
