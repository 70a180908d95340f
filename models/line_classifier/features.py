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
    hashed_words,
    heading_levels,
    visible_lines,
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
    text = without_images(markdown)
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    all_ends = np.flatnonzero(codes == ord("\n"))
    codes = codes[: all_ends[-1] + 1] if all_ends.size else codes[:0]
    lines, page = visible_lines(codes, all_ends)
    if not lines.size:
        empty = np.zeros(0, np.int64)
        none = np.zeros((0, DENSE), np.float32)
        return PageFeatures(all_ends.size, lines, none, empty, empty, empty)
    word_at, word_line, hashes = hashed_words(page)
    counts = _group_counts(page)
    words = np.bincount(word_line, minlength=lines.size)
    columns = (
        *_shares(page, counts, words),
        *_marks(page),
        *_places(page, lines, all_ends.size, words),
        *_sections(heading_levels(page), words),
        *_word_shapes(page, word_at, word_line, words),
        *_repeats(page, hashes, word_line),
    )
    dense = np.stack([np.asarray(column, np.float32) for column in columns], axis=1)
    buckets, word_starts = _looked_up(hashes, word_line, words)
    return PageFeatures(all_ends.size, lines, dense, buckets, word_starts, words)


def _group_counts(page: PageArrays) -> Ints:
    """Characters of each group in each line; shape [n, GROUPS]."""
    line = np.repeat(np.arange(page.starts.size), page.ends - page.starts)
    at = np.arange(line.size) + np.repeat(
        page.starts - np.cumsum(np.append(0, (page.ends - page.starts)[:-1])),
        page.ends - page.starts,
    )
    flat = np.bincount(line * ch.GROUPS + page.groups[at], minlength=page.starts.size * ch.GROUPS)
    return flat.reshape(page.starts.size, ch.GROUPS)


def _looked_up(hashes: NDArray[np.uint64], line: Ints, words: Ints) -> tuple[Ints, Ints]:
    """Buckets of each line's first words, and where each line's words start."""
    before = np.cumsum(np.append(0, words))[:-1]
    rank = np.arange(hashes.size) - np.repeat(before, words)
    taken = rank < MAX_LINE_WORDS
    buckets = (hashes[taken] % np.uint64(WORD_BUCKETS)).astype(np.int64)
    return buckets, np.cumsum(np.append(0, np.bincount(line[taken], minlength=words.size)))


def _shares(page: PageArrays, counts: Ints, words: Ints) -> list[NDArray[np.generic]]:
    """Length, and the share of each group of characters."""
    length = np.maximum(page.last - page.first + 1, 1)
    letters = counts[:, ch.LOWER : ch.DIGIT].sum(1)
    return [
        np.log1p(length),
        np.log1p(words),
        np.log1p(letters) / np.log1p(np.maximum(letters.max(), 1)),
        length / np.maximum(length.sum(), 1),
        *(counts[:, group] / length for group in range(1, ch.GROUPS)),
        np.log1p(counts[:, ch.ENDING]),
        np.log1p(counts[:, ch.ENDING + 1]),
        counts[:, ch.UPPER] / np.maximum(letters, 1),
    ]


def _marks(page: PageArrays) -> list[NDArray[np.generic]]:
    """Kind of the line by its first and last characters."""
    first, last = page.codes[page.first], page.codes[page.last]
    group, ending = page.groups[page.first], page.groups[page.last]
    second = page.codes[np.minimum(page.first + 1, page.ends)]
    item = np.isin(first, [ord(mark) for mark in "-*+"]) & (second == ord(" "))
    return [
        *(first == ord(mark) for mark in _MARKS),
        item,
        heading_levels(page),
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


def _places(page: PageArrays, lines: Ints, total: int, words: Ints) -> list[NDArray[np.generic]]:
    """Where the line stands: in the page, in its block, and next to long lines."""
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


def _word_shapes(
    page: PageArrays, word_at: Ints, word_line: Ints, words: Ints
) -> list[NDArray[np.generic]]:
    """How the line's words are written: share of capitalised and of short ones."""
    n = words.size
    capital = np.bincount(word_line, page.groups[word_at] == ch.UPPER, minlength=n)
    small = np.bincount(word_line, page.groups[word_at] == ch.LOWER, minlength=n)
    some = np.maximum(words, 1)
    return [capital / some, small / some, words == 0, (capital == words) & (words > 0)]


def _repeats(page: PageArrays, hashes: NDArray[np.uint64], line: Ints) -> list[NDArray[np.generic]]:
    """How often the line's words, as a set, stand as a line in this page."""
    key = np.zeros(page.starts.size, np.uint64)
    np.add.at(key, line, hashes)
    _, inverse, count = np.unique(key, return_inverse=True, return_counts=True)
    times = count[inverse]
    return [np.log(times), times > 1]


DENSE = 4 + (ch.GROUPS - 1) + 3 + (len(_MARKS) + 3 + 2 * len(_KINDS) + 6 + 1) + 14 + 7 + 4 + 2
