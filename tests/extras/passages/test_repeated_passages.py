"""FindRepeatedPassages over a small dump, of `skord.extras.passages.task`."""

import pyarrow as pa
import pytest

from pipeline.dedup import Deduplicate
from pipeline.markdown_processing import ProcessMarkdown
from skord.core.storage.shared_columns import FAILURE, ID
from skord.extras.passages.task import FindRepeatedPassages
from tests.near_duplicates.conftest import (
    FIRST,
    rows,
    tables_by_hand,  # noqa: F401 - a fixture
    text,
    write_task,
)

SHARED = text(900, 12)
PAGES = [
    [("a", f"{text(1, 20)}\n{SHARED}\n{text(2, 20)}", True), ("b", f"{SHARED} {text(3, 30)}", True),
     ("c", f"{SHARED} {text(4, 30)}", False)],
    [],
    [("d", text(5, 40), True), ("e", f"{text(6, 9)} {SHARED}", True), ("f", "", True)],
]  # fmt: skip
"""Of three shards: id, text, whether it is kept. Three kept texts hold the passage."""


@pytest.fixture
def dump(settings, tables_by_hand):  # noqa: F811
    settings()
    kinds = {"text": pa.string(), "dedup_keep": pa.bool_()}
    for task, name, place in ((ProcessMarkdown, "text", 1), (Deduplicate, "dedup_keep", 2)):
        tables = [
            pa.table(
                [[p[0] for p in shard], [p[place] for p in shard], [None] * len(shard)],
                schema=pa.schema([ID, (name, kinds[name]), FAILURE]),
            )
            for shard in PAGES
        ]
        write_task(task(dump=FIRST), tables)


def run(**settings):
    task = FindRepeatedPassages(dump=FIRST, **settings)
    task.run()
    return task, rows(task)


TEXTS = {page: content for shard in PAGES for page, content, _ in shard}


def ranges(row, page):
    return [
        (TEXTS[page][one["start"] : one["end"]].strip(), one["copies"], one["is_first"])
        for one in row["repeated_passages"]
    ]


def test_passages_of_kept_texts_are_found_and_one_is_the_first(dump):
    task, actual = run(length=12)

    held = {page: ranges(actual[page], page) for page in "abe"}
    assert {(words, copies) for found in held.values() for words, copies, _ in found} == {
        (SHARED, 3)
    }
    assert sorted(len(found) for found in held.values()) == [1, 1, 1]
    firsts = [page for page, found in held.items() if found[0][2]]
    assert len(firsts) == 1
    for page in "abe":
        ratio = 0.0 if page in firsts else pytest.approx(len(SHARED) / len(TEXTS[page]), abs=0.02)
        assert actual[page]["repeated_char_ratio"] == ratio
    assert actual["c"]["repeated_passages"] is actual["c"]["repeated_char_ratio"] is None
    for page in "df":
        assert (actual[page]["repeated_passages"], actual[page]["repeated_char_ratio"]) == ([], 0.0)
    assert {row["text_without_passages"] for row in actual.values()} == {None}
    counts = task.store.manifest(task.task_family)["counts"]
    assert (counts["texts_with_passages"], counts["passages"]) == (3, 3)
    assert task.is_made


def test_longer_passages_than_the_one_there_is_are_none(dump):
    _, actual = run(length=13, num_partitions=2)
    assert not any(row["repeated_passages"] for row in actual.values())


@pytest.mark.parametrize(("treatment", "holding"), [("later", 1), ("all", 0)])
def test_what_is_cut_out_is_all_or_all_but_the_first(dump, treatment, holding):
    task, actual = run(length=12, num_partitions=3, treatment=treatment)

    left = {page: actual[page]["text_without_passages"] for page in "abe"}
    assert sum(SHARED in one for one in left.values()) == holding
    assert actual["d"]["text_without_passages"] == TEXTS["d"]
    assert actual["f"]["text_without_passages"] == ""
    assert actual["c"]["text_without_passages"] is None
    sizes = {phase.name: phase.size() for phase in task.phases()}
    assert sorted(sizes.values()) == [3, 3, 3, 3, 3]
    assert [phase.transient for phase in task.phases()] == [True] * 4 + [False]
