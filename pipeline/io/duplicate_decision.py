"""Decide all texts of one dump: the one step of Deduplicate that sees the whole of it.

Memory: 112 bytes for each text that shares a key with another, 4 for each text and each
shared key, and the rows of one range of ranks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pipeline.io.duplicate_files import NOT_WANTED, BucketFiles, RankedTexts
from pipeline.transforms.duplicate_tables import (
    DECISIONS_SCHEMA,
    NO_RANK,
    RANGE_BITS,
    num_ranges,
)
from pipeline.transforms.duplicates import Resolution, Rule, no_signatures

I32 = NDArray[np.int32]
F32 = NDArray[np.float32]


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
        held, texts = buckets.owners(num_ranges(own.size))
        known, place = np.unique(texts, return_inverse=True)
        self._rows = buckets.rows_of(own.size)
        self._first = len(known)
        self._places = [self._places_of_earlier(known, n) for n in range(len(earlier))]
        self._places.append(self._places_of_own())
        near, exact = buckets.counts
        owner = np.full(near.sum() + exact.sum(), -1, np.int32)
        owner[held] = place
        resolution = Resolution(
            self._signatures(), self._first, owner, int(near.sum()), least_similarity, rule
        )
        for number in range(num_ranges(own.size)):
            self._decide(resolution, number)
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

    def _signatures(self) -> NDArray[np.uint64]:
        signatures = no_signatures(self._first + int(np.count_nonzero(self._rows)))
        for texts, places in zip([*self._earlier, self._own], self._places, strict=True):
            if (places != NOT_WANTED).any():
                texts.signatures(places, signatures)
        return signatures

    def _decide(self, resolution: Resolution, number: int) -> None:
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
        for _, ranks in self._own.shards():
            competing = ranks[ranks != NO_RANK]
            competing = competing[place_of[competing] != NOT_WANTED]
            told = competing[self._sizes[place_of[competing]] > 1]
            places = place_of[told]
            keeper = self._keeper[places]
            removed = keeper >= 0
            columns = [
                pa.array(told),
                ids.take(pa.array(number[keeper], mask=~removed)),
                pa.array(self._similarity[places], mask=~removed),
                pa.array(self._sizes[places]),
            ]
            yield pa.table(columns, schema=DECISIONS_SCHEMA)

    def _keeper_ids(self) -> tuple[I32, pa.ChunkedArray]:
        """Of each text its number among the keepers, and their ids."""
        keeps = np.zeros(len(self._keeper), np.bool_)
        keeps[self._keeper[self._keeper >= 0]] = True
        number = np.cumsum(keeps, dtype=np.int32) - np.int32(1)
        chunks = [pa.array([], pa.string())]
        for texts, places in zip([*self._earlier, self._own], self._places, strict=True):
            wanted = np.full(len(places), NOT_WANTED, np.int32)
            known = np.flatnonzero(places != NOT_WANTED)
            known = known[keeps[places[known]]]
            wanted[known] = places[known]
            if len(known):
                chunks += texts.ids(wanted).chunks
        return number, pa.chunked_array(chunks, pa.string())
