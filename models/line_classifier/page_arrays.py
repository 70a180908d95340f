r"""A page as arrays of characters, lines and words.

"\n" alone ends a line: U+2028, U+0085, \f and \r are spaces.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from models.line_classifier import characters as ch
from pipeline.native import CharacterTables, character_tables, line_arrays

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]

_HEADING_LEVELS = 6


class PageArrays(NamedTuple):
    """A page as arrays; n lines have a visible character, and only these count.

    Attributes:
        codes, groups: code point and group of each character.
        lines, starts, ends: number of each of these lines, its first character, and its "\n".
        first, last: first and last visible character of each.
        counts: characters of each group in each line; shape [n, GROUPS].
        word_at, word_line: first character of each word, and its line among these.
        hashes: of each word in lower case. A word is a run of letters and digits, of which the
            first 64 are hashed, or one letter of a script that is written without spaces.
    """

    codes: NDArray[np.uint32]
    groups: NDArray[np.uint8]
    lines: Ints
    starts: Ints
    ends: Ints
    first: Ints
    last: Ints
    counts: Ints
    word_at: Ints
    word_line: Ints
    hashes: NDArray[np.uint64]


def page_arrays(text: str) -> PageArrays:
    """A page as arrays. A remainder after the last line break is not looked at: it is no line."""
    encoded = text.encode("utf-32-le", "surrogatepass")
    groups, *arrays, hashes = line_arrays(_tables(), encoded)
    lines, starts, ends, first, last, counts, at, line = (
        np.frombuffer(array, np.int64) for array in arrays
    )
    return PageArrays(
        np.frombuffer(encoded, np.uint32),
        np.frombuffer(groups, np.uint8),
        lines,
        starts,
        ends,
        first,
        last,
        counts.reshape(-1, ch.GROUPS),
        at,
        line,
        np.frombuffer(hashes, np.uint64),
    )


@lru_cache(maxsize=1)
def _tables() -> CharacterTables:
    """Groups and lower case of all characters, and which groups make words."""
    kinds = np.zeros(ch.GROUPS, np.uint8)
    kinds[ch.LOWER : ch.DIGIT + 1] = 1
    kinds[ch.ALONE] = 2
    kinds[ch.SPACE] = 3
    return character_tables(ch.group_table(), ch.lower_table(), kinds)


def heading_levels(page: PageArrays) -> Ints:
    """Signs `#` that each line begins with, at most _HEADING_LEVELS; 0 is no heading."""
    level = np.zeros(page.first.size, np.int64)
    for step in range(_HEADING_LEVELS):
        at = np.minimum(page.first + step, page.ends)
        level += (page.codes[at] == ord("#")) & (level == step)
    return level
