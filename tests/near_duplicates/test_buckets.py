"""Shared keys of several partitions numbered through, of `skord.near_duplicates.buckets`."""

import itertools

import pyarrow as pa
import pytest

from skord.core.storage.column_store import ColumnStore
from skord.core.storage.filesystem import Storage
from skord.near_duplicates.buckets import BucketFiles
from skord.near_duplicates.tables import BUCKETS_SCHEMA


@pytest.fixture
def files(tmp_path):
    """Two partitions: of two near buckets and an exact one, of one near and two exact ones."""
    store = ColumnStore(Storage(str(tmp_path)), "2024-10")
    held = [([0, 1, 2], [0, 1, 2]), ([0, 2], [0, 1])]
    owners = [([5, 6], [1, 2]), ([7, 8, 9], [0, 1, 2])]
    counts = [{"near": 2, "exact": 1}, {"near": 1, "exact": 2}]
    paths = []
    for number in range(2):
        paths.append(store.path("Deduplicate", number, "buckets"))
        with store.writer(paths[-1], BUCKETS_SCHEMA, "f") as writer:
            for ranks, buckets in (held[number], owners[number]):
                columns = {"rank": ranks, "bucket": buckets, "dump": [number + 1] * len(ranks)}
                names = BUCKETS_SCHEMA.names
                writer.write(pa.table({n: columns[n] for n in names}).cast(BUCKETS_SCHEMA))
            writer.counts.update(counts[number])
    return BucketFiles(store, paths, 3)


def test_near_buckets_come_first_and_then_the_exact_ones(files):
    near, exact = files.firsts
    assert (near.tolist(), exact.tolist()) == ([0, 2], [3, 4])


def test_each_rank_has_the_buckets_of_all_partitions(files):
    assert files.rows_of().tolist() == [2, 1, 2]
    starts = [0, 2, 3, 5]
    held = files.buckets(0, pa.array(starts).to_numpy())
    assert [sorted(held[a:b].tolist()) for a, b in itertools.pairwise(starts)] == [
        [0, 2], [1], [3, 4],
    ]  # fmt: skip


def test_what_earlier_dumps_hold_is_numbered_alike(files):
    buckets, texts = files.owners()
    assert buckets.tolist() == [1, 3, 2, 4, 5]
    assert texts.tolist() == [(1 << 32) + 5, (1 << 32) + 6, *((2 << 32) + n for n in (7, 8, 9))]
