"""The tables that the phases of Deduplicate hand to one another. Pure.

Each is written with one row group for each part that a later phase reads by itself. Keys are
dealt into partitions by their value: partition *p* of *n* holds those from p/n to (p+1)/n of
all 64-bit numbers, so that tables cut into other numbers of partitions can be read, too.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from pipeline.transforms.duplicates import decision_kernels, key_kernels
from pipeline.transforms.minhash import NUM_BANDS, band_keys, signature_rows

U32 = NDArray[np.uint32]
U64 = NDArray[np.uint64]
I64 = NDArray[np.int64]

NUM_KEYS = NUM_BANDS + 1
"""Keys of a text: 14 bands, and the digest of the whole text, which even short ones have."""
EXACT = NUM_BANDS
"""The number of the digest among them."""

NO_RANK = 2**32 - 1
"""Stands for the rank of a text that does not compete."""

RANGE_BITS = 20
"""Texts are decided in ranges of 2²⁰ ranks, whose rows are read one range at a time."""

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
        pa.field("dump", pa.int16(), nullable=False),
    ]
)
"""Rows of keys that several texts share: a row group for each range of ranks, and a last one
with those kept texts of earlier dumps that share one, where `dump` is the place of theirs."""

DECISIONS_SCHEMA = pa.schema(
    [
        pa.field("rank", pa.uint32(), nullable=False),
        pa.field("duplicate_of", pa.string()),
        pa.field("similarity", pa.float32()),
        pa.field("cluster_size", pa.int32(), nullable=False),
    ]
)
"""A row group for each shard, a row for each text that has a duplicate or is one."""

NEVER_COMPRESSES = ("key", "rank", "bucket")


def key_parts(
    minhash: pa.ChunkedArray, digest: pa.ChunkedArray, rank: U32, num_partitions: int
) -> Iterator[pa.Table]:
    """The keys of competing texts: a table of `KEYS_SCHEMA` for each partition and band.

    Args:
        minhash: signatures; null where a text is too short for one.
        digest: of the whole texts.
        rank: shape (texts,); `NO_RANK` for those that do not compete.
        num_partitions: how many there are.
    """
    keys, ranks, starts = key_kernels().scattered_keys(
        band_keys(signature_rows(minhash)),
        minhash.is_valid().to_numpy(),
        digest.fill_null(0).to_numpy(),
        rank,
        NO_RANK,
        num_partitions,
    )
    for low, high in itertools.pairwise(starts.tolist()):
        yield pa.table([keys[low:high], ranks[low:high]], schema=KEYS_SCHEMA)


def of_partition(table: pa.Table, partition: int, num_partitions: int) -> pa.Table:
    """The rows whose keys belong to the partition, of a table that may hold others.

    >>> keys = pa.table([[1, 2**63], [5, 6]], schema=KEYS_SCHEMA)
    >>> of_partition(keys, 1, 2)["rank"].to_pylist()
    [6]
    """
    high = table["key"].to_numpy() >> np.uint64(32)
    found = (high * np.uint64(num_partitions)) >> np.uint64(32)
    inside = found == partition
    return table if inside.all() else table.filter(pa.array(inside))


def overlapping(partition: int, num_partitions: int, others: int) -> range:
    """Which of `others` partitions hold keys of this one.

    >>> list(overlapping(1, 4, 2)), list(overlapping(1, 2, 4)), list(overlapping(1, 3, 2))
    ([0], [2, 3], [0, 1])
    """
    last = ((partition + 1) * others - 1) // num_partitions
    return range(partition * others // num_partitions, last + 1)


def bucket_parts(
    bands: Iterable[tuple[pa.Table, Sequence[pa.Table]]], num_ranks: int
) -> tuple[list[pa.Table], dict[str, int]]:
    """The shared keys of one partition.

    Args:
        bands: for each band `KEYS_SCHEMA`, this dump's, and the same of what each earlier dump
            kept, in the order of the dumps.
        num_ranks: texts of this dump that compete.

    Returns:
        Tables of `BUCKETS_SCHEMA`, and how many buckets there are (`near`, and after them
        `exact`).
    """
    ranks, buckets, owners = [], [], []
    num_buckets = [0]
    for own, earlier in bands:
        keys = [_numbers(table, "key") for table in earlier]
        numbered = [(n << 32) + _numbers(t, "rank").astype(np.int64) for n, t in enumerate(earlier)]
        of, bucket, owner = key_kernels().shared_keys(
            _numbers(own, "key"),
            _numbers(own, "rank"),
            np.concatenate([np.empty(0, np.uint64), *keys]),
            np.concatenate([np.empty(0, np.int64), *numbered]),
        )
        ranks.append(of)
        buckets.append(bucket + np.uint32(num_buckets[-1]))
        owners.append(owner)
        num_buckets.append(num_buckets[-1] + len(owner))
    tables = _by_range(np.concatenate(ranks), np.concatenate(buckets), num_ranks)
    tables.append(_owner_rows(np.concatenate(owners)))
    return tables, {"near": num_buckets[EXACT], "exact": num_buckets[-1] - num_buckets[EXACT]}


def _numbers(table: pa.Table, name: str) -> NDArray[Any]:
    numbers: NDArray[Any] = table[name].to_numpy()
    return numbers


def num_ranges(num_ranks: int) -> int:
    """How many ranges the ranks make."""
    return -(-num_ranks // (1 << RANGE_BITS))


def _by_range(ranks: U32, buckets: U32, num_ranks: int) -> list[pa.Table]:
    starts, order = decision_kernels().order_by_range(ranks, RANGE_BITS, num_ranges(num_ranks))
    return [
        _bucket_table(buckets[order[low:high]], ranks[order[low:high]], -1)
        for low, high in itertools.pairwise(starts.tolist())
    ]


def _owner_rows(owners: I64) -> pa.Table:
    held = np.flatnonzero(owners != 2**63 - 1)
    return _bucket_table(held, owners[held] & (2**32 - 1), owners[held] >> 32)


def _bucket_table(buckets: U32 | I64, ranks: U32 | I64, dump: I64 | int) -> pa.Table:
    columns = [
        buckets.astype(np.uint32),
        ranks.astype(np.uint32),
        np.broadcast_to(dump, len(buckets)).astype(np.int16),
    ]
    return pa.table(columns, schema=BUCKETS_SCHEMA)


def hosts(urls: pa.ChunkedArray) -> pa.ChunkedArray:
    """The host of each address, in lower case, without `www.`.

    >>> hosts(pa.chunked_array([["https://www.Exempel.se:8080/a?b", "http://a.b@c.se"]])).to_pylist()
    ['exempel.se', 'c.se']
    """
    pattern = r"(?s)^[^:/?#]+://(?:[^/?#]*@)?(?:www\.)?([^/:?#]*).*$"
    return pc.replace_substring_regex(pc.utf8_lower(urls), pattern, r"\1")


def mark(rank: pa.ChunkedArray, decisions: pa.Table) -> pa.Table:
    """The columns of Deduplicate for the documents of a batch.

    >>> decided = pa.table([[7, 9], [None, "a"], [None, 0.9], [2, 2]], schema=DECISIONS_SCHEMA)
    >>> mark(pa.chunked_array([pa.array([7, 8, 9, NO_RANK], pa.uint32())]), decided).to_pydict()[
    ...     "dedup_keep"]
    [True, True, False, None]
    """
    competes = pc.not_equal(rank, pa.scalar(NO_RANK, pa.uint32()))
    place = pc.index_in(rank, decisions["rank"])
    found = decisions.take(place)
    columns = {
        "dedup_keep": pc.if_else(
            competes, found["duplicate_of"].is_null(), pa.scalar(None, pa.bool_())
        ),
        "duplicate_of": found["duplicate_of"],
        "similarity": found["similarity"],
        "cluster_size": pc.if_else(
            competes, pc.fill_null(found["cluster_size"], 1), pa.scalar(None, pa.int32())
        ),
    }
    return pa.table(columns)
