"""From where on removals are told, of `skord.near_duplicates.alarms`."""

import logging

import pyarrow as pa
import pytest

from skord.core.storage.column_store import ColumnStore
from skord.core.storage.filesystem import Storage
from skord.near_duplicates.alarms import (
    LOSSES_SCHEMA,
    SHOWN,
    AlarmLimits,
    duplicate_alarms,
    log_duplicate_alarms,
)

LIMITS = AlarmLimits(host_share=0.5, cluster_share=0.1, least_texts=20)


def alarms_of(tmp_path, *tables, num_texts=200):
    """What is told of groups of shards that have these losses: (kind, name, texts, removed)."""
    store = ColumnStore(Storage(str(tmp_path)), "2024-10")
    paths = [store.path("Deduplicate", number) for number in range(len(tables))]
    for path, rows in zip(paths, tables, strict=True):
        named = [dict(zip(LOSSES_SCHEMA.names, row, strict=True)) for row in rows]
        with store.writer(path, LOSSES_SCHEMA, "f") as writer:
            writer.write(pa.Table.from_pylist(named, schema=LOSSES_SCHEMA))
    return duplicate_alarms(store, paths, num_texts, LIMITS)


@pytest.mark.parametrize(
    ("texts", "is_told"),
    [(20, False), (21, True), (19, False)],
    ids=["the limit itself", "beyond it", "below it"],
)
def test_a_cluster_is_hot_beyond_its_share_of_all_texts(tmp_path, texts, is_told):
    actual = alarms_of(tmp_path, [("cluster", "urn:1", texts, texts - 1)])

    expected = [f"urn:1 stands for {texts} of 200 texts"] if is_told else []
    assert actual == {"host_lost": [], "hot_cluster": expected}


@pytest.mark.parametrize(
    ("texts", "removed", "is_told"),
    [(20, 10, False), (20, 11, True), (19, 19, False), (40, 20, False)],
)
def test_a_host_is_told_that_loses_more_than_its_share(tmp_path, texts, removed, is_told):
    actual = alarms_of(tmp_path, [("host", "a.example", texts, removed)])

    expected = [f"a.example loses {removed} of {texts} texts"] if is_told else []
    assert actual == {"host_lost": expected, "hot_cluster": []}


def test_few_texts_make_no_alarm_however_large_their_share_is(tmp_path):
    rows = [("cluster", "urn:1", 19, 18), ("host", "a.example", 19, 19)]

    assert alarms_of(tmp_path, rows, num_texts=19) == {"host_lost": [], "hot_cluster": []}
    (tmp_path / "2").mkdir()
    actual = alarms_of(tmp_path / "2", [("cluster", "urn:1", 20, 19)], num_texts=20)
    assert actual["hot_cluster"] == ["urn:1 stands for 20 of 20 texts"]


def test_groups_of_shards_count_together_and_the_largest_is_told_first(tmp_path):
    actual = alarms_of(
        tmp_path,
        [("host", "b.example", 12, 12), ("host", "a.example", 15, 8), ("cluster", "urn:1", 30, 29)],
        [("host", "a.example", 15, 8), ("host", "b.example", 12, 12), ("cluster", "urn:1", 40, 39)],
    )

    assert actual == {
        "host_lost": ["b.example loses 24 of 24 texts", "a.example loses 16 of 30 texts"],
        "hot_cluster": ["urn:1 stands for 40 of 200 texts"],
    }


@pytest.mark.parametrize(("found", "left"), [(SHOWN, []), (SHOWN + 2, ["and 2 more"])])
def test_only_what_is_not_shown_is_counted(caplog, found, left):
    with caplog.at_level(logging.WARNING, "luigi-interface"):
        log_duplicate_alarms(
            "Deduplicate", {"host_lost": [f"{number}.example" for number in range(found)]}
        )

    shown = [f"{number}.example" for number in range(SHOWN)]
    expected = [f"Deduplicate: host_lost: {line}" for line in [*shown, *left]]
    assert [record.getMessage() for record in caplog.records] == expected
