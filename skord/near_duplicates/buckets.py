"""The shared keys that Deduplicate's `match` writes, as its `decide` reads them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from skord.core.storage.column_store import ColumnStore
from skord.native import count_rows, fill_rows
from skord.near_duplicates.tables import RANGE_BITS, num_ranges

U8 = NDArray[np.uint8]
U32 = NDArray[np.uint32]
I64 = NDArray[np.int64]


@dataclass(frozen=True)
class BucketFiles:
    """The shared keys of all partitions, buckets numbered through: the near ones first.

    Args:
        paths: tables of `BUCKETS_SCHEMA`.
    """

    store: ColumnStore
    paths: Sequence[str]
    num_ranks: int

    def _parts(
        self, part: int, columns: Sequence[str] | None = None
    ) -> Iterator[tuple[int, pa.Table]]:
        """The row groups of a range of ranks, or of what is after the last: path and table."""
        for number, path in enumerate(self.paths):
            with self.store.open_parquet(path) as file:
                for group in range(part, file.num_row_groups, num_ranges(self.num_ranks) + 1):
                    table = file.read_row_group(group, columns=columns, use_threads=False)
                    yield number, table

    @cached_property
    def counts(self) -> tuple[I64, I64]:
        """Near and exact buckets of each partition."""
        footers = [self.store.footer(path) for path in self.paths]
        footer_counts = [footer.counts if footer else {} for footer in footers]
        near, exact = (
            [int(counts[kind]) for counts in footer_counts] for kind in ("near", "exact")
        )
        return np.array(near, np.int64), np.array(exact, np.int64)

    @cached_property
    def firsts(self) -> tuple[I64, I64]:
        """The first near and the first exact bucket of each partition, among all."""
        near, exact = self.counts
        return np.cumsum(near) - near, near.sum() + np.cumsum(exact) - exact

    def rows_of(self) -> U8:
        """How many buckets each rank is in, shape (ranks,)."""
        rows = np.zeros(self.num_ranks, np.uint8)
        for part in range(num_ranges(self.num_ranks)):
            for _, table in self._parts(part, ["rank"]):
                count_rows(table["rank"].to_numpy(), rows)
        return rows

    def buckets(self, part: int, starts: I64) -> U32:
        """The buckets of a range of ranks.

        Args:
            starts: of each rank, shape (ranks + 1,), where its buckets begin.
        """
        out, at = np.empty(starts[-1], np.uint32), starts[:-1].copy()
        for number, table in self._parts(part, ["rank", "bucket"]):
            rank, bucket = table["rank"].to_numpy(), table["bucket"].to_numpy()
            fill_rows(rank, bucket, self._numbering(number), part << RANGE_BITS, at, out)
        return out

    def owners(self) -> tuple[I64, I64]:
        """What holds buckets: their numbers, and dump * 2**32 + rank of each."""
        buckets, texts = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
        for number, table in self._parts(num_ranges(self.num_ranks)):
            held, (near, first, exact) = table["bucket"].to_numpy(), self._numbering(number)
            held = held.astype(np.int64)
            buckets.append(np.where(held < near, held + first, held - near + exact))
            dump = table["dump"].to_numpy().astype(np.int64)
            texts.append((dump << 32) + table["rank"].to_numpy())
        return np.concatenate(buckets), np.concatenate(texts)

    def _numbering(self, number: int) -> tuple[int, int, int]:
        """Near buckets of a partition, and the first of them and of the exact ones among all."""
        first_near, first_exact = self.firsts
        return int(self.counts[0][number]), int(first_near[number]), int(first_exact[number])
