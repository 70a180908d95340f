r"""A page as arrays of characters, lines and words.

"\n" alone ends a line: U+2028, U+0085, \f and \r are spaces.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from models.line_classifier import characters as ch

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]

_MIX = np.uint64(0x9E3779B97F4A7C15)
_HASH_CHARACTERS = 64
_HEADING_LEVELS = 6


class PageArrays(NamedTuple):
    """A page as arrays: code points, their groups, and the ends of its visible lines."""

    codes: NDArray[np.uint32]
    groups: NDArray[np.uint8]
    starts: Ints
    ends: Ints
    first: Ints  # first visible character of each line
    last: Ints  # last visible character


def visible_lines(codes: NDArray[np.uint32], ends: Ints) -> tuple[Ints, PageArrays]:
    """Numbers of the lines with a visible character, and the page cut to them."""
    groups = ch.group_table()[np.minimum(codes, ch.TABLE_SIZE - 1)]
    starts = np.concatenate([[0], ends[:-1] + 1]).astype(np.int64)[: ends.size]
    visible = np.flatnonzero(groups != ch.SPACE)
    from_here = np.searchsorted(visible, starts)
    to_here = np.searchsorted(visible, ends)
    lines = np.flatnonzero(to_here > from_here)
    first, last = visible[from_here[lines]], visible[to_here[lines] - 1]
    return lines, PageArrays(codes, groups, starts[lines], ends[lines], first, last)


def hashed_words(page: PageArrays) -> tuple[Ints, Ints, NDArray[np.uint64]]:
    """Starts of all words, the line of each, and a hash of each in lower case.

    A word is a run of letters and digits, of which the first _HASH_CHARACTERS are hashed, or
    one letter of a script that is written without spaces.
    """
    # A line break ends the page's last line, so no word touches the end of these arrays.
    kind = np.where((page.groups >= ch.LOWER) & (page.groups <= ch.DIGIT), 1, 0)
    kind[page.groups == ch.ALONE] = 2
    before, after = np.append(0, kind[:-1]), np.append(kind[1:], 0)
    starts = np.flatnonzero((kind == 2) | ((kind == 1) & (before != 1)))
    ends = np.flatnonzero((kind == 2) | ((kind == 1) & (after != 1))) + 1
    length = np.minimum(ends - starts, _HASH_CHARACTERS)
    offsets = np.cumsum(np.append(0, length))[:-1]
    within = np.arange(length.sum()) - np.repeat(offsets, length)
    at = np.repeat(starts, length) + within
    small = ch.lower_table()[np.minimum(page.codes[at], ch.TABLE_SIZE - 1)].astype(np.uint64)
    mixed = (small + np.uint64(1)) * _powers()[within]
    hashes = np.add.reduceat(mixed, offsets) if starts.size else np.zeros(0, np.uint64)
    hashes = (hashes ^ (hashes >> np.uint64(29))) * _MIX
    spread: NDArray[np.uint64] = hashes ^ (hashes >> np.uint64(32))
    return starts, np.searchsorted(page.ends, starts), spread


def _powers() -> NDArray[np.uint64]:
    """Odd multipliers for the characters of a word by their place."""
    return np.cumprod(np.full(_HASH_CHARACTERS, 0x100000001B3, np.uint64)).astype(np.uint64)


def heading_levels(page: PageArrays) -> Ints:
    """Signs `#` that each line begins with, at most _HEADING_LEVELS; 0 is no heading."""
    level = np.zeros(page.first.size, np.int64)
    for step in range(_HEADING_LEVELS):
        at = np.minimum(page.first + step, page.ends)
        level += (page.codes[at] == ord("#")) & (level == step)
    return level
