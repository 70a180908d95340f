"""Compiled loops over the bytes of many texts at once: sketches and digests. See `minhash`.

Texts come as Arrow holds them: all UTF-8 bytes in one buffer, and where each begins. Numba
compiles these functions on the first call (seconds) and keeps the result beside this file,
or in NUMBA_CACHE_DIR; importing it takes half a second, so this module is imported only
where texts are at hand. Positions are unsigned, for an index that may be negative costs a test.
"""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

U8 = NDArray[np.uint8]
U32 = NDArray[np.uint32]
U64 = NDArray[np.uint64]

_ASCII_END = np.uint64(0x80)
_EMPTY = np.uint32(0xFFFFFFFF)
_Z = np.uint64(0x9E3779B97F4A7C15)  # odd; the base of the rolling hash
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)  # these two are SplitMix64's (Steele et al. 2014)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_PRIME_1 = np.uint64(0x9E3779B185EBCA87)  # these five are xxHash's
_PRIME_2 = np.uint64(0xC2B2AE3D27D4EB4F)
_PRIME_3 = np.uint64(0x165667B19E3779F9)
_PRIME_4 = np.uint64(0x85EBCA77C2B2AE63)
_PRIME_5 = np.uint64(0x27D4EB2F165667C5)


@numba.njit(nogil=True, cache=True, inline="always")
def split_mixed(x: np.uint64) -> np.uint64:
    """SplitMix64's finisher: a bijection that spreads every bit over all."""
    x = (x ^ (x >> np.uint64(30))) * _MIX_1
    x = (x ^ (x >> np.uint64(27))) * _MIX_2
    return x ^ (x >> np.uint64(31))


@numba.njit(nogil=True, cache=True)
def code_points(data: U8, start: np.uint64, end: np.uint64, table: U32, out: U32) -> np.uint64:
    """Decode UTF-8 and look each code point up in `table`; returns how many were written."""
    one, size, at = np.uint64(1), np.uint64(0), start
    while at < end:
        first = np.uint32(data[at])
        if first < np.uint32(0x80):
            out[size] = table[first]
            at += one
        elif first < np.uint32(0xE0):
            second = np.uint32(data[at + one]) & np.uint32(0x3F)
            out[size] = table[((first & np.uint32(0x1F)) << np.uint32(6)) | second]
            at += np.uint64(2)
        else:
            point, at = _long_point(data, at, first)
            out[size] = table[point]
        size += one
    return size


@numba.njit(nogil=True, cache=True)
def _long_point(data: U8, at: np.uint64, first: np.uint32) -> tuple[np.uint32, np.uint64]:
    """A code point of three or four bytes, and where the next begins."""
    six, low = np.uint32(6), np.uint32(0x3F)
    point = np.uint32(data[at + np.uint64(1)]) & low
    point = (point << six) | (np.uint32(data[at + np.uint64(2)]) & low)
    if first < np.uint32(0xF0):
        return ((first & np.uint32(0x0F)) << np.uint32(12)) | point, at + np.uint64(3)
    point = (point << six) | (np.uint32(data[at + np.uint64(3)]) & low)
    return ((first & np.uint32(0x07)) << np.uint32(18)) | point, at + np.uint64(4)


@numba.njit(nogil=True, cache=True)
def sketches(
    starts: U64, data: U8, table: U32, shingle_chars: np.uint64, out: U8, valid: NDArray[np.bool_]
) -> None:
    """Write the one-permutation sketch of each text into its row of `out`.

    Args:
        starts: shape (texts + 1,), where each text begins in `data`; the last is the end.
        data: UTF-8.
        table: shape (0x110000,), what stands for each code point.
        shingle_chars: code points in a shingle.
        out: shape (texts, bins), written.
        valid: shape (texts,), written: whether the text has a shingle at all.
    """
    longest = np.uint64(0)
    for text in range(len(valid)):
        longest = max(longest, starts[text + 1] - starts[text])
    points = np.empty(longest + np.uint64(1), np.uint32)
    smallest = np.empty(out.shape[1], np.uint32)
    oldest = np.uint64(1)
    for _ in range(shingle_chars):
        oldest *= _Z
    for text in range(len(valid)):
        size = code_points(data, starts[text], starts[text + 1], table, points)
        valid[text] = size >= shingle_chars
        if valid[text]:
            _fill_bins(points, size, shingle_chars, oldest, smallest)
            _write_bytes(smallest, out[text])


@numba.njit(nogil=True, cache=True, inline="always")
def _fill_bins(
    points: U32, size: np.uint64, width: np.uint64, oldest: np.uint64, smallest: U32
) -> None:
    """The smallest hash of those shingles that fall into each bin."""
    bins = np.uint64(len(smallest))
    smallest[:] = _EMPTY
    half, hashed = np.uint64(32), np.uint64(0)
    for at in range(width - np.uint64(1)):
        hashed = hashed * _Z + np.uint64(points[np.uint64(at)])
    leaves = np.uint64(0)
    for at in range(width - np.uint64(1), size):
        hashed = hashed * _Z + (np.uint64(points[np.uint64(at)]) - oldest * leaves)
        leaves = np.uint64(points[np.uint64(at) - width + np.uint64(1)])
        mixed = (hashed ^ (hashed >> np.uint64(29))) * _MIX_1
        mixed ^= mixed >> half
        place = ((mixed >> half) * bins) >> half
        value = np.uint32((mixed * _MIX_2) >> half)
        smallest[place] = min(smallest[place], value)


@numba.njit(nogil=True, cache=True, inline="always")
def _write_bytes(smallest: U32, row: U8) -> None:
    """One byte of each bin; an empty bin takes the value of another, chosen by its own number.

    Every bin hashes its value anew, so that two texts of one shingle each, which fill all
    bins with one value, agree in one byte of 256 and not in all of them.
    """
    bins, half = np.uint64(len(smallest)), np.uint64(32)
    for place in range(len(smallest)):
        value, attempt = smallest[place], np.uint64(0)
        while value == _EMPTY:
            attempt += np.uint64(1)
            drawn = split_mixed((np.uint64(place) << half) | attempt)
            value = smallest[((drawn >> half) * bins) >> half]
        row[place] = np.uint8(
            split_mixed((np.uint64(place) << half) ^ np.uint64(value)) >> np.uint64(56)
        )


@numba.njit(nogil=True, cache=True)
def digests(starts: U64, data: U8, out: U64) -> None:
    """Write XXH64, seed 0, of each text's bytes into `out`, shape (texts,)."""
    for text in range(len(out)):
        out[text] = _xxh64(data, starts[text], starts[text + 1])


@numba.njit(nogil=True, cache=True, inline="always")
def _rotated(x: np.uint64, left: int) -> np.uint64:
    return (x << np.uint64(left)) | (x >> np.uint64(64 - left))


@numba.njit(nogil=True, cache=True, inline="always")
def _round(state: np.uint64, lane: np.uint64) -> np.uint64:
    return _rotated(state + lane * _PRIME_2, 31) * _PRIME_1


@numba.njit(nogil=True, cache=True, inline="always")
def _bytes_8(data: U8, at: np.uint64) -> np.uint64:
    lane = np.uint64(0)
    for place in range(8):
        lane |= np.uint64(data[at + np.uint64(place)]) << np.uint64(8 * place)
    return lane


@numba.njit(nogil=True, cache=True)
def _xxh64(data: U8, at: np.uint64, end: np.uint64) -> np.uint64:
    size = end - at
    if size >= np.uint64(32):
        state, at = _stripes(data, at, end)
    else:
        state = _PRIME_5
    state += size
    while end - at >= np.uint64(8):
        state ^= _round(np.uint64(0), _bytes_8(data, at))
        state = _rotated(state, 27) * _PRIME_1 + _PRIME_4
        at += np.uint64(8)
    if end - at >= np.uint64(4):
        lane = np.uint64(0)
        for place in range(4):
            lane |= np.uint64(data[at + np.uint64(place)]) << np.uint64(8 * place)
        state = _rotated(state ^ (lane * _PRIME_1), 23) * _PRIME_2 + _PRIME_3
        at += np.uint64(4)
    while at < end:
        state = _rotated(state ^ (np.uint64(data[at]) * _PRIME_5), 11) * _PRIME_1
        at += np.uint64(1)
    state = (state ^ (state >> np.uint64(33))) * _PRIME_2
    state = (state ^ (state >> np.uint64(29))) * _PRIME_3
    return state ^ (state >> np.uint64(32))


@numba.njit(nogil=True, cache=True, inline="always")
def _stripes(data: U8, at: np.uint64, end: np.uint64) -> tuple[np.uint64, np.uint64]:
    """The state after all whole stripes of 32 bytes, and where the rest begins."""
    a, b = _PRIME_1 + _PRIME_2, _PRIME_2
    c, d = np.uint64(0), np.uint64(0) - _PRIME_1
    while end - at >= np.uint64(32):
        a = _round(a, _bytes_8(data, at))
        b = _round(b, _bytes_8(data, at + np.uint64(8)))
        c = _round(c, _bytes_8(data, at + np.uint64(16)))
        d = _round(d, _bytes_8(data, at + np.uint64(24)))
        at += np.uint64(32)
    state = _rotated(a, 1) + _rotated(b, 7) + _rotated(c, 12) + _rotated(d, 18)
    for lane in (a, b, c, d):
        state = (state ^ _round(np.uint64(0), lane)) * _PRIME_1 + _PRIME_4
    return state, at
