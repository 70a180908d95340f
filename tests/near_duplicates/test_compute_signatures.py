"""ComputeSignatures: rows as the shards have them, in files of however many shards."""

from itertools import chain

import pytest

from pipeline.dedup import ComputeSignatures, Deduplicate
from pipeline.quality_filtering import FilterDocuments
from skord.core.driver import work_items
from skord.core.executor import executor_from_config
from skord.core.registry import task_class
from skord.core.work_item import Resources
from skord.near_duplicates.files import SignedTexts
from skord.near_duplicates.minhash import SIGNED_SCHEMA
from tests.near_duplicates.conftest import FIRST, Page, cut, decided, some_pages, text, write_texts

PAGES = [
    Page("urn:uuid:0", text(1)),
    Page("urn:uuid:1", text(1), passes=False),
    Page("urn:uuid:2", "kort"),
    Page("urn:uuid:3", text(1)),
    Page("urn:uuid:4", ""),
]


def tables(**settings):
    """What a run leaves, shard by shard."""
    task = ComputeSignatures(dump=FIRST, **settings)
    task.run()
    return list(SignedTexts(task.store, "ComputeSignatures").tables(SIGNED_SCHEMA.names))


def test_rows_are_those_of_the_shards_and_null_where_a_text_does_not_compete(dedup_settings):
    write_texts(FIRST, cut(PAGES, [2, 0]))
    shards = tables()
    actual = [row for table in shards for row in table.to_pylist()]

    assert [len(table) for table in shards] == [2, 0, 3]
    assert [row["id"] for row in actual] == [page.id for page in PAGES]
    assert actual[0]["minhash"] == actual[3]["minhash"] is not None
    assert actual[0]["text_digest"] == actual[3]["text_digest"]
    assert actual[0]["id_digest"] != actual[3]["id_digest"]
    assert {**actual[1], "id": None} == dict.fromkeys(SIGNED_SCHEMA.names)
    for short in (actual[2], actual[4]):
        assert short["minhash"] is None
        assert None not in (short["id_digest"], short["text_digest"])


def test_a_shard_is_found_in_whichever_file_it_lies(dedup_settings):
    write_texts(FIRST, cut(some_pages(), [20, 0, 7, 11]))
    shards = tables(shards_at_once=2)
    signed = SignedTexts(ComputeSignatures(dump=FIRST).store, "ComputeSignatures")

    assert [signed.table(n, ["id"]) for n in range(5)] == [t.select(["id"]) for t in shards]


@pytest.mark.parametrize("at_once", [1, 3, 10])
def test_files_of_another_cut_are_made_again_after_an_interruption(dedup_settings, at_once):
    write_texts(FIRST, cut(some_pages(), [20, 0, 7, 11]))
    one = tables(shards_at_once=2)
    store = ComputeSignatures(dump=FIRST).store
    store.delete_manifest("ComputeSignatures")
    store.storage.delete(store.path("ComputeSignatures", 2))

    assert tables(shards_at_once=at_once) == one
    left = [name for name in store.storage.names("ComputeSignatures/2024-10") if "parquet" in name]
    assert len(left) == -(-5 // at_once)
    assert store.manifest("ComputeSignatures")["counts"] == {"signed": 90}


def test_losses_and_index_of_another_cut_are_made_again_too(dedup_settings):
    write_texts(FIRST, cut(some_pages(), [20, 30]))
    tables()
    decided(FIRST)
    task = Deduplicate(dump=FIRST, shards_at_once=1)
    assert task.done("losses", 0) is False
    assert Deduplicate(dump=FIRST).done("losses", 0) is True
    assert task.done("shard", 0) is True

    index = task_class("IndexKept")
    index(dump=FIRST).run()
    again = index(dump=FIRST, num_partitions=5)
    again.store.delete_manifest("IndexKept")
    first, second = (keys_of(again, number) for number in range(2))
    again.run()
    fifths = [keys_of(again, number) for number in range(5)]

    assert sorted(chain(*fifths)) == sorted(first + second)
    assert fifths[0] != first


def keys_of(index, number):
    return index.store.read_table(index.store.path("IndexKept", number))["key"].to_pylist()


def test_elements_of_one_process_do_not_work_the_stamp_out_again(dedup_settings, monkeypatch):
    write_texts(FIRST, cut(some_pages(), [20, 30]))
    parts, asked = FilterDocuments.fingerprint_parts, []
    monkeypatch.setattr(
        FilterDocuments, "fingerprint_parts", lambda task: asked.append(task) or parts(task)
    )
    task = ComputeSignatures(dump=FIRST, shards_at_once=1)

    reports = list(
        executor_from_config().map(work_items(task, "shard", range(3)), Resources(task.mem_gb))
    )

    assert [report.error for report in reports] == [None] * 3
    assert len(asked) <= 2  # for the elements' words, and once in a process to compare
    asked.clear()
    assert task.done("shard", 2)
    assert len(asked) == 1
