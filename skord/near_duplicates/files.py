"""What Deduplicate reads and writes beside its columns: ranks, buckets, signatures of a dump."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from skord.core.failures import ShardError
from skord.core.storage.column_store import ColumnStore
from skord.core.storage.shared_columns import ID
from skord.native import gather_signatures
from skord.near_duplicates.minhash import SIGNATURE_SCHEMA, one_array
from skord.near_duplicates.partitions import NUM_KEYS, of_partition, overlapping_partitions
from skord.near_duplicates.resolution import NOT_WANTED
from skord.near_duplicates.tables import (
    KEYS_SCHEMA,
    NEVER_COMPRESSES,
    NO_RANK,
    key_parts,
    signature_words,
)

U32 = NDArray[np.uint32]
U64 = NDArray[np.uint64]
I32 = NDArray[np.int32]


def write_parts(
    store: ColumnStore,
    path: str,
    parts: Iterable[pa.Table],
    fingerprint: str,
    counts: Mapping[str, int] = MappingProxyType({}),
) -> None:
    """Write tables of one schema, each as a row group; counts as they are after the last."""
    parts = iter(parts)
    first = next(parts)
    random = [name for name in first.schema.names if name in NEVER_COMPRESSES]
    with store.writer(
        path, first.schema, fingerprint, incompressible=random, indexed=False
    ) as writer:
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
class SignedTexts:
    """The tables of `SIGNED_SCHEMA` that ComputeSignatures made of one dump, shard by shard.

    Each of its files has a row group for each of some shards, all but the last as many.

    Args:
        task: under whose name they lie.
    """

    store: ColumnStore
    task: str

    def tables(self, names: Sequence[str]) -> Iterator[pa.Table]:
        """Some of the columns, a table for each shard."""
        for number in range(self._num_files):
            with self.store.open_parquet(self._path(number)) as file:
                for group in range(file.num_row_groups):
                    yield file.read_row_group(group, columns=list(names), use_threads=False)

    def table(self, shard: int, names: Sequence[str]) -> pa.Table:
        """The same of one shard."""
        number, group = divmod(shard, self._shards_in_file)
        return read_part(self.store, self._path(number), group, list(names))

    def _path(self, number: int) -> str:
        return self.store.path(self.task, number)

    @cached_property
    def _num_files(self) -> int:
        manifest = self.store.manifest(self.task)
        if manifest is None:
            raise ShardError(f"{self.task} {self.store.dump} is not complete: run it first")
        return int(manifest["num_shards"])

    @cached_property
    def _shards_in_file(self) -> int:
        with self.store.open_parquet(self._path(0)) as file:
            return int(file.num_row_groups)


@dataclass(frozen=True)
class RankedTexts:
    """The texts of one dump by rank.

    Args:
        source: what is compared of them.
        ranks_path: a table of `RANKS_SCHEMA`.
    """

    source: SignedTexts
    ranks_path: str

    @property
    def store(self) -> ColumnStore:
        """Of the dump."""
        return self.source.store

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

    def with_ranks(self, columns: Sequence[str]) -> Iterator[tuple[pa.Table, U32]]:
        """Some columns of every shard, and the ranks of its documents."""
        return zip(self.source.tables(columns), self.all_ranks(), strict=True)

    def signatures(self, place_of: I32, first_rank: int, out: U64) -> None:
        """Write the signature of each wanted text to its place in `out`.

        Args:
            place_of: of each rank from `first_rank` on the row of `out`, or `NOT_WANTED`; ranks
                outside of it are not wanted either.
            out: shape (texts, 14); those without a signature are left alone.
        """
        for table, ranks in self.with_ranks(["minhash"]):
            words, signed = signature_words(one_array(table["minhash"]))
            gather_signatures(words, signed, ranks, place_of, first_rank, out)

    def ids(self, place_of: I32) -> Iterator[tuple[I32, pa.Array]]:
        """The places of the wanted texts of each shard, and their ids."""
        for table, ranks in self.with_ranks([ID.name]):
            rows = np.flatnonzero(ranks != NO_RANK)
            places = place_of[ranks[rows]]
            wanted = places != NOT_WANTED
            if wanted.any():
                yield places[wanted], one_array(table[ID.name]).take(pa.array(rows[wanted]))


def scattered_keys(
    texts: RankedTexts, shards: Sequence[int], num_partitions: int, kept_by: str = ""
) -> Iterator[pa.Table]:
    """The keys of some shards' texts, a table of `KEYS_SCHEMA` for each partition.

    Args:
        kept_by: the task whose `dedup_keep` decides which texts count; all that compete if empty.
    """
    columns = SIGNATURE_SCHEMA.names
    ranked = ((texts.source.table(n, columns), texts.kept_ranks(n, kept_by)) for n in shards)
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


def earlier_keys(
    store: ColumnStore, task: str, partition: int, num_partitions: int, band: int
) -> pa.Table:
    """One band's keys of it out of a dump's index, which may be cut into another number of files.

    Args:
        task: under whose name the index lies.

    Raises:
        ShardError: the dump has no index.
    """
    manifest = store.manifest(task)
    if manifest is None:
        raise ShardError(f"{task} {store.dump} is not complete: run it first")
    partitions = overlapping_partitions(partition, num_partitions, int(manifest["num_shards"]))
    tables = [read_part(store, store.path(task, number), band) for number in partitions]
    return of_partition(pa.concat_tables(tables), partition, num_partitions)
