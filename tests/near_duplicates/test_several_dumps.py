"""Dumps deduplicated together: one after the other, the earlier ones untouched.

Through `skord.near_duplicates.decision` and `skord.near_duplicates.buckets`.
"""

import pytest

from pipeline.dedup import Deduplicate
from skord.core.failures import ShardError
from skord.core.registry import task_class
from tests.near_duplicates.conftest import (
    FIRST,
    SECOND,
    THIRD,
    cut,
    decided,
    rows,
    some_pages,
    write_dump,
)


def test_dumps_together_keep_one_of_what_both_hold(dedup_settings):
    write_dump(FIRST, cut(some_pages(prefix="a"), [40]))
    write_dump(SECOND, cut(some_pages(seed=7, prefix="b"), [10, 30]))
    together = f"{FIRST},{SECOND}"
    alone, later = decided(FIRST), decided(SECOND, dumps=together)
    kept_first = {name for name, row in alone.items() if row["dedup_keep"]}
    removed_for_first = [row for row in later.values() if row["duplicate_of"] in kept_first]

    assert rows(Deduplicate(dump=FIRST)) == alone
    assert len(removed_for_first) > 40
    for row in later.values():
        if row["duplicate_of"]:
            assert row["duplicate_of"] in kept_first or later[row["duplicate_of"]]["dedup_keep"]


def test_a_new_dump_leaves_the_earlier_ones_as_they_are(dedup_settings, tmp_path):
    for dump, prefix, seed in ((FIRST, "a", 0), (SECOND, "b", 7), (THIRD, "c", 9)):
        write_dump(dump, cut(some_pages(60, seed=seed, prefix=prefix), [25]))
    decided(SECOND, dumps=f"{FIRST},{SECOND}")
    made = {path: path.stat().st_mtime_ns for path in (tmp_path / "data").rglob("*.parquet")}
    third = decided(THIRD, dumps=f"{FIRST},{SECOND},{THIRD}")

    assert {path: path.stat().st_mtime_ns for path in made} == made
    assert any(str(row["duplicate_of"]).startswith("urn:uuid:a") for row in third.values())


def test_the_index_may_be_cut_otherwise(dedup_settings):
    write_dump(FIRST, cut(some_pages(prefix="a"), [40]))
    write_dump(SECOND, cut(some_pages(seed=7, prefix="b"), [10, 30]))
    one = decided(SECOND, dumps=f"{FIRST},{SECOND}")
    again = Deduplicate(
        dump=SECOND, dumps=f"{FIRST},{SECOND}", num_partitions=5, match_mb=100, replace=True
    )
    again.store.delete_manifest("Deduplicate")
    for shard in range(3):
        again.store.storage.delete(again.store.path("Deduplicate", shard))
    again.run()

    assert rows(again) == one


def test_dumps_given_without_a_dump_mean_the_last(dedup_settings):
    write_dump(FIRST, [[]])
    task = Deduplicate(dumps=f"{SECOND},{FIRST}")

    assert task.dump == FIRST
    assert task.earlier_dumps() == (SECOND,)
    assert [t.task_family for t in task.requires()][-1] == "IndexKept"
    assert task.fingerprint != Deduplicate(dump=FIRST).fingerprint


def test_decisions_are_stale_when_what_an_earlier_dump_keeps_is(dedup_settings):
    write_dump(FIRST, [some_pages(30, prefix="a")])
    write_dump(SECOND, [some_pages(30, seed=7, prefix="b")])
    decided(SECOND, dumps=f"{FIRST},{SECOND}")
    task = Deduplicate(dump=SECOND, dumps=f"{FIRST},{SECOND}")
    index = task_class("IndexKept")(dump=FIRST)
    assert task.is_made

    index.store.write_manifest(
        "IndexKept", {**index.store.manifest("IndexKept"), "stamp": "another"}
    )

    assert not task.is_made


def test_an_index_that_is_missing_is_an_error_not_an_empty_one(dedup_settings):
    write_dump(FIRST, [some_pages(30, prefix="a")])
    write_dump(SECOND, [some_pages(30, seed=7, prefix="b")])

    with pytest.raises(ShardError, match="IndexKept 2024-10 is not complete: run it first"):
        Deduplicate(dump=SECOND, dumps=f"{FIRST},{SECOND}").run()


def test_stamp_of_the_last_of_a_hundred_dumps_is_soon_told(dedup_settings):
    task = Deduplicate(dumps="all")

    assert len(task.earlier_dumps()) > 90
    assert task.fingerprint == Deduplicate(dump=task.dump, dumps="all").fingerprint


def test_index_holds_what_is_kept_and_nothing_else(dedup_settings):
    write_dump(FIRST, cut(some_pages(), [40]))
    kept = sum(row["dedup_keep"] for row in decided(FIRST).values())
    index = task_class("IndexKept")(dump=FIRST)
    index.run()
    shards = index.store.manifest("IndexKept")["num_shards"]
    tables = [index.store.read_table(index.store.path("IndexKept", n)) for n in range(shards)]

    assert sum(map(len, tables)) == 15 * kept
    assert len({rank for table in tables for rank in table["rank"].to_pylist()}) == kept
