"""What Deduplicate reads and writes beside its columns: ranks, buckets, texts of a dump."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pipeline.core.columns import ID, ColumnStore
from pipeline.core.failures import ShardError
from pipeline.native import count_rows, fill_rows, gather_columns, gather_signatures
from pipeline.transforms.duplicate_tables import (
    BANDS_SCHEMA,
    KEYS_SCHEMA,
    NEVER_COMPRESSES,
    NO_RANK,
    NUM_KEYS,
    RANGE_BITS,
    band_columns,
    key_parts,
    num_ranges,
    of_partition,
    overlapping,
    signature_words,
    words_of,
)
from pipeline.transforms.minhash import one_array

U8 = NDArray[np.uint8]
U32 = NDArray[np.uint32]
U64 = NDArray[np.uint64]
I32 = NDArray[np.int32]
I64 = NDArray[np.int64]

FILTERED = "FilterDocuments"
INDEX = "IndexKept"
NOT_WANTED = -1


def write_parts(
    store: ColumnStore, path: str, parts: Iterable[pa.Table], stamp: str, **counts: int
) -> None:
    """Write tables of one schema, each as a row group."""
    parts = iter(parts)
    first = next(parts)
    random = [name for name in first.schema.names if name in NEVER_COMPRESSES]
    with store.writer(path, first.schema, stamp, incompressible=random) as writer:
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
class RankedTexts:
    """The texts of one dump by rank.

    Args:
        store: of the dump.
        ranks_path: a table of `RANKS_SCHEMA`.
    """

    store: ColumnStore
    ranks_path: str

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

    def shards(self) -> Iterator[tuple[int, U32]]:
        """The ranks of every shard."""
        with self.store.open_parquet(self.ranks_path) as file:
            for shard in range(file.num_row_groups):
                yield shard, file.read_row_group(shard, use_threads=False)["rank"].to_numpy()

    def signatures(self, place_of: I32, out: U64) -> None:
        """Write the signature of each wanted text to its place in `out`.

        Args:
            place_of: of each rank the row of `out`, or `NOT_WANTED`.
            out: shape (texts, 14); those without a signature are left alone.
        """
        for shard, ranks in self.shards():
            words, signed = signature_words(self._column(shard, "minhash"))
            gather_signatures(words, signed, ranks, place_of, 0, out)

    def ids(self, place_of: I32) -> Iterator[tuple[I32, pa.Array]]:
        """The places of the wanted texts of each shard, and their ids."""
        for shard, ranks in self.shards():
            rows = np.flatnonzero(ranks != NO_RANK)
            places = place_of[ranks[rows]]
            wanted = places != NOT_WANTED
            if wanted.any():
                yield places[wanted], self._column(shard, ID.name).take(pa.array(rows[wanted]))

    def _column(self, shard: int, name: str) -> pa.Array:
        return one_array(self.store.read_table(self.store.path(FILTERED, shard), [name])[name])


@dataclass(frozen=True)
class BandFiles:
    """What the keys of a dump's texts are made of: tables of `BANDS_SCHEMA`, shards in order."""

    texts: RankedTexts
    paths: Sequence[str]

    def shards(self, columns: Sequence[str]) -> Iterator[tuple[pa.Table, U32]]:
        """Some columns of each shard, and the ranks of its texts."""
        ranks = self.texts.shards()
        for path in self.paths:
            with self.texts.store.open_parquet(path) as file:
                for group in range(file.num_row_groups):
                    table = file.read_row_group(group, columns=columns, use_threads=False)
                    yield table, next(ranks)[1]

    def signatures(self, place_of: I32, first_rank: int, out: U64) -> None:
        """As that of `RankedTexts`, but `place_of` begins with `first_rank`."""
        for table, ranks in self.shards(BANDS_SCHEMA.names):
            bands, signed = words_of(table)
            gather_columns(bands, signed, ranks, place_of, first_rank, out)


@dataclass(frozen=True)
class BucketFiles:
    """The shared keys of all partitions, buckets numbered through: the near ones first."""

    store: ColumnStore
    paths: Sequence[str]

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

    def rows_of(self, num_ranks: int) -> U8:
        """How many buckets each rank is in, shape (ranks,)."""
        rows = np.zeros(num_ranks, np.uint8)
        for path in self.paths:
            for part in range(num_ranges(num_ranks)):
                ranks = read_part(self.store, path, part, ["rank"])["rank"]
                count_rows(ranks.to_numpy(), rows)
        return rows

    def buckets(self, part: int, starts: I64) -> U32:
        """The buckets of a range of ranks.

        Args:
            part: the range.
            starts: of each rank, shape (ranks + 1,), where its buckets begin.
        """
        out, at = np.empty(starts[-1], np.uint32), starts[:-1].copy()
        for number, path in enumerate(self.paths):
            table = read_part(self.store, path, part, ["rank", "bucket"])
            rank, bucket = table["rank"].to_numpy(), table["bucket"].to_numpy()
            numbering, low = self._numbering(number), part << RANGE_BITS
            fill_rows(rank, bucket, *numbering, low, at, out)
        return out

    def owners(self, part: int) -> tuple[I64, I64]:
        """The last row group: buckets, and dump * 2**32 + rank of what holds them."""
        buckets, texts = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
        for number, path in enumerate(self.paths):
            table = read_part(self.store, path, part)
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
    ranked = ((shard_bands(texts, shard), texts.kept_ranks(shard, kept_by)) for shard in shards)
    yield from key_parts(ranked, num_partitions)


def shard_bands(texts: RankedTexts, shard: int) -> pa.Table:
    """The table of `BANDS_SCHEMA` for one shard."""
    path = texts.store.path(FILTERED, shard)
    table = texts.store.read_table(path, ["minhash", "text_digest"])
    return band_columns(table["minhash"], table["text_digest"])


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
