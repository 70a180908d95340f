"""Decide all texts of one dump: the one step of Deduplicate that sees the whole of it.

Memory: 112 bytes for each kept text that shares a key with another, and for each that does among
those that are decided at once; 4 for each text and each shared key.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pipeline.near_duplicates.buckets import BucketFiles
from pipeline.near_duplicates.files import NOT_WANTED, RankedTexts
from pipeline.near_duplicates.minhash import one_array
from pipeline.near_duplicates.resolution import Resolution, Rule
from pipeline.near_duplicates.tables import (
    DECISIONS_SCHEMA,
    NO_RANK,
    RANGE_BITS,
    num_ranges,
)

RANGES_AT_ONCE = 14
"""Signatures are read of the texts in at least so many ranges of ranks, some four million; each
time all of the dump's are gone through, a tenth of a microsecond for each text."""
MOST_TIMES = 2
"""How often they are gone through at most, however large the dump is."""

I32 = NDArray[np.int32]
F32 = NDArray[np.float32]


def ranges_at_once(num_ranges: int) -> int:
    """How many ranges are decided from one reading of the signatures; the last may be fewer.

    >>> [ranges_at_once(ranges) for ranges in (1, 14, 15, 40, 115)]
    [14, 14, 14, 20, 58]
    """
    return max(RANGES_AT_ONCE, -(-num_ranges // MOST_TIMES))


class DumpDecision:
    """The decisions on one dump's texts, beside those that earlier dumps kept.

    The texts that count are numbered through by rank: first the earlier ones that share a
    key with one of this dump, then this dump's that share one with any other.

    Args:
        own: this dump's texts.
        earlier: those of the earlier dumps, in their order.
        buckets: the keys that are shared.
        least_similarity: see `Resolution`.
        rule: see `Rule`.
    """

    def __init__(
        self,
        own: RankedTexts,
        earlier: Sequence[RankedTexts],
        buckets: BucketFiles,
        least_similarity: float,
        rule: Rule,
    ) -> None:
        self._own, self._earlier, self._buckets = own, earlier, buckets
        held, texts = buckets.owners()
        known, place = np.unique(texts, return_inverse=True)
        self._rows = buckets.rows_of()
        self._first = len(known)
        self._places = [self._places_of_earlier(known, n) for n in range(len(earlier))]
        self._places.append(self._places_of_own())
        near, exact = buckets.counts
        owner = np.full(near.sum() + exact.sum(), -1, np.int32)
        owner[held] = place
        resolution = Resolution(
            self._first + int(np.count_nonzero(self._rows)),
            self._first,
            owner,
            int(near.sum()),
            least_similarity,
            rule,
        )
        self._show_earlier(resolution)
        size = num_ranges(self._own.size)
        at_once = ranges_at_once(size) if rule == Rule.greedy else max(size, 1)
        for first in range(0, size, at_once):
            self._decide(resolution, range(first, min(first + at_once, size)))
        self._keeper, self._similarity, self._sizes = resolution.outcome()

    def _places_of_earlier(self, known: NDArray[np.int64], number: int) -> I32:
        places = np.full(self._earlier[number].size, NOT_WANTED, np.int32)
        mine = np.flatnonzero(known >> 32 == number)
        places[known[mine] & (2**32 - 1)] = mine
        return places

    def _places_of_own(self) -> I32:
        shares = self._rows > 0
        places = np.cumsum(shares, dtype=np.int32) + np.int32(self._first - 1)
        places[~shares] = NOT_WANTED
        return places

    def _show_earlier(self, resolution: Resolution) -> None:
        room = resolution.show(self._first)
        for texts, places in zip(self._earlier, self._places, strict=False):
            if (places != NOT_WANTED).any():
                texts.signatures(places, 0, room)

    def _decide(self, resolution: Resolution, ranges: range) -> None:
        low, high = ranges.start << RANGE_BITS, ranges.stop << RANGE_BITS
        rows, places = self._rows[low:high], self._places[-1][low:high]
        room = resolution.show(int(np.count_nonzero(rows)))
        first = int(places[np.argmax(rows > 0)])
        self._own.signatures(np.where(rows > 0, places - first, NOT_WANTED), low, room)
        for number in ranges:
            self._decide_range(resolution, number)

    def _decide_range(self, resolution: Resolution, number: int) -> None:
        rows = self._rows[number << RANGE_BITS : (number + 1) << RANGE_BITS]
        starts = np.zeros(len(rows) + 1, np.int64)
        np.cumsum(rows, out=starts[1:])
        buckets = self._buckets.buckets(number, starts)
        shares = np.append(rows > 0, True)
        resolution.decide(starts[shares], buckets)

    def parts(self) -> Iterator[pa.Table]:
        """A table of `DECISIONS_SCHEMA` for each shard."""
        number, ids = self._keeper_ids()
        place_of = self._places[-1]
        for ranks in self._own.all_ranks():
            competing = ranks[ranks != NO_RANK]
            places = place_of[competing]
            shares = places != NOT_WANTED
            competing, places = competing[shares], places[shares]
            in_cluster = self._sizes[places] > 1
            told, places = competing[in_cluster], places[in_cluster]
            keeper = self._keeper[places]
            removed = keeper >= 0
            columns = [
                pa.array(told),
                ids.take(pa.array(number[keeper], mask=~removed)),
                pa.array(self._similarity[places], mask=~removed),
                pa.array(self._sizes[places]),
            ]
            yield pa.table(columns, schema=DECISIONS_SCHEMA)

    def _keeper_ids(self) -> tuple[I32, pa.Array]:
        """Of each text its number among the keepers, and their ids."""
        keeps = np.zeros(len(self._keeper) + 1, np.bool_)  # one more, for `NOT_WANTED`
        keeps[self._keeper[self._keeper >= 0]] = True
        number = np.zeros(len(self._keeper), np.int32)
        chunks, size = [pa.array([], pa.string())], 0
        for texts, places in zip([*self._earlier, self._own], self._places, strict=True):
            wanted = np.where(keeps[places], places, NOT_WANTED)  # keeps[-1] is false
            if not (wanted != NOT_WANTED).any():
                continue
            for rows, ids in texts.ids(wanted):
                number[rows] = np.arange(size, size + len(rows), dtype=np.int32)
                chunks.append(ids)
                size += len(rows)
        return number, one_array(pa.chunked_array(chunks, pa.string()))
