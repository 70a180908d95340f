"""The columns of a small corpus of two dumps, of `skord.corpus`."""

import math

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from skord.core.failures import ConfigError
from skord.core.storage.column_store import IDS, ColumnStore
from skord.core.storage.filesystem import Storage
from skord.core.storage.shared_columns import FAILURE, ID
from skord.corpus import Corpus

FIRST, SECOND = "2024-10", "2024-18"
COLUMNS = ["Text.text", "FilterDocuments.num_words"]
TASKS = {
    "CCNet": {"url": pa.string()},
    "Text": {"text": pa.string()},
    "FilterDocuments": {"num_words": pa.int64(), "unigram_entropy": pa.float64()},
    "Deduplicate": {"dedup_keep": pa.bool_()},
}
IDS_OF = {FIRST: [["a", "b", "c"], [], ["d"]], SECOND: [["e", "f"]]}
EVERY = [page for shards in IDS_OF.values() for shard in shards for page in shard]


def value(page, name):
    number = EVERY.index(page)
    return {
        "url": f"http://{page}.se/", "text": f"text {page}", "num_words": 10 * number,
        "unigram_entropy": 3.0 + number, "dedup_keep": number % 2 == 0,
        "title": f"title {page}", "date": "2024-03-01", "language": "sv",
    }[name]  # fmt: skip


def write(store, task, shard, ids, columns, rows_at_once=2):
    schema = pa.schema([ID, *columns.items(), FAILURE])
    with store.writer(store.path(task, shard), schema, "f") as writer:
        for first in range(0, max(len(ids), 1), rows_at_once):
            some = ids[first : first + rows_at_once]
            rows = [[value(page, name) for page in some] for name in columns]
            writer.write(pa.table([some, *rows, [None] * len(some)], schema=schema))


@pytest.fixture
def data(tmp_path):
    for dump, shards in IDS_OF.items():
        store = ColumnStore(Storage(str(tmp_path / "da'ta")), dump)
        for task, columns in TASKS.items():
            for shard, ids in enumerate(shards):
                write(store, task, shard, ids, columns)
            if (dump, task) != (SECOND, "Deduplicate"):
                store.write_manifest(task, {"num_shards": len(shards), "stamp": "f", "counts": {}})
    return str(tmp_path / "da'ta")


def ids_of(table):
    return "".join(table["id"].to_pylist())


def test_columns_are_those_of_the_tasks_that_every_dump_has(data):
    wanted = ["id", *(f"{task}.{n}" for task in sorted(TASKS) for n in (*TASKS[task], "failure"))]
    assert Corpus(data, [FIRST]).columns() == wanted
    both = Corpus(data, [FIRST, SECOND]).columns()
    assert both == [name for name in wanted if not name.startswith("Deduplicate.")]


def test_a_task_of_other_documents_has_no_columns(data):
    store = ColumnStore(Storage(data), FIRST)
    write(store, "Other", 0, ["a"], {"text": pa.string()})
    store.write_manifest("Other", {"num_shards": 1, "stamp": "f", "counts": {}})
    assert "Other.text" not in Corpus(data, [FIRST]).columns()


def test_documents_of_all_dumps_come_in_order_with_what_was_asked_for(data):
    table = Corpus(data, [FIRST, SECOND]).table(["id", *COLUMNS])

    assert table.column_names == ["id", *COLUMNS]
    assert ids_of(table) == "abcdef"
    assert table["Text.text"].to_pylist() == [f"text {page}" for page in EVERY]
    assert [len(b) for b in Corpus(data, [FIRST]).batches(COLUMNS)] == [2, 1, 1]


def test_documents_are_chosen_by_what_is_not_shown(data):
    corpus = Corpus(data, [FIRST])
    assert ids_of(corpus.table(COLUMNS, kept=True)) == "ac"
    assert ids_of(corpus.table(COLUMNS, limits={"unigram_entropy": (4.0, 5.5)})) == "bc"
    assert ids_of(corpus.table(COLUMNS, kept=True, limits={"num_words": (1, math.inf)})) == "c"
    many = pc.field("FilterDocuments.num_words") > 10
    assert ids_of(corpus.table(COLUMNS, where=many)) == "cd"
    none = corpus.table(["id", *COLUMNS], limits={"num_words": (1e6, math.inf)})
    assert len(none) == 0
    assert none.schema == pa.schema(
        [("id", pa.string()), ("Text.text", pa.string()), ("FilterDocuments.num_words", pa.int64())]
    )
    assert Corpus(data, [FIRST]).table([]).column_names == ["id"]


def test_what_is_not_there_is_said_with_what_is(data):
    corpus = Corpus(data, [FIRST])
    with pytest.raises(
        ConfigError, match=r"no column Text\.beauty in dump 2024-10; Text has id, text"
    ):
        corpus.table(["Text.beauty"])
    with pytest.raises(ConfigError, match=r"no column No\.text in dump 2024-10: no finished No"):
        corpus.table(["No.text"])
    with pytest.raises(ConfigError, match="has no finished CCNet of dump 2024-22"):
        Corpus(data, ["2024-22"])
    with pytest.raises(ConfigError, match="beauty"):
        corpus.table(COLUMNS, limits={"beauty": (0, 1)})


def test_duckdb_and_polars_read_the_same(data):
    corpus = Corpus(data, [FIRST, SECOND])
    wanted = corpus.table(COLUMNS).to_pylist()
    connection = duckdb.connect()

    assert corpus.duckdb(connection, COLUMNS, "mine").to_arrow_table().to_pylist() == wanted
    assert connection.sql("SELECT count(*) FROM mine").fetchall() == [(6,)]
    assert corpus.polars(["id", *COLUMNS]).collect().to_dicts() == wanted
    names = corpus.columns()
    assert corpus.polars().collect().columns == names
    assert corpus.duckdb(connection).columns == names


@pytest.mark.parametrize("said", [None, {"CCNet": "x", "Text": "y", "FilterDocuments": "x"}])
def test_columns_of_other_documents_are_not_put_beside(data, said):
    store = note_ids(data, said)
    corpus = Corpus(data, [FIRST])
    corpus.polars(COLUMNS)
    write(store, "Text", 2, ["c"], TASKS["Text"])

    with pytest.raises(ConfigError, match="shard 00002 of CCNet, Text, FilterDocuments in dump"):
        corpus.polars(COLUMNS)


def test_shards_are_not_opened_where_manifests_tell_that_documents_are_the_same(data):
    store = note_ids(data, dict.fromkeys(TASKS, "x"))
    write(store, "Text", 2, ["c"], TASKS["Text"])
    Corpus(data, [FIRST]).polars(COLUMNS)


def note_ids(data, said):
    store = ColumnStore(Storage(data), FIRST)
    for task, ids in (said or {}).items():
        store.write_manifest(task, {**store.manifest(task), IDS: ids})
    return store


def test_a_bucket_is_read_by_batches_alone(data, tmp_path):
    corpus = Corpus(data, [FIRST])
    corpus._storage = Storage("s3://bucket/prefix")
    with pytest.raises(ConfigError, match="use batches"):
        corpus.polars(COLUMNS)


def test_columns_are_written_side_by_side_to_files_of_a_size(data, tmp_path):
    corpus = Corpus(data, [FIRST, SECOND])
    wanted = corpus.table(COLUMNS)

    assert corpus.compact(COLUMNS, str(tmp_path / "one")) == ["00000.parquet"]
    names = corpus.compact(COLUMNS, str(tmp_path / "small"), file_bytes=1)
    assert names == [f"{n:05d}.parquet" for n in range(4)]
    for folder in ("one", "small"):
        assert pq.read_table(tmp_path / folder).equals(wanted)
    kept = Corpus(data, [FIRST]).compact(COLUMNS, str(tmp_path / "kept"), kept=True)
    assert ids_of(pq.read_table(tmp_path / "kept" / kept[0])) == "ac"
    with pytest.raises(ConfigError, match=r"small holds 00000\.parquet: name an empty folder"):
        corpus.compact(COLUMNS, str(tmp_path / "small"))


@pytest.fixture
def own_names(data):
    """The first dump, with the tasks that short names stand for."""
    store = ColumnStore(Storage(data), FIRST)
    of_task = {
        "ConvertToMarkdown": {"title": pa.string(), "date": pa.string()},
        "ProcessMarkdown": {"text": pa.string()},
        "FilterDocuments": {"language": pa.string(), "num_words": pa.int64()},
    }
    for task, columns in of_task.items():
        for shard, ids in enumerate(IDS_OF[FIRST]):
            write(store, task, shard, ids, columns)
        store.write_manifest(task, {"num_shards": 3, "stamp": "f", "counts": {}})
    return Corpus(data, [FIRST])


def test_short_names_stand_beside_full_ones(own_names):
    table = own_names.table(["text", "CCNet.url", "ProcessMarkdown.text", "url"], kept=True)
    assert table.column_names == ["id", "text", "CCNet.url", "ProcessMarkdown.text", "url"]
    assert table["text"].to_pylist() == table["ProcessMarkdown.text"].to_pylist()
    assert table["text"].to_pylist() == ["text a", "text c"]
    chosen = own_names.table(["title"], where=pc.field("title") == "title b")
    assert chosen.to_pylist() == [{"id": "b", "title": "title b"}]
    none = own_names.table(["title", "text"], where=pc.field("title") == "no")
    assert none.column_names == ["id", "title", "text"]
    with pytest.raises(ConfigError, match=r"no column beauty: name its task, as in CCNet\.beauty"):
        own_names.table(["beauty"])


def test_a_corpus_has_a_length_and_a_name(data, own_names):
    assert len(Corpus(data, [FIRST, SECOND])) == 6
    assert len(own_names) == 4
    assert repr(own_names) == f"Corpus({data!r}, ['2024-10'])"


def test_frames_and_documents_are_those_of_the_table(own_names):
    wanted = own_names.table(["url", "title", "date", "language", "text"]).to_pylist()
    assert [row["text"] for row in wanted] == ["text a", "text b", "text c", "text d"]
    assert list(own_names.iter_documents()) == wanted
    assert own_names.to_pandas().to_dict("records") == wanted
    assert own_names.to_polars().to_dicts() == wanted
    assert own_names.to_polars(["text"], kept=True).columns == ["id", "text"]
    assert own_names.polars(["text"]).collect()["ProcessMarkdown.text"][0] == "text a"
