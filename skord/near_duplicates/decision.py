"""Decide all texts of one dump: the one step of Deduplicate that sees the whole of it.

Memory: 112 bytes for each kept text that shares a key with another, and for each that does among
those that are decided at once; 4 for each text and each shared key.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from skord.near_duplicates.buckets import BucketFiles
from skord.near_duplicates.files import RankedTexts
from skord.near_duplicates.minhash import one_array
from skord.near_duplicates.resolution import (
    NOT_WANTED,
    Numbering,
    Resolution,
    Rule,
    first_rows,
    number_cluster_texts,
    ranges_at_once,
)
from skord.near_duplicates.tables import (
    DECISIONS_SCHEMA,
    NO_RANK,
    RANGE_BITS,
    num_ranges,
)

U8 = NDArray[np.uint8]
I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
F32 = NDArray[np.float32]


@dataclass(frozen=True)
class DumpDecision:
    """The decisions on one dump's texts, beside those that earlier dumps kept.

    Args:
        earlier: those of the earlier dumps, in their order.
        buckets: the keys that are shared.
        least_similarity: see `Resolution`.
        rule: see `Rule`.
    """

    own: RankedTexts
    earlier: Sequence[RankedTexts]
    buckets: BucketFiles
    least_similarity: float
    rule: Rule

    def parts(self) -> Iterator[pa.Table]:
        """A table of `DECISIONS_SCHEMA` for each shard."""
        held, texts = self.buckets.owners()
        known, holder = np.unique(texts, return_inverse=True)
        rows = self.buckets.rows_of()
        numbering = number_cluster_texts(known, [texts.size for texts in self.earlier], rows > 0)
        resolution = self._resolution(numbering, held, holder)
        self._show_earlier(resolution, numbering)
        size = num_ranges(self.own.size)
        at_once = ranges_at_once(size) if self.rule == Rule.greedy else max(size, 1)
        for first in range(0, size, at_once):
            self._decide(resolution, numbering, rows, range(first, min(first + at_once, size)))
        yield from self._decision_tables(numbering, *resolution.outcome())

    def _resolution(self, numbering: Numbering, held: I64, holder: I64) -> Resolution:
        near, exact = self.buckets.counts
        owner = np.full(near.sum() + exact.sum(), -1, np.int32)
        owner[held] = holder
        return Resolution(
            numbering.size,
            numbering.num_earlier,
            owner,
            int(near.sum()),
            self.least_similarity,
            self.rule,
        )

    def _show_earlier(self, resolution: Resolution, numbering: Numbering) -> None:
        buffer = resolution.show(numbering.num_earlier)
        for texts, numbers in zip(self.earlier, numbering.earlier, strict=True):
            if (numbers != NOT_WANTED).any():
                texts.signatures(numbers, 0, buffer)

    def _decide(
        self, resolution: Resolution, numbering: Numbering, rows: U8, ranges: range
    ) -> None:
        low, high = ranges.start << RANGE_BITS, ranges.stop << RANGE_BITS
        shares, numbers = rows[low:high] > 0, numbering.own[low:high]
        buffer = resolution.show(int(np.count_nonzero(shares)))
        first = int(numbers[np.argmax(shares)])
        self.own.signatures(np.where(shares, numbers - first, NOT_WANTED), low, buffer)
        for number in ranges:
            of_range = rows[number << RANGE_BITS : (number + 1) << RANGE_BITS]
            starts = np.append(0, np.cumsum(of_range, dtype=np.int64))
            resolution.decide(first_rows(of_range), self.buckets.buckets(number, starts))

    def _decision_tables(
        self, numbering: Numbering, keepers: I32, similarity: F32, sizes: I32
    ) -> Iterator[pa.Table]:
        """What became of each text that has a duplicate or is one, shard by shard."""
        number, ids = self._keeper_ids(numbering, keepers)
        for ranks in self.own.all_ranks():
            competing = ranks[ranks != NO_RANK]
            numbers = numbering.own[competing]
            shares = numbers != NOT_WANTED
            competing, numbers = competing[shares], numbers[shares]
            in_cluster = sizes[numbers] > 1
            ranked, numbers = competing[in_cluster], numbers[in_cluster]
            keeper = keepers[numbers]
            removed = keeper >= 0
            columns = [
                pa.array(ranked),
                ids.take(pa.array(number[keeper], mask=~removed)),
                pa.array(similarity[numbers], mask=~removed),
                pa.array(sizes[numbers]),
            ]
            yield pa.table(columns, schema=DECISIONS_SCHEMA)

    def _keeper_ids(self, numbering: Numbering, keepers: I32) -> tuple[I32, pa.Array]:
        """Of each text its place among the keepers, and their ids."""
        keeps = np.zeros(len(keepers) + 1, np.bool_)  # one more, for `NOT_WANTED`
        keeps[keepers[keepers >= 0]] = True
        place = np.zeros(len(keepers), np.int32)
        chunks, size = [pa.array([], pa.string())], 0
        of_dumps = zip([*self.earlier, self.own], [*numbering.earlier, numbering.own], strict=True)
        for texts, numbers in of_dumps:
            wanted = np.where(keeps[numbers], numbers, NOT_WANTED)  # keeps[-1] is false
            if not (wanted != NOT_WANTED).any():
                continue
            for rows, ids in texts.ids(wanted):
                place[rows] = np.arange(size, size + len(rows), dtype=np.int32)
                chunks.append(ids)
                size += len(rows)
        return place, one_array(pa.chunked_array(chunks, pa.string()))
