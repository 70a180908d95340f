"""Cutting a long page into windows, and which window rules on which line."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Window(NamedTuple):
    """Tokens [start, end) of a page, and the separators that this window rules on.

    Attributes:
        owned: numbers of the page's separators, ascending.
    """

    start: int
    end: int
    owned: NDArray[np.int64]


def page_windows(
    tokens: int, separators: NDArray[np.int64], length: int, overlap: int
) -> list[Window]:
    """Windows that cover a page, every separator owned by exactly one.

    A separator belongs to the window where fewer tokens are missing on its worse side; the
    page's own start and end are no missing tokens. All windows of a page that needs several
    have the same length: the last one ends with the page.

    Args:
        tokens: of the page.
        separators: positions of the tokens that end a line, ascending.
        length: of a window.
        overlap: of neighbouring windows, below `length`.

    >>> [(w.start, w.end, w.owned.tolist()) for w in page_windows(10, np.array([1, 4, 5, 9]), 6, 2)]
    [(0, 6, [0, 1]), (4, 10, [2, 3])]
    """
    starts = list(range(0, max(tokens - length, 0), length - overlap))
    starts.append(max(tokens - length, 0))
    owner = np.zeros(separators.size, np.int64)
    context = np.full(separators.size, -1, np.int64)
    for number, start in enumerate(starts):
        end = min(start + length, tokens)
        inside = slice(*np.searchsorted(separators, [start, end]))
        here = _context(separators[inside], start, end, tokens)
        better = here > context[inside]
        context[inside][better] = here[better]
        owner[inside][better] = number
    return [
        Window(start, min(start + length, tokens), np.flatnonzero(owner == number))
        for number, start in enumerate(starts)
    ]


def _context(positions: NDArray[np.int64], start: int, end: int, tokens: int) -> NDArray[np.int64]:
    """Tokens between each position and the nearer end of the window that is no page end."""
    before = positions - start if start > 0 else np.full(positions.size, tokens)
    after = end - 1 - positions if end < tokens else np.full(positions.size, tokens)
    return np.minimum(before, after)
