"""Which file each document of a corpus goes to, and its rows: `skord.publishing.source`."""

from collections import Counter

import pyarrow as pa
import pytest

from skord.core.failures import DamagedError
from skord.core.storage.column_store import ColumnStore
from skord.core.storage.filesystem import Storage
from skord.publishing.rows import MADE_OF
from skord.publishing.source import CorpusSource, Form

TEXTS = [["a" * 10, "b" * 10, "c" * 10], ["d" * 30], ["e" * 5, "f" * 25]]
"""Of three shards, the second page of the first left out below."""

COLUMNS = {
    name: (task, name)
    for task, names in {"Text": ("text", "line_verdicts"), "Page": MADE_OF}.items()
    for name in names
    if name not in ("text", "line_verdicts") or task == "Text"
}


@pytest.fixture
def source(tmp_path):
    """The source over a small store, its documents chosen and planned into three files."""
    source = filled(ColumnStore(Storage(str(tmp_path)), "2024-10"), TEXTS)
    source.plan(3, 25)
    return source


def filled(store, shards):
    source = CorpusSource(store, "Export", "f", COLUMNS)
    for shard, texts in enumerate(shards):
        ids = [f"urn:{shard}-{number}" for number in range(len(texts))]
        size = len(ids)
        page = {name: pa.nulls(size, pa.string()) for name in MADE_OF if name != "id"}
        page |= {"offset": pa.nulls(size, pa.int64()), "length": pa.nulls(size, pa.int32())}
        write(store, "Page", shard, ids, page)
        write(store, "Text", shard, ids, {
            "text": texts, "line_verdicts": [b"\x01"] * size, "score": [1.5] * size,
        })  # fmt: skip
        source.choose(shard, {"Text": ["score"]}, without_b)
    return source


def write(store, task, shard, ids, columns):
    table = pa.table({"id": ids, **columns, "failure": pa.nulls(len(ids), pa.string())})
    with store.writer(store.path(task, shard), table.schema, "f") as writer:
        for row in range(0, len(table), store.batch_rows):
            writer.write(table.slice(row, store.batch_rows))


def without_b(batch):
    return pa.array(["b" if text[:1] == "b" else None for text in batch["Text.text"].to_pylist()])


def test_every_chosen_document_is_in_one_file_in_its_order(source):
    form = Form(["perplexity"], [])
    source = CorpusSource(source.store, "Export", "f", {**COLUMNS, "perplexity": ("Text", "score")})
    assert source.num_files() == 4

    files = [
        [text[0] for table in source.rows(n, form, Counter()) for text in table["text"].to_pylist()]
        for n in range(4)
    ]

    assert "".join("".join(texts) for texts in files) == "acdef"
    numbers = [number for shard in range(3) for number in source.places(shard)[0].tolist()]
    assert [len(texts) for texts in files] == [numbers.count(n) for n in range(4)]
    assert numbers == sorted(numbers)


def test_a_plan_of_other_documents_does_not_count(source):
    assert CorpusSource(source.store, "Export", "other", COLUMNS).num_files() is None


def test_without_a_shards_choice_there_is_no_plan(source):
    source.store.storage.delete(source.chosen_path(1))

    for act in (lambda: source.plan(3, 25), lambda: source.left_out(3)):
        with pytest.raises(
            DamagedError, match=r"00001\.parquet is missing: give the command again"
        ):
            act()


def test_what_was_chosen_is_noted_with_its_size(source):
    rows = source.store.read_table(source.chosen_path(0)).to_pylist()

    assert rows == [{"group": 0, "row": 0, "bytes": 10}, {"group": 0, "row": 2, "bytes": 10}]
    plan = source.store.read_table(source.plan_path).to_pylist()
    assert [row["first_byte"] for row in plan] == [0, 20, 50]


def test_of_a_shard_those_row_groups_are_read_that_a_file_has_documents_of(tmp_path):
    """A row group for each document. The first shard ends where the last file begins."""
    store = ColumnStore(Storage(str(tmp_path)), "2024-10", batch_rows=1)
    source = filled(store, [[letter * 10 for letter in "acdefg"], ["h" * 10, "i" * 10, "j" * 10]])
    source.plan(2, 30)

    files = [
        [table["text"].to_pylist() for table in source.rows(n, Form([], []), Counter())]
        for n in range(source.num_files())
    ]

    assert files == [[[letter * 10] for letter in letters] for letters in ("acd", "efg", "hij")]
