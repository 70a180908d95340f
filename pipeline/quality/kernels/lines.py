"""Compiled loops over the lines of many texts at once. See `text_kernels`.

A line is what stands between line feeds, white space at its ends left out; blank lines part
paragraphs. Equal lines have equal numbers, and are found again in open hash tables that all
texts of a call share, as in `quality_kernels`.
"""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

from pipeline.quality.kernels.ngrams import slot_of, table_mask
from pipeline.quality.policy_phrases import FOUND
from pipeline.text.unicode_tables import (
    ALNUM,
    BRACKET,
    BULLET,
    HAN,
    HIRAGANA,
    KATAKANA,
    LOWER,
    MARKUP,
    QUOTE,
    SPACE,
    TERMINAL,
    WIDE_TERMINAL,
)

Codes = NDArray[np.int32]
Classes = NDArray[np.uint32]
U8 = NDArray[np.uint8]
U64 = NDArray[np.uint64]
I64 = NDArray[np.int64]
I32 = NDArray[np.int32]
Flags = NDArray[np.bool_]

COLUMNS = (
    "LINES", "LINE_CHARS", "BULLET_LINES", "ELLIPSIS_LINES", "PUNCTUATED_LINES", "SHORT_LINES",
    "DUPLICATE_LINES", "DUPLICATE_LINE_CHARS", "PARAGRAPHS", "DUPLICATE_PARAGRAPHS",
    "DUPLICATE_PARAGRAPH_CHARS", "ADJACENT_CHARS", "PROSE_SENTENCES",
)  # fmt: skip
"""Columns of what `count_lines` finds."""
NUM_COLUMNS = len(COLUMNS)
(
    LINES, LINE_CHARS, BULLET_LINES, ELLIPSIS_LINES, PUNCTUATED_LINES, SHORT_LINES,
    DUPLICATE_LINES, DUPLICATE_LINE_CHARS, PARAGRAPHS, DUPLICATE_PARAGRAPHS,
    DUPLICATE_PARAGRAPH_CHARS, ADJACENT_CHARS, PROSE_SENTENCES,
) = range(NUM_COLUMNS)  # fmt: skip

_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_MIX = np.uint64(0xD6E8FEB86659FD93)
_NEWLINE, _BLANK, _DOT, _ELLIPSIS = 10, 32, 46, 0x2026
_SCRIPTS = HAN | HIRAGANA | KATAKANA
_PROSE_WORDS = 5


@numba.njit(nogil=True, cache=True)
def count_lines(
    codes: Codes,
    starts: I64,
    classes: Classes,
    letters: U8,
    moves: I32,
    is_wide: Flags,
    short_chars: I64,
    found: I64,
) -> None:
    """Count each text's lines and paragraphs, by kind.

    Args:
        codes: code points of all texts.
        starts: where each text's begin.
        classes: of code points.
        letters: of the notices whose lines are no prose, see `policy_phrases`.
        moves: likewise.
        is_wide: texts in a language without blanks, whose own punctuation counts too.
        short_chars: up to how many characters a line is short, for each text.
        found: shape (texts, NUM_COLUMNS), zeros, to be filled.
    """
    most = 0
    for text in range(len(starts) - 1):
        most = max(most, starts[text + 1] - starts[text])
    slots = int(table_mask(2 * (most // 2 + 1))) + 1
    keys, stamps = np.empty(slots, np.uint64), np.full(slots, -1, np.int32)
    for text in range(len(starts) - 1):
        mask = table_mask(2 * ((starts[text + 1] - starts[text]) // 2 + 1))
        row = found[text]
        before = np.uint64(0)
        paragraph, paragraph_chars = np.uint64(0), 0
        at = starts[text]
        while at < starts[text + 1]:
            first, at = at, _line_feed(codes, at, starts[text + 1])
            first, end = _stripped(codes, classes, first, at)
            at += 1
            if first == end:
                if paragraph_chars:
                    _close(row, keys, stamps, text, mask, paragraph, paragraph_chars)
                paragraph, paragraph_chars = np.uint64(0), 0
                continue
            line = _number(codes, first, end)
            if _seen(keys, stamps, text, mask, line):
                row[DUPLICATE_LINES] += 1
                row[DUPLICATE_LINE_CHARS] += end - first
            if line == before:
                row[ADJACENT_CHARS] += end - first
            before = line
            paragraph = (paragraph + line) * _MIX
            paragraph_chars += end - first
            row[LINES] += 1
            row[LINE_CHARS] += end - first
            row[SHORT_LINES] += end - first <= short_chars[text]
            _count_kind(codes, classes, letters, moves, first, end, is_wide[text], row)
        if paragraph_chars:
            _close(row, keys, stamps, text, mask, paragraph, paragraph_chars)


@numba.njit(nogil=True, cache=True)
def _line_feed(codes: Codes, at: int, end: int) -> int:
    while at < end and codes[at] != _NEWLINE:
        at += 1
    return at


@numba.njit(nogil=True, cache=True)
def _stripped(codes: Codes, classes: Classes, first: int, end: int) -> tuple[int, int]:
    while first < end and classes[codes[first]] & SPACE:
        first += 1
    while first < end and classes[codes[end - 1]] & SPACE:
        end -= 1
    return first, end


@numba.njit(nogil=True, cache=True)
def _number(codes: Codes, first: int, end: int) -> np.uint64:
    number = np.uint64(1)
    for at in range(first, end):
        number = number * _FACTOR + np.uint64(codes[at])
    return number


@numba.njit(nogil=True, cache=True)
def _seen(keys: U64, stamps: I32, stamp: int, mask: np.uint64, key: np.uint64) -> bool:
    """Whether the key is in the table of this stamp already; it is afterwards.

    Lines and paragraphs of a text share the table; a paragraph of one line has another number
    than the line.
    """
    at = slot_of(keys, stamps, stamp, mask, key)
    if stamps[at] == stamp:
        return True
    stamps[at], keys[at] = stamp, key
    return False


@numba.njit(nogil=True, cache=True)
def _close(
    row: I64, keys: U64, stamps: I32, stamp: int, mask: np.uint64, paragraph: np.uint64, chars: int
) -> None:
    row[PARAGRAPHS] += 1
    if _seen(keys, stamps, stamp, mask, paragraph):
        row[DUPLICATE_PARAGRAPHS] += 1
        row[DUPLICATE_PARAGRAPH_CHARS] += chars


@numba.njit(nogil=True, cache=True)
def _count_kind(
    codes: Codes,
    classes: Classes,
    letters: U8,
    moves: I32,
    first: int,
    end: int,
    is_wide: bool,
    row: I64,
) -> None:
    terminal = TERMINAL | WIDE_TERMINAL if is_wide else TERMINAL
    begins = classes[codes[first]]
    is_item = first + 1 < end and (codes[first] > 0x7F or codes[first + 1] == _BLANK)
    row[BULLET_LINES] += (begins & BULLET) != 0 and is_item
    while end > first and classes[codes[end - 1]] & MARKUP:
        end -= 1
    if end == first:
        return
    dots = end - first >= 3 and codes[end - 1] == _DOT
    dots = dots and codes[end - 2] == _DOT and codes[end - 3] == _DOT
    is_ellipsis = dots or codes[end - 1] == _ELLIPSIS
    row[ELLIPSIS_LINES] += is_ellipsis
    last = end - 1
    is_quoted = (classes[codes[last]] & QUOTE) != 0
    while last > first and classes[codes[last]] & (QUOTE | BRACKET | MARKUP):
        last -= 1
    if not (is_quoted or classes[codes[last]] & terminal):
        return
    row[PUNCTUATED_LINES] += 1
    if is_ellipsis or not _has_words(codes, classes, first, end, is_wide):
        return
    if not _is_notice(codes, letters, moves, first, end):
        row[PROSE_SENTENCES] += _sentences(codes, classes, first, end, terminal)


@numba.njit(nogil=True, cache=True)
def _is_notice(codes: Codes, letters: U8, moves: I32, first: int, end: int) -> bool:
    """Whether a line speaks of JavaScript, cookies, privacy or terms of use."""
    state = 0
    for at in range(first, end):
        state = moves[state + letters[codes[at]]]
        if state == FOUND:
            return True
    return False


@numba.njit(nogil=True, cache=True)
def _has_words(codes: Codes, classes: Classes, first: int, end: int, is_wide: bool) -> bool:
    """Whether a line has enough words to be prose."""
    words, in_word, script = 0, False, 0
    for at in range(first, end):
        kind = classes[codes[at]]
        if not in_word or kind & SPACE:
            in_word = False
        if is_wide and (kind & _SCRIPTS) != script:
            in_word = False
        script = kind & _SCRIPTS
        words += not in_word and (kind & ALNUM) != 0
        in_word = in_word or (kind & ALNUM) != 0
        if words == _PROSE_WORDS:
            return True
    return False


@numba.njit(nogil=True, cache=True)
def _sentences(codes: Codes, classes: Classes, first: int, end: int, terminal: int) -> int:
    """Sentences in a line that ends with one: at its end, and where none goes on."""
    found = 1
    for at in range(first, end - 1):
        kind = classes[codes[at]]
        if not kind & terminal:
            continue
        after = at + 1
        while after < end and classes[codes[after]] & (QUOTE | BRACKET | MARKUP):
            after += 1
        if after == end or classes[codes[after]] & terminal:
            continue
        if kind & WIDE_TERMINAL:
            found += 1
        elif classes[codes[after]] & SPACE and after + 1 < end:
            found += not classes[codes[after + 1]] & LOWER
    return found
