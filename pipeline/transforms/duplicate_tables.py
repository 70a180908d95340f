"""The tables that the phases of Deduplicate hand to one another. Pure.

A text is known by `document`: its shard's number times 2³² plus its row, and ranked by
`rank`, a 64-bit hash of its id; equal hashes, of which ten million texts hold a pair with
a chance of three in a million, fall back on `document`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.transforms.duplicates import (
    KEPT,
    GreedyResolution,
    candidate_buckets,
    id_hash,
    join_buckets,
    partition_of,
)
from pipeline.transforms.minhash import BAND_COLUMNS

KEY_COLUMNS = (*BAND_COLUMNS, "text_digest")
"""Keys that near-duplicates share: the bands, and the digest for whole texts."""

BANDS_SCHEMA = pa.schema(
    [
        ("partition", pa.int32()),
        ("band", pa.int8()),
        ("key", pa.uint64()),
        ("document", pa.int64()),
        ("rank", pa.uint64()),
    ]
)
BUCKETS_SCHEMA = pa.schema(
    [("bucket", pa.int64()), ("document", pa.int64()), ("rank", pa.uint64())]
)
DUPLICATES_SCHEMA = pa.schema(
    [("shard", pa.int32()), ("id", pa.string()), ("duplicate_of", pa.string())]
)

_ROW_BITS = 32


def band_rows(batches: Iterable[pa.Table], shard: int, num_partitions: int) -> pa.Table:
    """One row for each key of each competing text, sorted by partition.

    Args:
        batches: `id` and FilterDocuments' columns, the shard's rows in order.
        shard: its number.
        num_partitions: parts that keys are dealt into.
    """
    parts = [BANDS_SCHEMA.empty_table()]
    first = 0
    for batch in batches:
        document = (np.int64(shard) << _ROW_BITS) + first + np.arange(len(batch))
        parts += _rows_of(batch, document, num_partitions)
        first += len(batch)
    return pa.concat_tables(parts).sort_by([("partition", "ascending"), ("band", "ascending")])


def _rows_of(batch: pa.Table, document: np.ndarray, num_partitions: int) -> Iterator[pa.Table]:
    rank = np.array([id_hash(i) for i in batch["id"].to_pylist()], dtype=np.uint64)
    competes = pc.fill_null(batch["FilterDocuments.passes_all_quality_filters"], False)
    for band, name in enumerate(KEY_COLUMNS):
        key = batch[f"FilterDocuments.{name}"]
        taken = pc.and_(competes, key.is_valid()).to_numpy()
        keys = key.filter(pa.array(taken)).to_numpy()
        columns = {
            "partition": partition_of(keys, num_partitions),
            "band": np.full(len(keys), band),
            "key": keys,
            "document": document[taken],
            "rank": rank[taken],
        }
        yield pa.table(columns).cast(BANDS_SCHEMA)


def bucket_rows(bands: pa.Table) -> pa.Table:
    """The rows of one partition whose key two or more texts share, numbered by key."""
    parts = []
    for band in range(len(KEY_COLUMNS)):
        rows = bands.filter(pc.equal(bands["band"], band))
        places, buckets = candidate_buckets(rows["key"].to_numpy(), np.arange(len(rows)))
        parts.append((places, buckets, rows))
    _, bucket, _ = join_buckets([(places, buckets) for places, buckets, _ in parts])
    chosen = pa.concat_tables([rows.take(pa.array(places)) for places, _, rows in parts])
    return pa.table([bucket, chosen["document"], chosen["rank"]], schema=BUCKETS_SCHEMA)


def resolve(parts: Sequence[pa.Table], ids_of: Callable[[int], pa.Table]) -> pa.Table:
    """Decide all texts that share a key; the removed ones, sorted by shard.

    Args:
        parts: `bucket_rows` of every partition.
        ids_of: shard number to its table with the column `id`.

    Returns:
        Columns `shard`, `id`, `duplicate_of`.
    """
    numbered = [(part["document"].to_numpy(), part["bucket"].to_numpy()) for part in parts]
    documents, buckets, num_buckets = join_buckets(numbered)
    hashes = np.concatenate([part["rank"].to_numpy() for part in parts])
    distinct, first_row, row_of = np.unique(documents, return_index=True, return_inverse=True)
    order = np.lexsort((distinct, hashes[first_row]))
    rank = np.empty(len(distinct), np.int64)
    rank[order] = np.arange(len(distinct))
    ranks, keeper = GreedyResolution(num_buckets).decide(rank[row_of], buckets)
    gone = keeper != KEPT
    return _removed(distinct[order[ranks[gone]]], distinct[order[keeper[gone]]], ids_of)


def _removed(
    removed: np.ndarray, keepers: np.ndarray, ids_of: Callable[[int], pa.Table]
) -> pa.Table:
    order = np.argsort(removed)
    removed, keepers = removed[order], keepers[order]
    columns = [removed >> _ROW_BITS, _ids(removed, ids_of), _ids(keepers, ids_of)]
    return pa.table(dict(zip(DUPLICATES_SCHEMA.names, columns, strict=True))).cast(
        DUPLICATES_SCHEMA
    )


def _ids(documents: np.ndarray, ids_of: Callable[[int], pa.Table]) -> pa.Array:
    """The ids of the documents; each shard that holds one is read once."""
    shards = documents >> _ROW_BITS
    rows = documents & ((1 << _ROW_BITS) - 1)
    found = np.empty(len(documents), dtype=object)
    for shard in np.unique(shards).tolist():
        here = np.flatnonzero(shards == shard)
        found[here] = ids_of(shard)["id"].take(pa.array(rows[here])).to_pylist()
    return pa.array(found.tolist(), pa.string())


def mark(
    ids: pa.ChunkedArray, competes: pa.ChunkedArray, duplicate_of: Mapping[str, str]
) -> pa.Table:
    """The columns `dedup_keep` and `duplicate_of` of a batch.

    >>> mark(pa.chunked_array([["a", "b", "c"]]), pa.chunked_array([[True, True, False]]),
    ...      {"b": "a"}).to_pydict()
    {'dedup_keep': [True, False, None], 'duplicate_of': [None, 'a', None]}
    """
    keeper = pa.array([duplicate_of.get(i) for i in ids.to_pylist()], pa.string())
    passes = competes.combine_chunks() if competes.num_chunks else pa.array([], pa.bool_())
    keep = pc.if_else(passes, keeper.is_null(), pa.scalar(None, pa.bool_()))
    return pa.table({"dedup_keep": keep, "duplicate_of": keeper})
