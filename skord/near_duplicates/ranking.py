"""The order in which the texts of a dump are decided."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from skord.core.storage.shared_columns import ID
from skord.near_duplicates.files import SignedTexts
from skord.near_duplicates.resolution import rank_order
from skord.near_duplicates.tables import NO_RANK, RANKS_SCHEMA

I64 = NDArray[np.int64]

_RANKS_AT_ONCE = 1 << 20

DIGEST = "id_digest"
"""The column that orders the texts, and shows which of them compete."""


@dataclass(frozen=True)
class Ranking:
    """Ranks all texts of a dump that compete.

    Args:
        quality: the task and its column that ranks them, the higher the better; None: none does.
    """

    texts: SignedTexts
    quality: tuple[str, str] | None = None

    def parts(self) -> tuple[Iterator[pa.Table], int]:
        """A table of `RANKS_SCHEMA` for each shard, and how many texts compete.

        Memory is some 20 bytes for each of them.
        """
        competes, hashes, grades = [], [np.empty(0, np.uint64)], [np.empty(0)]
        for shard, table in enumerate(self.texts.tables([DIGEST])):
            mask = table[DIGEST].is_valid().to_numpy()
            competes.append(mask)
            hashes.append(table[DIGEST].drop_null().to_numpy())
            if self.quality:
                grades.append(self._grades(shard, *self.quality)[mask])
        firsts = np.cumsum([0, *map(len, hashes[1:])])
        quality = np.concatenate(grades) if self.quality else None
        order = rank_order(np.concatenate(hashes), quality, lambda at: self._ids_at(at, firsts))
        ranks = np.empty(len(order), np.uint32)
        for low in range(0, len(order), _RANKS_AT_ONCE):
            places = order[low : low + _RANKS_AT_ONCE]
            ranks[places] = np.arange(low, low + len(places), dtype=np.uint32)
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

    def _grades(self, shard: int, task: str, name: str) -> NDArray[np.float64]:
        """The quality of each of the shard's documents; NaN where it has none."""
        store = self.texts.store
        column = store.read_table(store.path(task, shard), [name])[name]
        grades: NDArray[np.float64] = column.cast(pa.float64()).to_numpy()
        return grades

    def _ids_at(self, places: I64, firsts: I64) -> list[str]:
        """Ids of texts by their place among all that compete."""
        shards = np.searchsorted(firsts, places, side="right") - 1
        return [
            str(self._competing_ids(shard)[place - firsts[shard]])
            for shard, place in zip(shards.tolist(), places.tolist(), strict=True)
        ]

    def _competing_ids(self, shard: int) -> pa.ChunkedArray:
        table = self.texts.table(shard, [ID.name, DIGEST])
        return table.filter(table[DIGEST].is_valid())[ID.name]
