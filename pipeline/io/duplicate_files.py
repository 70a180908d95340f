"""What Deduplicate reads and writes beside its columns: ranks, buckets, texts of a dump."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pipeline.core.columns import ID, ColumnStore
from pipeline.core.failures import ShardError
from pipeline.native import count_rows, fill_rows, gather_signatures
from pipeline.transforms.duplicate_tables import (
    KEYS_SCHEMA,
    NEVER_COMPRESSES,
    NO_RANK,
    NUM_KEYS,
    RANGE_BITS,
    key_parts,
    num_ranges,
    of_partition,
    overlapping,
    signature_words,
)
from pipeline.transforms.minhash import SIGNATURE_SCHEMA, one_array

U8 = NDArray[np.uint8]
U32 = NDArray[np.uint32]
U64 = NDArray[np.uint64]
I32 = NDArray[np.int32]
I64 = NDArray[np.int64]

FILTERED = "FilterDocuments"
INDEX = "IndexKept"
NOT_WANTED = -1


def write_parts(
    store: ColumnStore,
    path: str,
    parts: Iterable[pa.Table],
    stamp: str,
    counts: Mapping[str, int] = MappingProxyType({}),
) -> None:
    """Write tables of one schema, each as a row group; counts as they are after the last."""
    parts = iter(parts)
    first = next(parts)
    random = [name for name in first.schema.names if name in NEVER_COMPRESSES]
    with store.writer(path, first.schema, stamp, incompressible=random, indexed=False) as writer:
        writer.write(first)
        for part in parts:
            writer.write(part)
        writer.counts.update(counts)


def read_part(
    store: ColumnStore, path: str, part: int, columns: Sequence[str] | None = None
) -> pa.Table:
    """One row group of such a file."""
    with store.open_parquet(path) as file:
        return file.read_row_group(part, columns=columns, use_threads=False)


@dataclass(frozen=True)
class DumpTexts:
    """The columns of FilterDocuments that decide over a dump's duplicates, shard by shard.

    Args:
        store: of the dump.
        copies: files that hold them of some shards each, a row group for each shard in order;
            empty: they are taken from FilterDocuments' own files, among whose many columns and
            row groups it takes ten times as long to find a few.
    """

    store: ColumnStore
    copies: Sequence[str] = ()

    def tables(self, names: Sequence[str]) -> Iterator[pa.Table]:
        """Some of the columns, a table for each shard."""
        if not self.copies:
            for shard in range(self._num_shards()):
                yield self.table(shard, names)
        for path in self.copies:
            with self.store.open_parquet(path) as file:
                for group in range(file.num_row_groups):
                    yield file.read_row_group(group, columns=list(names), use_threads=False)

    def table(self, shard: int, names: Sequence[str]) -> pa.Table:
        """The same of one shard, out of FilterDocuments' own file."""
        return self.store.read_table(self.store.path(FILTERED, shard), names)

    def _num_shards(self) -> int:
        manifest = self.store.manifest(FILTERED)
        if manifest is None:
            raise ShardError(f"{FILTERED} {self.store.dump} is not sealed: run it first")
        return int(manifest["num_shards"])


@dataclass(frozen=True)
class RankedTexts:
    """The texts of one dump by rank.

    Args:
        texts: where they lie.
        ranks_path: a table of `RANKS_SCHEMA`.
    """

    texts: DumpTexts
    ranks_path: str

    @property
    def store(self) -> ColumnStore:
        """Of the dump."""
        return self.texts.store

    @cached_property
    def size(self) -> int:
        """How many compete."""
        footer = self.store.footer(self.ranks_path)
        return int(footer.counts["competing"]) if footer else 0

    def ranks(self, shard: int) -> U32:
        """The ranks of one shard's documents, shape (documents,)."""
        ranks: U32 = read_part(self.store, self.ranks_path, shard)["rank"].to_numpy()
        return ranks

    def kept_ranks(self, shard: int, kept_by: str) -> U32:
        """The same without the texts that the task did not keep, if one is named."""
        ranks = self.ranks(shard)
        if not kept_by:
            return ranks
        keep = self.store.read_table(self.store.path(kept_by, shard), ["dedup_keep"])["dedup_keep"]
        kept = keep.fill_null(fill_value=False).to_numpy()
        return np.where(kept, ranks, np.uint32(NO_RANK))

    def all_ranks(self) -> Iterator[U32]:
        """The ranks of every shard's documents."""
        with self.store.open_parquet(self.ranks_path) as file:
            for shard in range(file.num_row_groups):
                yield file.read_row_group(shard, use_threads=False)["rank"].to_numpy()

    def ranked(self, columns: Sequence[str]) -> Iterator[tuple[pa.Table, U32]]:
        """Some columns of every shard, and the ranks of its documents."""
        return zip(self.texts.tables(columns), self.all_ranks(), strict=True)

    def signatures(self, place_of: I32, first_rank: int, out: U64) -> None:
        """Write the signature of each wanted text to its place in `out`.

        Args:
            place_of: of each rank from `first_rank` on the row of `out`, or `NOT_WANTED`; ranks
                outside of it are not wanted either.
            first_rank: see there.
            out: shape (texts, 14); those without a signature are left alone.
        """
        for table, ranks in self.ranked(["minhash"]):
            words, signed = signature_words(one_array(table["minhash"]))
            gather_signatures(words, signed, ranks, place_of, first_rank, out)

    def ids(self, place_of: I32) -> Iterator[tuple[I32, pa.Array]]:
        """The places of the wanted texts of each shard, and their ids."""
        for table, ranks in self.ranked([ID.name]):
            rows = np.flatnonzero(ranks != NO_RANK)
            places = place_of[ranks[rows]]
            wanted = places != NOT_WANTED
            if wanted.any():
                yield places[wanted], one_array(table[ID.name]).take(pa.array(rows[wanted]))


@dataclass(frozen=True)
class BucketFiles:
    """The shared keys of all partitions, buckets numbered through: the near ones first.

    Args:
        store: of the dump.
        paths: tables of `BUCKETS_SCHEMA`.
        num_ranks: texts that compete.
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
        found = [footer.counts if footer else {} for footer in footers]
        near, exact = ([int(counts[kind]) for counts in found] for kind in ("near", "exact"))
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
            part: the range.
            starts: of each rank, shape (ranks + 1,), where its buckets begin.
        """
        out, at = np.empty(starts[-1], np.uint32), starts[:-1].copy()
        for number, table in self._parts(part, ["rank", "bucket"]):
            rank, bucket = table["rank"].to_numpy(), table["bucket"].to_numpy()
            fill_rows(rank, bucket, *self._numbering(number), part << RANGE_BITS, at, out)
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


def scattered_keys(
    texts: RankedTexts, shards: Sequence[int], num_partitions: int, kept_by: str = ""
) -> Iterator[pa.Table]:
    """The keys of some shards' texts, a table of `KEYS_SCHEMA` for each partition.

    Args:
        texts: of the dump.
        shards: their numbers.
        num_partitions: tables to return.
        kept_by: the task whose `dedup_keep` says which texts count; all that compete if empty.
    """
    columns = SIGNATURE_SCHEMA.names
    ranked = ((texts.texts.table(n, columns), texts.kept_ranks(n, kept_by)) for n in shards)
    yield from key_parts(ranked, num_partitions)


def own_keys(store: ColumnStore, paths: Sequence[str], partition: int) -> list[pa.Table]:
    """One partition's keys out of several files of the same cut, a table for each band."""
    parts: list[list[pa.Table]] = [[KEYS_SCHEMA.empty_table()] for _ in range(NUM_KEYS)]
    for path in paths:
        with store.open_parquet(path) as file:
            for band, tables in enumerate(parts):
                group = NUM_KEYS * partition + band
                tables.append(file.read_row_group(group, use_threads=False))
    return [pa.concat_tables(tables) for tables in parts]


def earlier_keys(store: ColumnStore, partition: int, num_partitions: int, band: int) -> pa.Table:
    """One band's keys of it out of a dump's index, which may be cut into another number of files.

    Raises:
        ShardError: the dump has no index.
    """
    manifest = store.manifest(INDEX)
    if manifest is None:
        raise ShardError(f"{INDEX} {store.dump} is not sealed: run it first")
    found = overlapping(partition, num_partitions, int(manifest["num_shards"]))
    tables = [read_part(store, store.path(INDEX, number), band) for number in found]
    return of_partition(pa.concat_tables(tables), partition, num_partitions)
