"""The order in which the texts of a dump are decided."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pipeline.core.columns import ID, ColumnStore
from pipeline.io.duplicate_files import FILTERED
from pipeline.transforms.duplicate_tables import NO_RANK, RANKS_SCHEMA
from pipeline.transforms.duplicates import rank_order
from pipeline.transforms.minhash import digests_of

I64 = NDArray[np.int64]


@dataclass(frozen=True)
class Ranking:
    """Ranks all texts of a dump that compete.

    Args:
        store: of the dump.
        num_shards: of FilterDocuments.
        quality: its column that ranks them, the higher the better; empty: none does.
    """

    store: ColumnStore
    num_shards: int
    quality: str = ""

    def parts(self) -> tuple[Iterator[pa.Table], int]:
        """A table of `RANKS_SCHEMA` for each shard, and how many texts compete.

        Memory is some 20 bytes for each of them.
        """
        competes, hashes, grades = [], [np.empty(0, np.uint64)], [np.empty(0)]
        for shard in range(self.num_shards):
            table, mask = self._competing(shard)
            competes.append(mask)
            hashes.append(digests_of(table[ID.name]))
            if self.quality:
                grades.append(table[self.quality].cast(pa.float64()).to_numpy())
        firsts = np.cumsum([0, *map(len, hashes[1:])])
        quality = np.concatenate(grades) if self.quality else None
        order = rank_order(np.concatenate(hashes), quality, lambda at: self._ids_at(at, firsts))
        ranks = np.empty(len(order), np.uint32)
        ranks[order] = np.arange(len(order), dtype=np.uint32)
        return self._tables(competes, ranks), len(order)

    def _tables(
        self, competes: list[NDArray[np.bool_]], ranks: NDArray[np.uint32]
    ) -> Iterator[pa.Table]:
        first = 0
        for mask in competes:
            column = np.full(len(mask), NO_RANK, np.uint32)
            size = int(np.count_nonzero(mask))
            column[mask] = ranks[first : first + size]
            first += size
            yield pa.table([column], schema=RANKS_SCHEMA)

    def _competing(self, shard: int) -> tuple[pa.Table, NDArray[np.bool_]]:
        wanted = [ID.name, "passes_all_quality_filters", *([self.quality] if self.quality else [])]
        table = self.store.read_table(self.store.path(FILTERED, shard), wanted)
        mask = table["passes_all_quality_filters"].fill_null(fill_value=False)
        return table.filter(mask), mask.to_numpy()

    def _ids_at(self, places: I64, firsts: I64) -> list[str]:
        """Ids of texts by their place among all that compete."""
        shards = np.searchsorted(firsts, places, side="right") - 1
        return [
            str(self._competing(shard)[0][ID.name][place - firsts[shard]])
            for shard, place in zip(shards.tolist(), places.tolist(), strict=True)
        ]
