r"""Features of a page's lines, computed for all lines of a page at once.

Only lines with a visible character have features; the others are ruled on afterwards from
their neighbours (`embedded`). "\n" alone ends a line: U+2028, U+0085, \f and \r are spaces.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from models.line_classifier import characters as ch
from models.line_classifier.page_arrays import (
    Floats,
    Ints,
    PageArrays,
    heading_levels,
    page_arrays,
)
from models.line_classifier.words import without_images

WORD_BUCKETS = 1 << 14
MAX_LINE_WORDS = 48  # words of a line that are looked up; the rest only count
# First characters of a line that tell its kind.
_MARKS = "#-*+>|![`\\"
_KINDS = (ch.LOWER, ch.UPPER, ch.LETTER, ch.ALONE, ch.DIGIT)


class PageFeatures(NamedTuple):
    """Features of one page.

    Attributes:
        line_count: how many "\n" the page has.
        lines: numbers of the lines with a visible character, ascending; shape [n].
        dense: one row for each of those lines; shape [n, DENSE].
        buckets: hashed words of all lines, one after the other; values below WORD_BUCKETS.
        word_starts: where each line's words start in `buckets`, and the end; shape [n + 1].
        words: how many each of these lines has; shape [n].
    """

    line_count: int
    lines: Ints
    dense: Floats
    buckets: Ints
    word_starts: Ints
    words: Ints


def page_features(markdown: str) -> PageFeatures:
    """Features of every line of a page that has a visible character.

    A remainder after the last line break is not looked at: it is no line.
    """
    page = page_arrays(without_images(markdown))
    line_count = markdown.count("\n")
    if not page.lines.size:
        empty = np.zeros(0, np.int64)
        none = np.zeros((0, DENSE), np.float32)
        return PageFeatures(line_count, page.lines, none, empty, empty, empty)
    words = np.bincount(page.word_line, minlength=page.lines.size)
    level = heading_levels(page)
    columns = (
        *_shares(page, words),
        *_marks(page, level),
        *_places(page, line_count, words),
        *_sections(level, words),
        *_word_shapes(page, words),
        *_repeats(page),
    )
    rows = np.empty((DENSE, page.lines.size), np.float32)
    for number, column in enumerate(columns):
        rows[number] = column
    dense = np.ascontiguousarray(rows.T)
    buckets, word_starts = _looked_up(page, words)
    return PageFeatures(line_count, page.lines, dense, buckets, word_starts, words)


def _looked_up(page: PageArrays, words: Ints) -> tuple[Ints, Ints]:
    """Buckets of each line's first words, and where each line's words start."""
    before = np.cumsum(words) - words
    taken = np.arange(page.hashes.size) - before[page.word_line] < MAX_LINE_WORDS
    buckets = (page.hashes[taken] % np.uint64(WORD_BUCKETS)).astype(np.int64)
    ends = np.cumsum(np.minimum(words, MAX_LINE_WORDS))
    return buckets, np.concatenate([np.zeros(1, np.int64), ends])


def _shares(page: PageArrays, words: Ints) -> list[NDArray[np.generic]]:
    """Length, and the share of each group of characters."""
    counts = page.counts
    length = np.maximum(page.last - page.first + 1, 1)
    letters = counts[:, ch.LOWER : ch.DIGIT].sum(1)
    return [
        np.log1p(length),
        np.log1p(words),
        np.log1p(letters) / np.log1p(np.maximum(letters.max(), 1)),
        length / np.maximum(length.sum(), 1),
        *(counts[:, 1:] / length[:, None]).T,
        np.log1p(counts[:, ch.ENDING]),
        np.log1p(counts[:, ch.ENDING + 1]),
        counts[:, ch.UPPER] / np.maximum(letters, 1),
    ]


def _marks(page: PageArrays, level: Ints) -> list[NDArray[np.generic]]:
    """Kind of the line by its first and last characters."""
    first, last = page.codes[page.first], page.codes[page.last]
    group, ending = page.groups[page.first], page.groups[page.last]
    second = page.codes[np.minimum(page.first + 1, page.ends)]
    marks = [first == ord(mark) for mark in _MARKS]
    bullet = np.logical_or.reduce([marks[_MARKS.index(mark)] for mark in "-*+"])
    return [
        *marks,
        bullet & (second == ord(" ")),
        level,
        np.minimum(page.first - page.starts, 16) / 4,
        *(group == kind for kind in _KINDS),
        *(ending == kind for kind in _KINDS),
        *(ending == ch.ENDING + kind for kind in range(6)),
        (last == ord("]")) & (first == ord("!")),
    ]


def _sections(level: Ints, words: Ints) -> list[NDArray[np.generic]]:
    """The section a line is in: its heading, its size, and how far its heading is."""
    section = np.cumsum(level > 0)
    heading = np.append(0, np.flatnonzero(level))[section]
    size = np.bincount(section, words)[section]
    return [
        np.log1p(np.arange(level.size) - heading),
        np.append(0, level[level > 0])[section],
        np.log1p(size),
        size / max(int(words.sum()), 1),
        np.cumsum(level == 1) > 0,
        np.full(level.size, (level == 1).any()),
        np.log1p(section),
    ]


def _places(page: PageArrays, total: int, words: Ints) -> list[NDArray[np.generic]]:
    """Where the line stands: in the page, in its block, and next to long lines."""
    lines = page.lines
    number = np.arange(lines.size)
    gap = np.diff(lines, prepend=-1) - 1
    block = np.cumsum(gap > 0)
    size = np.bincount(block)[block]
    in_block = number - np.searchsorted(block, block)
    after = np.append(gap[1:], total - 1 - lines[-1])
    characters = np.cumsum(page.ends - page.starts)
    return [
        number / lines.size,
        np.log1p(number),
        np.log1p(lines.size - 1 - number),
        characters / np.maximum(characters[-1], 1),
        gap > 0,
        after > 0,
        np.log1p(size),
        np.log1p(in_block),
        np.full(lines.size, np.log1p(lines.size)),
        np.full(lines.size, np.log1p(words.sum())),
        np.full(lines.size, words[words >= 20].sum() / max(int(words.sum()), 1)),
        words / max(int(words.max()), 1),
        *_distances(words),
    ]


def _distances(words: Ints) -> list[Floats]:
    """Steps back and on to the nearest line of 20 words or more; far when there is none."""
    long = np.flatnonzero(words >= 20)
    if not long.size:
        return [np.full(words.size, np.log1p(words.size), np.float32)] * 2
    number = np.arange(words.size)
    at = np.searchsorted(long, number)
    on = np.append(long, words.size * 2)[at] - number
    back = number - np.append(-words.size, long)[np.searchsorted(long, number, "right")]
    return [np.log1p(on).astype(np.float32), np.log1p(back).astype(np.float32)]


def _word_shapes(page: PageArrays, words: Ints) -> list[NDArray[np.generic]]:
    """How the line's words are written: share of capitalised and of short ones."""
    n = words.size
    first = page.groups[page.word_at]
    capital = np.bincount(page.word_line, first == ch.UPPER, minlength=n)
    small = np.bincount(page.word_line, first == ch.LOWER, minlength=n)
    some = np.maximum(words, 1)
    return [capital / some, small / some, words == 0, (capital == words) & (words > 0)]


def _repeats(page: PageArrays) -> list[NDArray[np.generic]]:
    """How often the line's words, as a set, stand as a line in this page."""
    total = np.append(np.zeros(1, np.uint64), np.cumsum(page.hashes))
    ends = np.searchsorted(page.word_line, np.arange(page.lines.size), "right")
    key = np.diff(total[ends], prepend=np.zeros(1, np.uint64))
    _, inverse, count = np.unique(key, return_inverse=True, return_counts=True)
    times = count[inverse]
    return [np.log(times), times > 1]


DENSE = 4 + (ch.GROUPS - 1) + 3 + (len(_MARKS) + 3 + 2 * len(_KINDS) + 6 + 1) + 14 + 7 + 4 + 2
