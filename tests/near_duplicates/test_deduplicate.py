"""Deduplicate on dumps of texts: what is kept does not depend on how the work was cut.

Through all of `skord.near_duplicates.decision`, `skord.near_duplicates.ranking`,
`skord.near_duplicates.buckets` and `skord.near_duplicates.alarms`.
"""

import random
from pathlib import Path

import pytest

from pipeline.dedup import Deduplicate
from skord.core.failures import ConfigError
from tests.near_duplicates.conftest import (
    FIRST,
    SECOND,
    Page,
    cut,
    decided,
    edited,
    rows,
    some_pages,
    text,
    write_dump,
)


def test_neither_sharding_nor_order_nor_partitions_change_a_decision(dedup_settings):
    pages = some_pages()
    write_dump(FIRST, cut(pages, [20, 3, 0, 50]))
    one = decided(FIRST)
    shuffled = random.Random(5).sample(pages, len(pages))
    dedup_settings(match_mb=450, num_partitions=7, shards_at_once=1)
    write_dump(SECOND, cut(shuffled, [64]))
    other = decided(SECOND)

    assert one == other
    assert {row["dedup_keep"] for row in one.values()} == {True, False}


def test_a_page_that_failed_a_filter_removes_nobody_and_is_not_judged(dedup_settings):
    copy = text(1)
    pages = [Page(f"urn:uuid:{n}", copy, passes=n == 5) for n in range(9)]
    write_dump(FIRST, cut(pages, [4]))
    decisions = decided(FIRST)

    assert decisions["urn:uuid:5"]["dedup_keep"] is True
    assert {decisions[f"urn:uuid:{n}"]["dedup_keep"] for n in range(9) if n != 5} == {None}
    assert {decisions[f"urn:uuid:{n}"]["cluster_size"] for n in range(9) if n != 5} == {None}


def test_empty_and_short_texts_match_only_their_copies(dedup_settings):
    texts = ["", "", "kort", "kort", "kort!", "Kort", "en text av sexton", "en text av sextio"]
    pages = [Page(f"urn:uuid:{n}", text) for n, text in enumerate(texts)]
    write_dump(FIRST, [pages])
    kept = [pages[n].text for n, row in enumerate(decided(FIRST).values()) if row["dedup_keep"]]

    assert sorted(kept) == sorted(set(texts))


def test_of_copies_one_is_kept_and_said_to_be_the_reason(dedup_settings):
    pages = [Page(f"urn:uuid:{n}", text(n % 4)) for n in range(40)]
    write_dump(FIRST, cut(pages, [13, 13]))
    decisions = decided(FIRST)

    for family in range(4):
        members = [decisions[f"urn:uuid:{n}"] for n in range(family, 40, 4)]
        (kept,) = [row for row in members if row["dedup_keep"]]
        removed = [row for row in members if not row["dedup_keep"]]
        assert {row["duplicate_of"] for row in removed} == {kept["id"]}
        assert {row["similarity"] for row in removed} == {1.0}
        assert {row["cluster_size"] for row in members} == {10}
        assert kept["duplicate_of"] is None
        assert kept["similarity"] is None


def test_similarity_limit_decides_and_zero_takes_any_shared_band(dedup_settings):
    base = text(3, 300)
    pages = [Page(f"urn:uuid:{n}", edited(base, n, 0.04) if n else base) for n in range(30)]
    write_dump(FIRST, [pages])
    removed = {}
    for limit in (0.0, 0.3, 0.95):
        task = Deduplicate(dump=FIRST, similarity_limit=limit, replace=True)
        task.run()
        removed[limit] = sum(row["dedup_keep"] is False for row in rows(task).values())
        assert all((row["similarity"] or 1) >= limit for row in rows(task).values())

    assert removed[0.0] >= removed[0.3] > removed[0.95]


def test_quality_ranks_before_the_hash(dedup_settings):
    pages = [Page(f"urn:uuid:{n}", text(n % 5), length=n) for n in range(25)]
    write_dump(FIRST, cut(pages, [11]))
    decisions = decided(FIRST, rank_by="content_length")

    assert [name for name, row in decisions.items() if row["dedup_keep"]] == [
        f"urn:uuid:{n}" for n in range(20, 25)
    ]


def test_two_rows_of_one_id_do_not_lose_each_other(dedup_settings):
    pages = [Page("urn:uuid:1", text(1)), Page("urn:uuid:1", text(1)), Page("urn:uuid:2", text(2))]
    write_dump(FIRST, [pages])
    task = Deduplicate(dump=FIRST)
    task.run()
    keep = task.store.read_table(task.store.path("Deduplicate", 0))["dedup_keep"].to_pylist()

    assert sorted(keep[:2]) == [False, True]
    assert keep[2] is True


def test_what_went_missing_between_the_phases_is_made_again(dedup_settings):
    write_dump(FIRST, cut(some_pages(), [20, 30]))
    one = decided(FIRST)
    task = Deduplicate(dump=FIRST)
    for phase in ("losses", "ranks"):
        task.store.delete_manifest("Deduplicate")
        task.store.storage.delete(task.path(phase, 0))

        assert decided(FIRST) == one
        assert task.store.footer(task.path(phase, 0)) is not None


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"rule": "best"}, "greedy or components"),
        ({"rank_by": "beauty"}, "no column of numbers of that name"),
        ({"rank_by": "language"}, "give one such as content_length"),
        ({"dumps": "2024-18,2024-22"}, "does not name 2024-10"),
        ({"dumps": "2024-10,1999-01"}, "1999-01"),
    ],
)
def test_what_cannot_be_is_said_before_anything_starts(dedup_settings, values, message):
    with pytest.raises(ConfigError, match=message):
        Deduplicate(dump=FIRST, **values).check()


def test_a_domain_that_loses_nearly_all_and_a_hot_text_are_told(dedup_settings, caplog):
    hot = [Page(f"urn:uuid:h{n}", text(1), host="mall.se") for n in range(40)]
    fine = [Page(f"urn:uuid:f{n}", text(100 + n), host="fin.se") for n in range(60)]
    write_dump(FIRST, cut(hot + fine, [37, 20]))
    decided(FIRST)
    manifest = Deduplicate(dump=FIRST).store.manifest("Deduplicate")

    assert manifest["alarms"]["host_lost"] == ["mall.se loses 39 of 40 texts"]
    (hot_cluster,) = manifest["alarms"]["hot_cluster"]
    assert hot_cluster.endswith("stands for 40 of 100 texts")
    assert manifest["counts"]["alarm.host_lost"] == manifest["counts"]["alarm.hot_cluster"] == 1
    assert "mall.se loses 39 of 40 texts" in caplog.text


def test_tenth_of_a_dump_that_is_one_page_costs_its_rows_only(dedup_settings):
    pages = [Page(f"urn:uuid:{n}", text(0 if n % 10 == 0 else n)) for n in range(1000)]
    write_dump(FIRST, cut(pages, [400, 400]))
    decisions = decided(FIRST)

    assert sum(row["dedup_keep"] for row in decisions.values()) == 901


def test_a_dump_without_texts_is_deduplicated(dedup_settings):
    write_dump(FIRST, [[], []])

    assert decided(FIRST) == {}


def test_what_phases_hand_on_is_taken_away_once_all_is_decided(dedup_settings):
    write_dump(FIRST, cut([Page(f"urn:uuid:{n}", text(n % 4)) for n in range(40)], [13, 13]))
    decided(FIRST)
    task = Deduplicate(dump=FIRST)
    folder = Path(task.store.storage.full(task.store.folder("Deduplicate")))

    left = {path.name for path in folder.iterdir() if path.is_dir()}

    assert left == {"_ranks", "_losses"}
