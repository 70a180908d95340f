"""Tables between the steps of finding repeated passages: in what files, and how much at a time.

However many texts there are, one step holds tables of one shard's anchors, of `ROWS` prints or
keys, and of one shard's repeated passages. What is wanted of a partition comes a range of keys at
a time; a file of prints has as many groups of row groups, one row group for each partition, as it
was written in.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from skord.core.storage.column_store import ColumnStore
from skord.extras.passages.passages import (
    PRINTS_SCHEMA,
    REPEATED_SCHEMA,
    U32,
    U64,
    anchors,
    by_key,
    is_in,
    passage_fingerprints,
    repeated_prints,
)
from skord.near_duplicates.minhash import digests_of

ROWS, ROWS_OF_GROUP = 1 << 20, 1 << 16
"""Prints or keys that are sorted at a time; repeated passages of a row group."""

BYTES_PER_PARTITION = 256 << 20
"""Of text, about: where the number of partitions is not set."""

LEAST_PARTITIONS = 16

KEYS_SCHEMA = pa.schema([("key", pa.uint64())])

Batch = tuple[pa.ChunkedArray, pa.ChunkedArray]
"""Ids and texts of a row group; the text of one that is not kept is null."""


@dataclass(frozen=True)
class PassageFiles:
    """The steps, each of which reads and writes files of a store.

    Attributes:
        length: tokens of the shortest passage.
        rows: prints or keys that are sorted at a time.
    """

    store: ColumnStore
    task: str
    fingerprint: str
    num_shards: int
    num_partitions: int
    length: int
    rows: int = ROWS

    def phase(self, name: str) -> str:
        """Under which a step's files lie: another number of partitions has others."""
        return f"{name}-{self.num_partitions}"

    def path(self, name: str, number: int) -> str:
        """Of one file of a step."""
        return self.store.path(self.task, number, self.phase(name))

    def list_anchors(self, shard: int, batches: Iterable[Batch]) -> None:
        """Keys of the anchors of a shard, by partition."""
        keys = (pa.table({"key": anchors(texts, self.length)[0]}) for _, texts in batches)
        self._write_parts("anchors", shard, keys, "key", KEYS_SCHEMA)

    def find_anchors(self, part: int) -> None:
        """Those of a partition that occur more than once, sorted."""
        path = self.path("again", part)
        with self.store.writer(path, KEYS_SCHEMA, self.fingerprint, incompressible=["key"],
                               indexed=False) as writer:  # fmt: skip
            for table in self._ranges("anchors", part, "key"):
                keys = np.sort(table["key"].to_numpy())
                again = np.unique(keys[1:][keys[1:] == keys[:-1]])
                writer.write(pa.table({"key": again}))

    def list_prints(self, shard: int, batches: Callable[[], Iterable[Batch]]) -> None:
        """Prints around such anchors of a shard, by partition."""
        anchored = [anchors(texts, self.length) for _, texts in batches()]
        again = self._again([keys for keys, _, _ in anchored])
        places = [(of[mine], where[mine])
                  for (_, of, where), mine in zip(anchored, again, strict=True)]  # fmt: skip
        del anchored, again
        self._write_parts("prints", shard, self._prints(shard, batches(), places), "high",
                          PRINTS_SCHEMA)  # fmt: skip

    def _again(self, keys: Sequence[U64]) -> list[NDArray[np.bool_]]:
        """Which keys occur again, a partition's at a time."""
        result = [np.zeros(len(one), np.bool_) for one in keys]
        for part in range(self.num_partitions):
            wanted: U64 = self.store.read_table(self.path("again", part))["key"].to_numpy()
            if len(wanted):
                low, high = wanted[0], wanted[-1]
                for mine, one in zip(result, keys, strict=True):
                    near = np.flatnonzero((one >= low) & (one <= high))
                    mine[near] = is_in(one[near], wanted)
        return result

    def _prints(
        self, shard: int, batches: Iterable[Batch], places: Sequence[tuple[U32, U32]]
    ) -> Iterator[pa.Table]:
        first = 0
        for (ids, texts), (of, where) in zip(batches, places, strict=True):
            ranks = digests_of(ids)
            yield passage_fingerprints(texts, self.length, of, where, ranks, shard, first)
            first += len(texts)

    def find_prints(self, part: int) -> None:
        """Passages of a partition that occur more than once; each row group sorted by shard."""
        path = self.path("repeated", part)
        with self.store.writer(path, REPEATED_SCHEMA, self.fingerprint, indexed=False) as writer:
            for table in self._ranges("prints", part, "high"):
                result = repeated_prints(table)
                for start in range(0, len(result), ROWS_OF_GROUP):
                    writer.write(result.slice(start, ROWS_OF_GROUP))

    def of_shard(self, shard: int) -> pa.Table:
        """A shard's repeated passages, by row and place."""
        parts = [
            self.store.read_slice(self.path("repeated", part), shard, shard + 1)
            for part in range(self.num_partitions)
        ]
        table = pa.concat_tables(parts).drop_columns(["shard"])
        del parts
        rows, places = table["row"].to_numpy(), table["place"].to_numpy()
        order = np.lexsort([places, rows])
        return table.take(pa.array(order))

    def _write_parts(
        self, name: str, number: int, tables: Iterable[pa.Table], key: str, schema: pa.Schema
    ) -> None:
        """Write tables by partition: as many row groups as partitions for some `ROWS` rows each."""
        random = [field for field in ("key", "high", "low", "rank") if field in schema.names]
        with self.store.writer(self.path(name, number), schema, self.fingerprint,
                               incompressible=random, indexed=False) as writer:  # fmt: skip
            for table in _regrouped_tables(tables, schema, self.rows):
                for part in by_key(table, key, self.num_partitions):
                    writer.write(part)

    def _ranges(self, name: str, part: int, key: str) -> Iterator[pa.Table]:
        """A partition's rows of all shards, a range of keys at a time, equal keys together."""
        paths = [self.path(name, shard) for shard in range(self.num_shards)]
        total = sum(self._rows(path, part) for path in paths)
        width = 2**64 // self.num_partitions
        last = part + 1 == self.num_partitions
        low, high = width * part, 2**64 if last else width * (part + 1)
        count = max(1, -(-total // self.rows))
        # Keys are hashes: ranges of equal width hold about as many rows each.
        edges = [low + (high - low) * step // count for step in range(count)] + [high]
        for begin, end in itertools.pairwise(edges):
            tables = [
                table for path in paths for table in self._within(path, part, key, begin, end)
            ]
            if tables:
                yield pa.concat_tables(tables)

    def _rows(self, path: str, part: int) -> int:
        with self.store.open_parquet(path) as file:
            groups = range(part, file.num_row_groups, self.num_partitions)
            return sum(file.metadata.row_group(group).num_rows for group in groups)

    def _within(self, path: str, part: int, key: str, low: int, high: int) -> Iterator[pa.Table]:
        with self.store.open_parquet(path) as file:
            for group in range(part, file.num_row_groups, self.num_partitions):
                table = file.read_row_group(group, use_threads=False)
                keys = table[key].to_numpy()
                first = int(np.searchsorted(keys, np.uint64(low)))
                # 2**64 itself is no number of 64 bits.
                end = len(keys) if high == 2**64 else int(np.searchsorted(keys, np.uint64(high)))
                if first < end:
                    whole = (first, end) == (0, len(keys))
                    # A slice would keep alive what is beside it.
                    yield table if whole else table.take(pa.array(np.arange(first, end)))


def _regrouped_tables(
    tables: Iterable[pa.Table], schema: pa.Schema, most: int
) -> Iterator[pa.Table]:
    """The same rows in tables of some `most` rows; one without rows where there are none."""
    waiting, rows = [schema.empty_table()], 0
    written = False
    for table in tables:
        waiting.append(table)
        rows += len(table)
        if rows >= most:
            yield pa.concat_tables(waiting)
            waiting, rows, written = [schema.empty_table()], 0, True
    if rows or not written:
        yield pa.concat_tables(waiting)


def partitions_for(text_bytes: int) -> int:
    """How many partitions keep what a step holds of one within bounds.

    >>> partitions_for(0), partitions_for(10 << 30)
    (16, 40)
    """
    return max(LEAST_PARTITIONS, -(-text_bytes // BYTES_PER_PARTITION))
