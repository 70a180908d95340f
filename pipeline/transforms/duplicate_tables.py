"""The tables that the phases of Deduplicate hand to one another. Pure.

Each is written with one row group for each part that a later phase reads by itself. Keys are
dealt into partitions by their value: partition *p* of *n* holds those from p/n to (p+1)/n of
all 64-bit numbers, so that tables cut into other numbers of partitions can be read, too.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from pipeline.native import KeyScatter, key_scatter, scatter_keys, shared_keys, take_keys
from pipeline.transforms.minhash import NUM_BANDS, band_keys, one_array, signature_rows

U32 = NDArray[np.uint32]
U64 = NDArray[np.uint64]
I64 = NDArray[np.int64]

NUM_KEYS = NUM_BANDS + 1
"""Keys of a text: 14 bands, and the digest of the whole text, which even short ones have."""
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
"""Rows of keys that several texts share: a row group for each range of ranks, and a last one
with those kept texts of earlier dumps that share one, where `dump` is the place of theirs;
elsewhere it is null."""

DECISIONS_SCHEMA = pa.schema(
    [
        pa.field("rank", pa.uint32(), nullable=False),
        pa.field("duplicate_of", pa.string()),
        pa.field("similarity", pa.float32()),
        pa.field("cluster_size", pa.int32(), nullable=False),
    ]
)
"""A row group for each shard, a row for each text that has a duplicate or is one."""


BANDS = tuple(f"band_{band}" for band in range(NUM_BANDS))
BANDS_SCHEMA = pa.schema(
    [
        *(pa.field(name, pa.uint64(), nullable=False) for name in BANDS),
        pa.field("text_digest", pa.uint64(), nullable=False),
        pa.field("signed", pa.bool_(), nullable=False),
    ]
)
"""A row group for each shard, a row for each document: what its keys are made of, a column for
each band, so that some can be read without the others. Not `signed`: it has no signature."""

NEVER_COMPRESSES = ("key", "rank", "bucket", "text_digest", *BANDS)

Shards = Iterable[tuple[pa.Table, U32]]
"""Columns of `BANDS_SCHEMA`, and the texts' ranks: `NO_RANK` for those that do not compete."""


def band_columns(minhash: pa.ChunkedArray, digest: pa.ChunkedArray) -> pa.Table:
    """The table of `BANDS_SCHEMA` for some texts."""
    words, signed = signature_words(one_array(minhash))
    columns = [pa.array(np.ascontiguousarray(column)) for column in words.T]
    return pa.table([*columns, digest.fill_null(0), pa.array(signed)], schema=BANDS_SCHEMA)


def words_of(table: pa.Table) -> tuple[list[U64], NDArray[np.bool_]]:
    """The columns of all bands out of such a table, and which texts are signed."""
    return [table[name].to_numpy() for name in BANDS], table["signed"].to_numpy()


def bands_within(memory_mb: int, texts: int) -> list[range]:
    """Bands that are compared at once: as many as fit, evenly dealt; each takes 12 bytes a text.

    >>> bands_within(450, 1_000_000), len(bands_within(450, 12_000_000)), len(bands_within(0, 1))
    ([range(0, 15)], 5, 15)
    """
    fit = min(max(memory_mb * 1_000_000 // max(12 * texts, 1), 1), NUM_KEYS)
    at_once = -(-NUM_KEYS // -(-NUM_KEYS // fit))
    return [range(at, min(at + at_once, NUM_KEYS)) for at in range(0, NUM_KEYS, at_once)]


def key_columns(bands: range) -> list[str]:
    """Which columns these keys are made of.

    >>> key_columns(range(13, 15)), key_columns(range(14, 15))
    (['band_13', 'text_digest', 'signed'], ['text_digest', 'signed'])
    """
    return [BANDS_SCHEMA.names[band] for band in bands] + ["signed"]


def key_parts(shards: Shards, num_partitions: int) -> Iterator[pa.Table]:
    """The keys of competing texts: a table of `KEYS_SCHEMA` for each partition and band."""
    scatter = _scattered(shards, range(NUM_KEYS), num_partitions)
    for place in range(NUM_KEYS * num_partitions):
        keys, of = take_keys(scatter, place)
        yield pa.table([_array(keys, pa.uint64()), _array(of, pa.uint32())], schema=KEYS_SCHEMA)


def _scattered(shards: Shards, bands: range, num_partitions: int) -> KeyScatter:
    scatter = key_scatter(len(bands), num_partitions)
    for table, ranks in shards:
        signed = table["signed"].to_numpy()
        for number, band in enumerate(bands):
            keys = table[BANDS_SCHEMA.names[band]].to_numpy()
            taken = b"" if band == EXACT else signed
            scatter_keys(scatter, number, keys, taken, ranks, NO_RANK)
    return scatter


def signature_words(minhash: pa.Array) -> tuple[U64, NDArray[np.bool_]]:
    """Signatures, shape (texts, 14), and which texts have one, as the compiled part wants them."""
    return band_keys(signature_rows(minhash)), minhash.is_valid().to_numpy(zero_copy_only=False)


def _array(data: bytes, kind: pa.DataType) -> pa.Array:
    """The numbers as they lie there."""
    size = len(data) // (kind.bit_width // 8)
    return pa.Array.from_buffers(kind, size, [None, pa.py_buffer(data)])


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
    shards: Shards,
    bands: range,
    num_partitions: int,
    earlier: Callable[[int, int], Sequence[pa.Table]],
    num_ranks: int,
) -> tuple[list[pa.Table], dict[str, int]]:
    """The shared keys of some bands.

    Args:
        shards: all texts of this dump, with the columns of `key_columns`.
        bands: numbers below `NUM_KEYS`.
        num_partitions: keys are compared in so many parts, one after the other.
        earlier: band and partition to tables of `KEYS_SCHEMA`: what each earlier dump kept, in
            the order of the dumps.
        num_ranks: texts of this dump that compete.

    Returns:
        Tables of `BUCKETS_SCHEMA`, and how many buckets there are (`near`, and after them
        `exact`).
    """
    scatter = _scattered(shards, bands, num_partitions)
    ranges: list[list[pa.Table]] = [[] for _ in range(num_ranges(num_ranks))]
    holders = [BUCKETS_SCHEMA.empty_table()]
    counts = {"near": 0, "exact": 0}
    for band, partition in itertools.product(bands, range(num_partitions)):
        tables = earlier(band, partition)
        rank, bucket, starts, size, held, holder = shared_keys(
            scatter,
            len(bands) * partition + band - bands.start,
            list(itertools.chain(*map(_pieces, tables, itertools.count()))),
            RANGE_BITS,
            len(ranges),
            sum(counts.values()),
        )
        rows = _bucket_table(_array(bucket, pa.uint32()), _array(rank, pa.uint32()))
        cuts = itertools.pairwise(np.frombuffer(starts, np.int64).tolist())
        for parts, (low, high) in zip(ranges, cuts, strict=True):
            parts.append(rows.slice(low, high - low))
        texts = np.frombuffer(holder, np.int64)
        rank_of = pa.array((texts & (2**32 - 1)).astype(np.uint32))
        holders.append(_bucket_table(_array(held, pa.uint32()), rank_of, texts >> 32))
        counts["exact" if band == EXACT else "near"] += size
    return [pa.concat_tables(parts) for parts in [*ranges, holders]], counts


def _pieces(table: pa.Table, dump: int) -> Iterator[tuple[Any, Any, int]]:
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
