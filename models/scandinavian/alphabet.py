"""Texts as the classifier sees them: lower-case letters, and one blank for all between them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from skord.native import write_letters
from skord.text.words import string_buffers

MOST_LETTERS = 1000
"""A page's language is clear by then."""

BLANK = 1
_LATIN_END = 0x250


class Letters(NamedTuple):
    """Letters of some texts, one after another, and where each text's begin (one entry more)."""

    letters: NDArray[np.uint8]
    starts: NDArray[np.int64]


@cache
def letter_table() -> NDArray[np.uint8]:
    """Number of each code point's lower-case letter, Latin up to U+024F; `BLANK` for others.

    The last entry stands for every code point above.
    """

    numbers: dict[str, int] = {}
    table = np.full(_LATIN_END + 1, BLANK, np.uint8)
    for code in range(_LATIN_END):
        lower = chr(code).lower()
        if chr(code).isalpha() and len(lower) == 1:
            table[code] = numbers.setdefault(lower, BLANK + 1 + len(numbers))
    return table


def read_letters(texts: Sequence[str]) -> Letters:
    """The first `MOST_LETTERS` letters and blanks of each text.

    >>> read_letters(["Åh, 2 får!"]).starts.tolist()
    [0, 8]
    """

    starts, data = string_buffers(pa.array(texts, pa.string()))
    letters = np.empty(int(starts[-1] - starts[0]) + 2 * len(texts), np.uint8)
    firsts = np.zeros(len(texts) + 1, np.int64)
    size = write_letters(starts, data, letter_table(), MOST_LETTERS, letters, firsts)
    return Letters(letters[:size], firsts)
