"""Compiled loops over band keys: deal them out, find the shared ones. See `duplicates`.

Numba compiles them on the first call and keeps the result beside this file, or in
NUMBA_CACHE_DIR. Memory is touched in pieces that fit the cache: rows are first dealt into
parts of some thousand, so that the table in which equal keys meet is small.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from pipeline.transforms.sketch_kernels import split_mixed

U32 = NDArray[np.uint32]
U64 = NDArray[np.uint64]
I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
BOOL = NDArray[np.bool_]
Values = NDArray[Any]

NOBODY = np.int64(2**63 - 1)
_PART_ROWS = 1 << 14
_BLOCK = 2048  # texts whose signatures stay in the second cache
_HALF = np.uint64(32)


@numba.njit(nogil=True, cache=True)
def scattered_keys(
    bands: U64, signed: BOOL, digests: U64, ranks: U32, no_rank: int, num_parts: int
) -> tuple[U64, U32, I64]:
    """The mixed keys of the texts that compete, dealt by their high halves into ranges.

    Args:
        bands: shape (texts, bands); only those of texts that are `signed` count.
        digests: shape (texts,), taken for one band more.
        ranks: shape (texts,); `no_rank`: does not compete.
        num_parts: ranges of equal width.

    Returns:
        Keys, ranks of their texts, and where the rows of each range and, in it, of each band
        begin, shape (num_parts * (bands + 1) + 1,).
    """
    num_bands, competes = bands.shape[1] + 1, ranks != np.uint32(no_rank)
    signed = signed & competes
    starts = np.zeros(num_parts * num_bands + 1, np.int64)
    for first in range(0, len(ranks), _BLOCK):
        block = slice(first, first + _BLOCK)
        for band in range(num_bands - 1):
            counts = starts[band + 1 :: num_bands]
            _count_parts(bands[block, band], signed[block], num_parts, counts)
        _count_parts(digests[block], competes[block], num_parts, starts[num_bands::num_bands])
    for place in range(len(starts) - 1):
        starts[place + 1] += starts[place]
    at = starts[:-1].copy()
    keys, of = np.empty(starts[-1], np.uint64), np.empty(starts[-1], np.uint32)
    for first in range(0, len(ranks), _BLOCK):
        block = slice(first, first + _BLOCK)
        for band in range(num_bands - 1):
            taken, places = signed[block], at[band::num_bands]
            _deal_parts(bands[block, band], taken, ranks[block], num_parts, places, keys, of)
        taken, places = competes[block], at[num_bands - 1 :: num_bands]
        _deal_parts(digests[block], taken, ranks[block], num_parts, places, keys, of)
    return keys, of, starts


@numba.njit(nogil=True, cache=True)
def _count_parts(keys: U64, taken: BOOL, num_parts: int, counts: I64) -> None:
    for row in range(len(keys)):
        part = ((split_mixed(keys[row]) >> _HALF) * np.uint64(num_parts)) >> _HALF
        counts[part] += taken[row]


@numba.njit(nogil=True, cache=True)
def _deal_parts(
    keys: U64, taken: BOOL, ranks: U32, num_parts: int, places: I64, out_keys: U64, out_ranks: U32
) -> None:
    for row in range(len(keys)):
        if taken[row]:
            key = split_mixed(keys[row])
            part = ((key >> _HALF) * np.uint64(num_parts)) >> _HALF
            place = np.uint64(places[part])
            out_keys[place], out_ranks[place] = key, ranks[row]
            places[part] += 1


@numba.njit(nogil=True, cache=True)
def _by_low_bits(keys: U64, values: Values, num_parts: int) -> tuple[U64, Values, I64]:
    """Rows dealt by the lowest bits of their keys; `num_parts` is a power of two."""
    last = np.uint64(num_parts - 1)
    starts = np.zeros(num_parts + 1, np.int64)
    for row in range(len(keys)):
        starts[np.int64(keys[row] & last) + 1] += 1
    for part in range(num_parts):
        starts[part + 1] += starts[part]
    at = starts.copy()
    out_keys, out_values = np.empty_like(keys), np.empty_like(values)
    for row in range(len(keys)):
        place = at[np.int64(keys[row] & last)]
        out_keys[place], out_values[place] = keys[row], values[row]
        at[np.int64(keys[row] & last)] += 1
    return out_keys, out_values, starts


@numba.njit(nogil=True, cache=True, inline="always")
def _cell(table_keys: U64, used: I32, part: int, cells: int, key: np.uint64) -> np.int64:
    """Where the key is in the table, or would be."""
    at = np.int64((key >> np.uint64(24)) & np.uint64(cells - 1))
    while used[at] == part and table_keys[at] != key:
        at = (at + 1) & (cells - 1)
    return at


@numba.njit(nogil=True, cache=True, inline="always")
def _power_of_two(least: int) -> int:
    power = 2
    while power < least:
        power *= 2
    return power


@numba.njit(nogil=True, cache=True)
def shared_keys(
    keys: U64, ranks: U32, earlier_keys: U64, earlier_values: I64
) -> tuple[U32, U32, I64]:
    """Rows whose key another row or an earlier one has too; keys are mixed.

    Args:
        keys: shape (rows,), of one band and range.
        ranks: of the text of each.
        earlier_keys: of texts decided long ago, in any order.
        earlier_values: shape of these; what they are known by, the lowest before all others.

    Returns:
        Rank and bucket of each shared row, and for each bucket the lowest of
        `earlier_values` with its key, or `NOBODY`.
    """
    num_parts = _power_of_two(len(keys) // _PART_ROWS)
    keys, ranks, starts = _by_low_bits(keys, ranks, num_parts)
    earlier_keys, earlier_values, before = _by_low_bits(earlier_keys, earlier_values, num_parts)
    most = _power_of_two(2 * np.max(np.diff(starts)))
    table_keys, used = np.empty(most, np.uint64), np.full(most, -1, np.int32)
    count, bucket = np.empty(most, np.int32), np.empty(most, np.int32)
    owner = np.empty(most, np.int64)
    cell_of = np.empty(len(keys), np.int32)
    out_ranks, out_buckets = np.empty(len(keys), np.uint32), np.empty(len(keys), np.uint32)
    owners = np.empty(len(keys), np.int64)
    size, num_buckets = 0, 0
    for part in range(num_parts):
        cells = _power_of_two(2 * (starts[part + 1] - starts[part]))
        for row in range(starts[part], starts[part + 1]):
            at = _cell(table_keys, used, part, cells, keys[row])
            if used[at] != part:
                used[at], table_keys[at] = part, keys[row]
                count[at], bucket[at], owner[at] = 0, -1, NOBODY
            count[at] += 1
            cell_of[row] = at
        for row in range(before[part], before[part + 1]):
            at = _cell(table_keys, used, part, cells, earlier_keys[row])
            if used[at] == part:
                owner[at] = min(owner[at], earlier_values[row])
        for row in range(starts[part], starts[part + 1]):
            at = cell_of[row]
            if count[at] >= 2 or owner[at] != NOBODY:
                if bucket[at] < 0:
                    bucket[at], owners[num_buckets] = num_buckets, owner[at]
                    num_buckets += 1
                out_ranks[size], out_buckets[size] = ranks[row], bucket[at]
                size += 1
    return out_ranks[:size].copy(), out_buckets[:size].copy(), owners[:num_buckets].copy()
