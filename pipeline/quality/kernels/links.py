"""A compiled loop over the links of many pages at once. See `text_kernels`."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

U8 = NDArray[np.uint8]
I64 = NDArray[np.int64]
Places = NDArray[np.int32]

_NEWLINE, _TAB, _BLANK, _MARK, _AND, _LESS, _MORE = 10, 9, 32, 33, 38, 60, 62
_BACKSLASH, _CODE, _OPEN, _CLOSE, _ADDRESS, _ADDRESS_END = 92, 96, 91, 93, 40, 41
_SEMICOLON, _SLASH, _NUMBER = 59, 47, 35
_LONGEST_ENTITY = 10
_NEAR = 4_000
"""Bytes behind a sign in which its partner is looked for."""


@numba.njit(nogil=True, cache=True)
def count_linked(
    data: U8,
    starts: I64,
    verdicts: U8,
    verdict_starts: I64,
    span_starts: I64,
    link_starts: Places,
    link_ends: Places,
    linked: I64,
) -> None:
    """Characters of text that links show on the lines that are kept.

    Tags and images, backslashes, and blanks beyond one are no text; an entity is one character.

    Args:
        data: the pages' Markdown in UTF-8.
        starts: where each page begins in it.
        verdicts: of every line of every page: not 0 where it is kept.
        verdict_starts: where each page's begin.
        span_starts: where each page's links begin.
        link_starts: first character of each link, counted within its page; ascending.
        link_ends: behind its last character.
        linked: for each page, zeros, to be filled.
    """
    for page in range(len(starts) - 1):
        line, char, is_code, is_blank = verdict_starts[page], 0, False, True
        link, last_link = span_starts[page], span_starts[page + 1]
        last_line, seen = verdict_starts[page + 1], starts[page]
        for at in range(starts[page], starts[page + 1]):
            if link == last_link:
                break
            if data[at] & 0xC0 == 0x80:  # inside of a character
                continue
            while link < last_link and link_ends[link] <= char:
                link += 1
            is_linked = link < last_link and link_starts[link] <= char
            char += 1
            if data[at] == _NEWLINE:
                line += 1
                is_code, is_blank = False, True
            elif at < seen or line >= last_line or not verdicts[line]:
                continue
            elif is_linked:
                is_code ^= data[at] == _CODE
                counts, seen = (1, at + 1) if is_code else _shown(data, at, starts[page + 1])
                if counts:
                    was_blank, is_blank = is_blank, data[at] == _BLANK or data[at] == _TAB
                    linked[page] += not (was_blank and is_blank)
            elif data[at] == _MARK:  # links in an image's description are none of the text's
                seen = _shown(data, at, starts[page + 1])[1]


@numba.njit(nogil=True, cache=True)
def _shown(data: U8, at: int, end: int) -> tuple[int, int]:
    """Whether what begins at a place is a character of text, and where it ends."""
    if at + 1 >= end:
        return 1, end
    after = data[at + 1]
    if data[at] == _BACKSLASH and _is_sign(after):
        return 1, at + 2
    if data[at] == _LESS and (after == _SLASH or _is_letter(after)):
        behind = _behind(data, at, end, _MORE)
        return behind == at, max(behind, at + 1)
    if data[at] == _MARK and after == _OPEN:
        address = _behind(data, at, end, _CLOSE)
        if address > at and address < end and data[address] == _ADDRESS:
            behind = _behind(data, address, end, _ADDRESS_END)
            return behind == address, behind if behind > address else at + 1
    if data[at] == _AND and (after == _NUMBER or _is_letter(after)):
        return 1, max(_behind(data, at, min(end, at + _LONGEST_ENTITY), _SEMICOLON), at + 1)
    return 1, at + 1


@numba.njit(nogil=True, cache=True)
def _behind(data: U8, at: int, end: int, sign: int) -> int:
    """Behind the next such sign that is near, on the line, after no backslash; `at` if none is."""
    for place in range(at + 1, min(end, at + _NEAR)):
        if data[place] == _NEWLINE:
            return at
        if data[place] == sign and data[place - 1] != _BACKSLASH:
            return place + 1
    return at


@numba.njit(nogil=True, cache=True)
def _is_letter(byte: int) -> bool:
    return 97 <= byte | 32 <= 122


@numba.njit(nogil=True, cache=True)
def _is_sign(byte: int) -> bool:
    """Whether a byte is a punctuation sign of ASCII, which a backslash may stand before."""
    return 33 <= byte <= 126 and not (_is_letter(byte) or 48 <= byte <= 57)
