"""Which of the near-duplicate texts is kept, decided out of core and without pairs.

Texts are numbered in the order of their rank: by quality where that is wanted, else, and where
it is equal, by a hash of the id, which favours no site. What an earlier dump kept ranks before
everything in a later one. The decision is greedy in this order: a text is removed if and only
if it shares a band key with a KEPT one and the estimated similarity of the two reaches a
limit, or if the two are equal. Unlike joining everything that is connected, this never lets A
remove C because both resemble a B that is gone, and unlike dropping duplicates band by band
it depends on nothing but the ranks: not on shards, partitions, workers or the order of rows.
A text of a later dump changes no earlier decision.

1. *index*: signatures, ids and digests are copied close together and ranked; what an earlier
   dump kept lies there as keys, sharded into partitions by their value;
2. *match*: of each band, keys that two or more texts share become buckets. A bucket of any
   size costs its rows only, so a page that exists a million times does no harm;
3. *resolve*: one pass in order of rank. For each bucket, one kept text is remembered;
4. *keep*: what was decided is written beside each document.

Texts that failed a filter must not take part: a bad page must not remove its good twin.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skord.native import decide_greedily, join_components, settle_components
from skord.near_duplicates.minhash import (
    NUM_BANDS,
    SIGNATURE_BYTES,
    least_equal_bytes,
    similarity_of,
)

U8 = NDArray[np.uint8]
U32 = NDArray[np.uint32]
U64 = NDArray[np.uint64]
I32 = NDArray[np.int32]
I64 = NDArray[np.int64]

NOT_WANTED = -1
"""In the place of a text's number, where it is not looked at."""

RANGES_AT_ONCE = 14
"""Signatures are read of the texts in at least so many ranges of ranks, some four million; each
time all of the dump's are gone through, a tenth of a microsecond for each text."""
MOST_TIMES = 2
"""How often they are gone through at most, however large the dump is."""

_MOVED_AT_ONCE = 1 << 16
_TIES_AT_ONCE = 1 << 20


class Rule(StrEnum):
    """How removed texts follow from similar ones."""

    greedy = "greedy"
    """A text is removed if it resembles one that is kept."""

    components = "components"
    """Of texts that are connected by resemblance, over any number of steps, one is kept."""


def rank_order(
    hashes: U64, quality: NDArray[np.float64] | None, ids_at: Callable[[I64], Sequence[str]]
) -> I64:
    """The places of all texts, best rank first.

    Args:
        hashes: shape (texts,), of their ids.
        quality: shape (texts,), the higher the better; NaN ranks last. None: equal.
        ids_at: places to ids; called only where quality and hash are equal.

    >>> hashes = np.array([8, 9, 7, 8], np.uint64)
    >>> rank_order(hashes, None, lambda places: ["dacb"[n] for n in places]).tolist()
    [2, 3, 0, 1]
    >>> rank_order(hashes, np.array([0.5, 1.0, np.nan, 0.0]), lambda places: []).tolist()
    [1, 0, 3, 2]
    """
    if quality is not None:
        quality = np.where(np.isnan(quality), -np.inf, quality)
    order = _by_hash(hashes) if quality is None else np.lexsort((hashes, -quality))
    tied = _tied_places(order, [hashes] if quality is None else [hashes, quality])
    for rows in _tied_runs(tied):
        places = np.sort(order[rows])
        order[rows] = places[np.argsort(np.array(ids_at(places), dtype=object), kind="stable")]
    return order.astype(np.int64, copy=False)


def _by_hash(hashes: U64) -> I64:
    """The result of `argsort`, in half of its time: numpy sorts numbers far faster than places.

    So each place stands in the low bits of its hash. Where the high bits of several agree, the
    whole hashes decide their order.
    """
    low_bits = np.uint64(len(hashes).bit_length())
    low = (np.uint64(1) << low_bits) - np.uint64(1)
    packed = hashes & ~low  # the high bits of the hash, and below them the place
    for first in range(0, len(packed), _TIES_AT_ONCE):  # in steps, since new memory is dear
        rows = packed[first : first + _TIES_AT_ONCE]
        rows |= np.arange(first, first + len(rows), dtype=np.uint64)
    packed.sort()
    alike = [np.empty(0, np.int64)]
    for first in range(0, len(packed) - 1, _TIES_AT_ONCE):
        high = packed[first : first + _TIES_AT_ONCE + 1] >> low_bits
        alike.append(np.flatnonzero(high[1:] == high[:-1]) + first)
    packed &= low
    order: I64 = packed.view(np.int64)
    for run in _tied_runs(np.concatenate(alike)):
        order[run] = order[run][np.argsort(hashes[order[run]], kind="stable")]
    return order


def _tied_runs(tied: I64) -> Iterator[slice]:
    """Where rows stand together that are tied, each with the next."""
    for run in np.split(tied, np.flatnonzero(np.diff(tied) > 1) + 1) if len(tied) else []:
        yield slice(run[0], run[-1] + 2)


def _tied_places(order: I64, keys: Sequence[NDArray[Any]]) -> I64:
    """Places in `order` of texts whose keys are those of the next; in steps, to save memory."""
    tied = [np.empty(0, np.int64)]
    for first in range(0, len(order) - 1, _TIES_AT_ONCE):
        # One more than a step, since the two of a pair may lie on either side of its end.
        rows = order[first : first + _TIES_AT_ONCE + 1]
        alike = np.all([np.equal(of[1:], of[:-1]) for of in (key[rows] for key in keys)], axis=0)
        tied.append(np.flatnonzero(alike) + first)
    return np.concatenate(tied)


def ranges_at_once(num_ranges: int) -> int:
    """How many ranges are decided from one reading of the signatures; the last may be fewer.

    >>> [ranges_at_once(ranges) for ranges in (1, 14, 15, 40, 115)]
    [14, 14, 14, 20, 58]
    """
    return max(RANGES_AT_ONCE, -(-num_ranges // MOST_TIMES))


class Numbering(NamedTuple):
    """The texts that count, numbered through by rank.

    First the earlier ones that share a key with one of this dump, which stay whatever comes,
    then this dump's that share one with any other.

    Attributes:
        earlier: for each earlier dump the number of each rank's text, or `NOT_WANTED`.
        own: the same of this dump.
        num_earlier: how many of them are earlier dumps'.
    """

    earlier: Sequence[I32]
    own: I32
    num_earlier: int
    size: int


def number_cluster_texts(
    known: I64, earlier_sizes: Sequence[int], shares: NDArray[np.bool_]
) -> Numbering:
    """Number the texts that share a key.

    Args:
        known: dump * 2**32 + rank of the earlier ones, ascending, each once.
        earlier_sizes: how many texts each earlier dump has.
        shares: of each of this dump's texts, by rank.

    >>> numbering = number_cluster_texts(np.array([1, 2**32]), [3, 1], np.array([False, True]))
    >>> [numbers.tolist() for numbers in (*numbering.earlier, numbering.own)], numbering.size
    ([[-1, 0, -1], [1], [-1, 2]], 3)
    """
    earlier = []
    for dump, size in enumerate(earlier_sizes):
        numbers = np.full(size, NOT_WANTED, np.int32)
        of_dump = np.flatnonzero(known >> 32 == dump)
        numbers[known[of_dump] & (2**32 - 1)] = of_dump
        earlier.append(numbers)
    # Numbers go on where those of the earlier texts end.
    own = np.cumsum(shares, dtype=np.int32) + np.int32(len(known) - 1)
    own[~shares] = NOT_WANTED
    return Numbering(earlier, own, len(known), len(known) + int(np.count_nonzero(shares)))


def first_rows(rows: NDArray[np.uint8]) -> I64:
    """Where the buckets of each text begin that is in any, and the end of the last.

    >>> first_rows(np.array([2, 0, 3], np.uint8)).tolist()
    [0, 2, 5]
    """
    return np.append(0, np.cumsum(rows[rows > 0], dtype=np.int64))


class Resolution:
    """The decision as a stream in order of rank; texts are numbered through by rank.

    Signatures are held of the texts that are about to be decided and of those that were kept.

    Args:
        num_decided: the first so many are kept, whatever comes: those of earlier dumps.
        owner: shape (buckets,), the decided text that holds each bucket, or -1; changed.
        first_exact: buckets from here on hold equal texts.
        least_similarity: estimated Jaccard similarity from which on texts resemble each
            other; 0: a shared band is enough.
        rule: see `Rule`.
    """

    def __init__(
        self,
        num_texts: int,
        num_decided: int,
        owner: I32,
        first_exact: int,
        least_similarity: float,
        rule: Rule = Rule.greedy,
    ) -> None:
        self._owner, self._first_exact = owner, first_exact
        self._least_equal = least_equal_bytes(least_similarity)
        self._rule, self._next = rule, num_decided
        self._keeper = np.full(num_texts, -1, np.int32)
        self._equal = np.zeros(num_texts, np.uint8)
        self._signatures = np.zeros((num_texts, NUM_BANDS), np.uint64)  # no memory until used
        self._slots = np.zeros(num_texts, np.int32)
        self._shown = range(0)
        self._first_slot = self._first_unused = 0

    def show(self, texts: int) -> U64:
        """Room for the signatures of the next texts, shape (texts, 14), to be filled.

        They hold zeros, which stay where there is no signature. All texts shown before must
        have been decided; signatures of those that were removed are forgotten.
        """
        self._forget_removed()
        self._shown = range(self._shown.stop, self._shown.stop + texts)
        slots = slice(self._first_slot, self._first_slot + texts)
        texts_shown = slice(self._shown.start, self._shown.stop)
        self._slots[texts_shown] = np.arange(slots.start, slots.stop, dtype=np.int32)
        room: U64 = self._signatures[slots]
        room[: max(self._first_unused - slots.start, 0)] = 0  # beyond, they are zeros still
        self._first_unused = max(self._first_unused, slots.stop)
        return room

    def _forget_removed(self) -> None:
        """Move together what is left of those shown last; components may need any of them."""
        for first in self._shown[::_MOVED_AT_ONCE]:
            texts = np.arange(first, min(first + _MOVED_AT_ONCE, self._shown.stop))
            if self._rule == Rule.greedy:
                texts = texts[self._keeper[texts] < 0]
            slots = slice(self._first_slot, self._first_slot + len(texts))
            self._signatures[slots] = self._signatures[self._slots[texts]]
            self._slots[texts] = np.arange(slots.start, slots.stop, dtype=np.int32)
            self._first_slot = slots.stop

    def decide(self, starts: I64, buckets: U32) -> None:
        """Decide the next of the texts that have been shown.

        Args:
            starts: shape (texts + 1,), where the buckets of each begin.
            buckets: shape (rows,).
        """
        greedily = self._rule == Rule.greedy
        step = decide_greedily if greedily else join_components
        signatures = (self._signatures, self._slots, self._least_equal)
        state = (self._owner, self._first_exact, *signatures, self._keeper, self._equal)
        step(self._next, starts, buckets, state)
        self._next += len(starts) - 1

    def outcome(self) -> tuple[I32, NDArray[np.float32], I32]:
        """After all: for each text its keeper (-1: kept), the similarity to it, its cluster's size.

        A cluster is a kept text and those removed for it; the size counts the kept one, too.
        """
        if self._rule == Rule.components:
            settle_components(self._signatures, self._keeper, self._equal)
        self._signatures = np.empty((0, NUM_BANDS), np.uint64)
        removed = self._keeper >= 0
        head = np.where(removed, self._keeper, np.arange(len(removed), dtype=np.int32))
        sizes = np.bincount(head, minlength=len(head)).astype(np.int32)[head]
        similarity = similarity_of(np.arange(SIGNATURE_BYTES + 1))[self._equal]
        return self._keeper, similarity, sizes
