"""The tables that the phases of Deduplicate hand to one another. Pure.

Each is written with one row group for each part that a later phase reads by itself. Keys are
sharded into partitions by their value: partition *p* of *n* holds those from p/n to (p+1)/n of
all 64-bit numbers, so that tables cut into other numbers of partitions can be read, too.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from skord.native import KeyScatter, key_scatter, scatter_keys, shared_keys, take_keys
from skord.near_duplicates.minhash import (
    NUM_BANDS,
    SIGNATURE_SCHEMA,
    band_keys,
    one_array,
    signature_rows,
)
from skord.near_duplicates.partitions import NUM_KEYS

U32 = NDArray[np.uint32]
U64 = NDArray[np.uint64]
I64 = NDArray[np.int64]

EXACT = NUM_BANDS
"""The number of the digest among them."""

NO_RANK = 2**32 - 1
"""Stands for the rank of a text that does not compete."""

RANGE_BITS = 18
"""Texts are decided in ranges of 2¹⁸ ranks, whose rows are read one range at a time."""

RANKS_SCHEMA = pa.schema([pa.field("rank", pa.uint32(), nullable=False)])
"""A row group for each shard, a row for each document: its place among all that compete."""

KEYS_SCHEMA = pa.schema(
    [
        pa.field("key", pa.uint64(), nullable=False),
        pa.field("rank", pa.uint32(), nullable=False),
    ]
)
"""A row group for each partition and, in it, each band: number `NUM_KEYS * partition + band`."""

BUCKETS_SCHEMA = pa.schema(
    [
        pa.field("bucket", pa.uint32(), nullable=False),
        pa.field("rank", pa.uint32(), nullable=False),
        pa.field("dump", pa.int16()),
    ]
)
"""Rows of keys that several texts share. For each group of bands there is a row group for each
range of ranks, and a last one with those kept texts of earlier dumps that share a key, where
`dump` is the place of theirs; elsewhere it is null."""

DECISIONS_SCHEMA = pa.schema(
    [
        pa.field("rank", pa.uint32(), nullable=False),
        pa.field("duplicate_of", pa.string()),
        pa.field("similarity", pa.float32()),
        pa.field("cluster_size", pa.int32(), nullable=False),
    ]
)
"""A row group for each shard, a row for each text that has a duplicate or is one."""


NEVER_COMPRESSES = (
    "key",
    "rank",
    "bucket",
    "id",
    "id_digest",
    "duplicate_of",
    *SIGNATURE_SCHEMA.names,
)
"""Columns that packing makes little smaller, or that are not kept."""

Shards = Iterable[tuple[pa.Table, U32]]
"""Columns of `SIGNATURE_SCHEMA`, and the texts' ranks: `NO_RANK` for those that do not compete."""


def key_columns(bands: range) -> list[str]:
    """Which columns of `SIGNATURE_SCHEMA` these keys are made of.

    >>> key_columns(range(0, 14)), key_columns(range(13, 15)), key_columns(range(14, 15))
    (['minhash'], ['minhash', 'text_digest'], ['text_digest'])
    """
    wanted = [bands.start < EXACT, EXACT in bands]
    return list(itertools.compress(SIGNATURE_SCHEMA.names, wanted))


def key_parts(shards: Shards, num_partitions: int) -> Iterator[pa.Table]:
    """The keys of competing texts: a table of `KEYS_SCHEMA` for each partition and band."""
    scatter = key_scatter(NUM_KEYS, num_partitions)
    _scatter_table(scatter, shards, range(NUM_KEYS))
    for place in range(NUM_KEYS * num_partitions):
        keys, of = take_keys(scatter, place)
        yield pa.table(
            [_array_of_buffer(keys, pa.uint64()), _array_of_buffer(of, pa.uint32())],
            schema=KEYS_SCHEMA,
        )


def _scatter_table(scatter: KeyScatter, shards: Shards, bands: range) -> None:
    near = range(bands.start, min(bands.stop, EXACT))
    for table, ranks in shards:
        if near:
            words, signed = signature_words(one_array(table["minhash"]))
            cut = words, NUM_BANDS, near.start, len(near)
            scatter_keys(scatter, 0, cut, signed, ranks, NO_RANK)
        if EXACT in bands:
            digests = table["text_digest"].fill_null(0).to_numpy()
            scatter_keys(scatter, len(near), (digests, 1, 0, 1), b"", ranks, NO_RANK)


def signature_words(minhash: pa.Array) -> tuple[U64, NDArray[np.bool_]]:
    """Signatures, shape (texts, 14), and which texts have one, as the compiled part wants them."""
    return band_keys(signature_rows(minhash)), minhash.is_valid().to_numpy(zero_copy_only=False)


def _array_of_buffer(data: bytes, kind: pa.DataType) -> pa.Array:
    """The numbers as they lie there."""
    size = len(data) // (kind.bit_width // 8)
    return pa.Array.from_buffers(kind, size, [None, pa.py_buffer(data)])


def bucket_parts(
    shards: Callable[[list[str]], Shards],
    groups: Sequence[range],
    num_partitions: int,
    earlier: Callable[[int, int], Sequence[pa.Table]],
    num_ranks: int,
    counts: Counter[str],
) -> Iterator[pa.Table]:
    """The shared keys of some bands: tables of `BUCKETS_SCHEMA`, as described there.

    Args:
        shards: the columns of `key_columns` to all texts of this dump.
        groups: numbers below `NUM_KEYS` in ascending order; those of a group at once.
        num_partitions: keys are compared in so many parts, one after the other.
        earlier: band and partition to tables of `KEYS_SCHEMA`: what each earlier dump kept, in
            the order of the dumps.
        num_ranks: texts of this dump that compete.
        counts: how many buckets there are is added to `near`, and after these to `exact`.
    """
    num_bands = max(map(len, groups))
    scatter = key_scatter(num_bands, num_partitions)
    for bands in groups:
        _scatter_table(scatter, shards(key_columns(bands)), bands)
        ranges: list[list[pa.Table]] = [[] for _ in range(num_ranges(num_ranks))]
        holders = [BUCKETS_SCHEMA.empty_table()]
        for band, partition in itertools.product(bands, range(num_partitions)):
            rank, bucket, starts, size, held, holder = shared_keys(
                scatter,
                num_bands * partition + band - bands.start,
                [piece for of in enumerate(earlier(band, partition)) for piece in _key_pieces(*of)],
                RANGE_BITS,
                len(ranges),
                counts.total(),
            )
            rows = _bucket_table(
                _array_of_buffer(bucket, pa.uint32()), _array_of_buffer(rank, pa.uint32())
            )
            cuts = itertools.pairwise(np.frombuffer(starts, np.int64).tolist())
            for parts, (low, high) in zip(ranges, cuts, strict=True):
                parts.append(rows.slice(low, high - low))
            holders.append(_holder_table(held, holder))
            counts["exact" if band == EXACT else "near"] += size
        yield from map(pa.concat_tables, [*ranges, holders])


def _key_pieces(dump: int, table: pa.Table) -> Iterator[tuple[Any, Any, int]]:
    """Keys and ranks as they lie in memory, and of which dump they are."""
    for batch in table.to_batches():
        yield batch["key"].to_numpy(), batch["rank"].to_numpy(), dump


def num_ranges(num_ranks: int) -> int:
    """How many ranges the ranks make."""
    return -(-num_ranks // (1 << RANGE_BITS))


def _bucket_table(buckets: pa.Array, ranks: pa.Array, dumps: I64 | None = None) -> pa.Table:
    own = pa.nulls(len(buckets), pa.int16())
    of = own if dumps is None else pa.array(dumps.astype(np.int16))
    return pa.table([buckets, ranks, of], schema=BUCKETS_SCHEMA)


def _holder_table(held: bytes, holders: bytes) -> pa.Table:
    texts = np.frombuffer(holders, np.int64)
    ranks = pa.array((texts & (2**32 - 1)).astype(np.uint32))
    return _bucket_table(_array_of_buffer(held, pa.uint32()), ranks, texts >> 32)


def url_hosts(urls: pa.ChunkedArray) -> pa.ChunkedArray:
    """The host of each address, in lower case, without `www.`.

    >>> url_hosts(pa.chunked_array([["https://www.Exempel.se:8080/a?b", "http://a.b@c.se"]])).to_pylist()
    ['exempel.se', 'c.se']
    """
    pattern = r"(?s)^[^:/?#]+://(?:[^/?#]*@)?(?:www\.)?([^/:?#]*).*$"
    return pc.replace_substring_regex(pc.utf8_lower(urls), pattern, r"\1")


def duplicate_columns(rank: pa.ChunkedArray, decisions: pa.Table) -> pa.Table:
    """The columns of Deduplicate for the documents of a batch.

    >>> decided = pa.table([[7, 9], [None, "a"], [None, 0.9], [2, 2]], schema=DECISIONS_SCHEMA)
    >>> ranks = pa.chunked_array([pa.array([7, 8, 9, NO_RANK], pa.uint32())])
    >>> duplicate_columns(ranks, decided)["dedup_keep"].to_pylist()
    [True, True, False, None]
    """
    competes = pc.not_equal(rank, pa.scalar(NO_RANK, pa.uint32()))
    place = pc.index_in(rank, decisions["rank"])
    decided = decisions.take(place)
    columns = {
        "dedup_keep": pc.if_else(
            competes, decided["duplicate_of"].is_null(), pa.scalar(None, pa.bool_())
        ),
        "duplicate_of": decided["duplicate_of"],
        "similarity": decided["similarity"],
        "cluster_size": pc.if_else(
            competes, pc.fill_null(decided["cluster_size"], 1), pa.scalar(None, pa.int32())
        ),
    }
    return pa.table(columns)
