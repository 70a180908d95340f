"""Compiled loops for the published MinHash keys; see `published_minhash` for what they mean."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

from pipeline.transforms.sketch_kernels import code_points

U8 = NDArray[np.uint8]
U32 = NDArray[np.uint32]
U64 = NDArray[np.uint64]
BOOL = NDArray[np.bool_]

NOT_ONE = np.uint32(0xFFFFFFFF)
"""Stands in the table for a code point whose lower case is not one and the same code point."""

_P = np.uint64(2**61 - 1)
_LOW = np.uint64(2**32 - 1)
_HALF = np.uint64(32)


@numba.njit(nogil=True, cache=True, inline="always")
def _folded(small: np.uint64, middle: np.uint64, large: np.uint64, plus: np.uint64) -> np.uint64:
    """small + middle 2^32 + large 2^64 + plus modulo P = 2^61 - 1; see `_times_plus` there."""
    total = plus + (small & _P) + (small >> np.uint64(61))
    total += ((middle << _HALF) & _P) + (middle >> np.uint64(29))
    total += ((large << np.uint64(3)) & _P) + (large >> np.uint64(58))
    total = (total & _P) + (total >> np.uint64(61))
    return min(total, total - _P)


@numba.njit(nogil=True, cache=True, inline="always")
def _times(a: np.uint64, x: np.uint64, plus: np.uint64) -> np.uint64:
    a1, a2, x1, x2 = a & _LOW, a >> _HALF, x & _LOW, x >> _HALF
    return _folded(a1 * x1, a1 * x2 + a2 * x1, a2 * x2, plus)


@numba.njit(nogil=True, cache=True)
def published_keys(
    starts: U64, data: U8, table: U32, numbers: U64, z: np.uint64, out: U64, made: BOOL, odd: BOOL
) -> None:
    """Write the 14 band keys of each text.

    Args:
        starts: shape (texts + 1,), where each text begins in `data`; the last is the end.
        data: UTF-8.
        table: shape (0x110000,), the normalised code points, or `NOT_ONE`.
        numbers: a, b and c of the published code, shape (3, rows).
        z: base of the polynomial hash.
        out: shape (texts, bands), written.
        made: shape (texts,), written: whether the text has 16 characters.
        odd: shape (texts,), written: the text holds a code point that is `NOT_ONE`; its keys
            are not made.
    """
    longest = np.uint64(0)
    for text in range(len(made)):
        longest = max(longest, starts[text + 1] - starts[text])
    points = np.empty(longest + np.uint64(1), np.uint32)
    shingles = np.empty(longest + np.uint64(1), np.uint64)
    least = np.empty(numbers.shape[1], np.uint64)
    for text in range(len(made)):
        size = code_points(data, starts[text], starts[text + 1], table, points)
        odd[text] = _holds_odd(points, size)
        made[text] = size >= np.uint64(16) and not odd[text]
        if made[text]:
            count = _shingles(points, int(size), z, shingles)
            _minima(shingles, count, numbers[0], numbers[1], least)
            _bands(least, numbers[2], out[text])


@numba.njit(nogil=True, cache=True)
def _holds_odd(points: U32, size: np.uint64) -> bool:
    odd = False
    for at in range(size):
        odd |= points[at] == NOT_ONE
    return odd


@numba.njit(nogil=True, cache=True)
def _shingles(points: U32, size: int, z: np.uint64, out: U64) -> int:
    """Hashes of all runs of 16, from the last to the first; returns how many there are.

    A run's hash is the sum of z^i c_i; stepping one place to the left multiplies by z, adds
    the new first character and takes the last away.
    """
    power, hashed, count = np.uint64(1), np.uint64(0), 0
    for _ in range(16):
        power = _times(power, z, np.uint64(0))
    for place in range(size):
        at = size - 1 - place
        hashed = _times(hashed, z, np.uint64(points[at]))
        if place >= 16:
            gone = _times(power, np.uint64(points[at + 16]), np.uint64(0))
            hashed = min(hashed - gone, hashed - gone + _P)
        if place >= 15:
            out[count] = hashed
            count += 1
    return count


@numba.njit(nogil=True, cache=True)
def _minima(shingles: U64, count: int, a: U64, b: U64, least: U64) -> None:
    """The minimum of (a x + b) mod P over all runs, for each row."""
    a1, a2 = a & _LOW, a >> _HALF
    least[:] = _P
    for at in range(count):
        x1, x2 = shingles[at] & _LOW, shingles[at] >> _HALF
        for row in range(len(least)):
            middle = a1[row] * x2 + a2[row] * x1
            value = _folded(a1[row] * x1, middle, a2[row] * x2, b[row])
            least[row] = min(least[row], value)


@numba.njit(nogil=True, cache=True)
def _bands(least: U64, c: U64, out: U64) -> None:
    rows = len(least) // len(out)
    for band in range(len(out)):
        total = np.uint64(0)
        for row in range(band * rows, band * rows + rows):
            total = _times(c[row], least[row], total)
        out[band] = total
