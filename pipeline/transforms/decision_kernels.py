"""Compiled loops over the rows of shared keys: order them, decide. See `duplicates`."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

U8 = NDArray[np.uint8]
U32 = NDArray[np.uint32]
U64 = NDArray[np.uint64]
I32 = NDArray[np.int32]
I64 = NDArray[np.int64]


@numba.njit(nogil=True, cache=True)
def order_by_range(ranks: U32, bits: int, num_ranges: int) -> tuple[I64, I64]:
    """The rows in order of the range of 2**`bits` ranks they are in, and where each begins."""
    starts = np.zeros(num_ranges + 1, np.int64)
    for row in range(len(ranks)):
        starts[(np.int64(ranks[row]) >> bits) + 1] += 1
    for number in range(num_ranges):
        starts[number + 1] += starts[number]
    at, order = starts.copy(), np.empty(len(ranks), np.int64)
    for row in range(len(ranks)):
        part = np.int64(ranks[row]) >> bits
        order[at[part]] = row
        at[part] += 1
    return starts, order


@numba.njit(nogil=True, cache=True)
def count_rows(ranks: U32, rows_of: U8) -> None:
    """Count the rows of each rank into `rows_of`, shape (texts,)."""
    for row in range(len(ranks)):
        rows_of[ranks[row]] += np.uint8(1)


@numba.njit(nogil=True, cache=True)
def fill_rows(
    ranks: U32, buckets: U32, num_near: int, near: int, exact: int, low: int, at: I64, out: U32
) -> None:
    """Write the buckets of each rank to its place in `out`, numbered through.

    Args:
        ranks: shape (rows,).
        buckets: shape (rows,), in their own partition.
        num_near: the first so many of the partition's buckets are of bands.
        near: their number among all, of the first.
        exact: the same of the first that is of equal texts.
        low: the first rank of the range.
        at: of each rank in the range the next place in `out`; changed.
        out: written.
    """
    for row in range(len(ranks)):
        text, bucket = np.int64(ranks[row]) - low, np.int64(buckets[row])
        out[at[text]] = bucket + near if bucket < num_near else bucket - num_near + exact
        at[text] += 1


@numba.njit(nogil=True, cache=True, inline="always")
def _equal_bytes(one: U64, other: U64) -> int:
    equal = 0
    for word in range(len(one)):
        differing = one[word] ^ other[word]
        for byte in range(8):
            equal += ((differing >> np.uint64(8 * byte)) & np.uint64(255)) == np.uint64(0)
    return equal


@numba.njit(nogil=True, cache=True)
def decide_greedily(
    first: int,
    starts: I64,
    buckets: U32,
    owner: I32,
    first_exact: int,
    signatures: U64,
    least_equal: int,
    keeper: I32,
    equal: U8,
) -> None:
    """Decide documents `first`, `first` + 1, … in this order; the state is `owner`.

    Args:
        starts: where the buckets of each begin, shape (documents + 1,).
        owner: of each bucket the first kept document, or -1; changed.
        first_exact: buckets from here on hold equal texts.
        signatures: shape (all documents, 14).
        least_equal: bytes of 112 that must agree with the kept document.
        keeper: of each document, written: the most similar kept one, or -1 if it is kept.
        equal: of each document, written: bytes that agree with its keeper.
    """
    for number in range(len(starts) - 1):
        document = first + number
        best, most, last = -1, -1, -1
        for row in range(starts[number], starts[number + 1]):
            held = owner[buckets[row]]
            exact = buckets[row] >= first_exact
            if held < 0 or (held == last and not exact):
                continue
            last = held
            agree = _equal_bytes(signatures[document], signatures[held])
            if exact:
                agree = 8 * signatures.shape[1]
            better = agree > most or (agree == most and held < best)
            if (exact or agree >= least_equal) and better:
                best, most = held, agree
        keeper[document] = best
        if best >= 0:
            equal[document] = most
            continue
        for row in range(starts[number], starts[number + 1]):
            if owner[buckets[row]] < 0:
                owner[buckets[row]] = document


@numba.njit(nogil=True, cache=True)
def join_components(
    first: int,
    starts: I64,
    buckets: U32,
    owner: I32,
    first_exact: int,
    signatures: U64,
    least_equal: int,
    keeper: I32,
    equal: U8,  # noqa: ARG001 - filled by `settle_components`
) -> None:
    """As `decide_greedily`, but a document joins every one it resembles, kept or not.

    `keeper` becomes a forest: -1, or a document of lower rank in the same component. An
    owner is the first document of its bucket.
    """
    for number in range(len(starts) - 1):
        document = first + number
        for row in range(starts[number], starts[number + 1]):
            held = owner[buckets[row]]
            if held < 0:
                owner[buckets[row]] = document
                continue
            agree = _equal_bytes(signatures[document], signatures[held])
            if buckets[row] < first_exact and agree < least_equal:
                continue
            one, other = _root(keeper, document), _root(keeper, held)
            if one != other:
                keeper[max(one, other)] = min(one, other)


@numba.njit(nogil=True, cache=True)
def _root(keeper: I32, document: int) -> int:
    while keeper[document] >= 0:
        if keeper[keeper[document]] >= 0:
            keeper[document] = keeper[keeper[document]]
        document = keeper[document]
    return document


@numba.njit(nogil=True, cache=True)
def settle_components(signatures: U64, keeper: I32, equal: U8) -> None:
    """Point every document at the root of its component; bytes that agree with it."""
    for document in range(len(keeper)):
        root = _root(keeper, document)
        if root != document:
            keeper[document] = root
            equal[document] = _equal_bytes(signatures[document], signatures[root])
