"""What `features.page_features` computes, said in Python: a definition for the tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skord.models.line_classifier.array_types import Floats, Ints
from skord.models.line_classifier.features import characters as ch
from skord.models.line_classifier.features.lines import (
    DENSE,
    MAX_LINE_WORDS,
    WORD_BUCKETS,
    PageFeatures,
)
from skord.models.line_classifier.features.words import IMAGE

WORD_GROUPS = (ch.LOWER, ch.UPPER, ch.LETTER, ch.DIGIT)
LIMIT = 1 << 64
_MARKS = "#-*+>|![`\\"
_KINDS = (ch.LOWER, ch.UPPER, ch.LETTER, ch.ALONE, ch.DIGIT)
_HEADING_LEVELS = 6


class PageArrays(NamedTuple):
    """A page as arrays; n lines have a visible character, and only these count.

    Attributes:
        codes, groups: code point and group of each character.
        lines, starts, ends: number of each of these lines, its first character, and its "\\n".
        first, last: first and last visible character of each.
        counts: characters of each group in each line; shape [n, GROUPS].
        word_at, word_line: first character of each word, and its line among these.
        hashes: of each word in lower case.
    """

    codes: NDArray[np.uint32]
    groups: Ints
    lines: Ints
    starts: Ints
    ends: Ints
    first: Ints
    last: Ints
    counts: Ints
    word_at: Ints
    word_line: Ints
    hashes: NDArray[np.uint64]


def group_of(character: str) -> int:
    return int(ch.group_table()[min(ord(character), ch.TABLE_SIZE - 1)])


def hash_of(word: str) -> int:
    total = 0
    for place, character in enumerate(word[:64], start=1):
        small = int(ch.lower_table()[min(ord(character), ch.TABLE_SIZE - 1)])
        total += (small + 1) * pow(0x100000001B3, place, LIMIT)
    total %= LIMIT
    total = (total ^ (total >> 29)) * 0x9E3779B97F4A7C15 % LIMIT
    return total ^ (total >> 32)


def words_of(text: str) -> Iterator[tuple[int, str]]:
    """Place and characters of each word: runs of letters and digits, or one that stands alone."""
    run = ""
    for at, character in enumerate(f"{text} "):
        group = group_of(character)
        if group in WORD_GROUPS:
            run += character
            continue
        if run:
            yield at - len(run), run
        run = ""
        if group == ch.ALONE:
            yield at, character


def page_arrays(text: str) -> PageArrays:
    rows: list[list[int]] = []
    counts: list[list[int]] = []
    actual: list[tuple[int, int, int]] = []
    start = 0
    for number, line in enumerate(text.split("\n")[:-1]):
        groups = list(map(group_of, line))
        visible = [start + at for at, group in enumerate(groups) if group != ch.SPACE]
        if visible:
            words = [(start + at, len(rows), hash_of(word)) for at, word in words_of(line)]
            actual += words
            rows.append([number, start, start + len(line), visible[0], visible[-1]])
            counts.append([Counter(groups)[group] for group in range(ch.GROUPS)])
        start += len(line) + 1
    of_words = list(zip(*actual, strict=True)) or [(), (), ()]
    return PageArrays(
        np.array([ord(character) for character in text], np.uint32),
        np.array([group_of(character) for character in text], np.int64),
        *np.array(rows, np.int64).reshape(-1, 5).T,
        np.array(counts, np.int64).reshape(-1, ch.GROUPS),
        *(np.array(numbers, np.int64) for numbers in of_words[:2]),
        np.array(of_words[2], np.uint64),
    )


def defined_features(markdown: str) -> PageFeatures:
    page = page_arrays(IMAGE.sub("![]", markdown))
    line_count = markdown.count("\n")
    words = np.bincount(page.word_line, minlength=page.lines.size)
    level = heading_levels(page)
    dense = np.zeros((DENSE, page.lines.size), np.float32)
    if page.lines.size:
        columns: list[NDArray[Any]] = [
            *_shares(page, words),
            *_marks(page, level),
            *_places(page, line_count, words),
            *_sections(level, words),
            *_word_shapes(page, words),
            *_repeats(page),
        ]
        dense = np.stack([column.astype(np.float32) for column in columns])
    return PageFeatures(line_count, page.lines, dense.T, *_looked_up(page, words), words)


def heading_levels(page: PageArrays) -> Ints:
    """Signs `#` that each line begins with, at most _HEADING_LEVELS; 0 is no heading."""
    level = np.zeros(page.first.size, np.int64)
    for step in range(_HEADING_LEVELS):
        at = np.minimum(page.first + step, page.ends)
        level += (page.codes[at] == ord("#")) & (level == step)
    return level


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
