"""The columns of a corpus for those who use it."""

import math
import shutil
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import skord
from skord.core.failures import ConfigError, DamagedError, ShardError
from skord.core.storage.column_store import ColumnStore
from skord.core.storage.filesystem import Storage
from tests.graph.bench import DUMP, Bench

COLUMNS = ["ConvertToMarkdown.url", "FilterDocuments.language", "ProcessMarkdown.text"]


@pytest.fixture
def corpus(whole):
    return skord.Corpus(whole.data, [DUMP])


def ids(bench):
    store = bench.store
    shards = range(store.manifest("CCNet")["num_shards"])
    return [
        i
        for shard in shards
        for i in store.read_table(store.path("CCNet", shard))["id"].to_pylist()
    ]


def test_documents_come_in_the_order_of_the_index(corpus, whole):
    table = corpus.table(COLUMNS)

    assert table.column_names == ["id", *COLUMNS]
    assert table["id"].to_pylist() == ids(whole)
    for batch in corpus.batches(COLUMNS):
        assert batch.schema == table.schema


def test_duckdb_and_polars_see_the_same(corpus):
    wanted = corpus.table(COLUMNS).to_pylist()

    view = corpus.duckdb(duckdb.connect(), COLUMNS)
    assert view.to_arrow_table().to_pylist() == wanted
    assert corpus.polars(COLUMNS).collect().to_dicts() == wanted


def test_other_limits_are_decided_anew(corpus):
    entropies = corpus.table(["FilterDocuments.unigram_entropy"], kept=True)
    wanted = pc.greater_equal(entropies["FilterDocuments.unigram_entropy"], 4.5)

    stricter = corpus.table(COLUMNS, kept=True, limits={"unigram_entropy": (4.5, math.inf)})

    assert stricter.column_names == ["id", *COLUMNS]
    assert stricter["id"].to_pylist() == entropies.filter(wanted)["id"].to_pylist()
    assert 0 < len(stricter) < len(entropies)
    with pytest.raises(ConfigError, match="entropy_of_all"):
        corpus.table(COLUMNS, limits={"entropy_of_all": (0, 1)})


def test_rows_are_filtered(corpus):
    wanted = pc.field("FilterDocuments.language") == "is"
    table = corpus.table([*COLUMNS, "Deduplicate.dedup_keep"], where=wanted)
    kept = corpus.table(COLUMNS, where=wanted, kept=True)

    assert set(table["FilterDocuments.language"].to_pylist()) == {"is"}
    assert kept.column_names == ["id", *COLUMNS]
    assert kept["id"].to_pylist() == table.filter(table["Deduplicate.dedup_keep"])["id"].to_pylist()
    assert 0 < len(kept) < len(corpus.table(COLUMNS))
    nothing = corpus.table(COLUMNS, where=pc.field("FilterDocuments.language") == "xx")
    assert nothing.schema == kept.schema
    assert len(nothing) == 0


def test_what_is_not_asked_for_is_not_read(whole, tmp_path):
    """The Markdown is overwritten with noise; who does not ask for it does not notice."""
    data = Path(shutil.copytree(whole.data, tmp_path / "data"))
    corpus = skord.Corpus(str(data), [DUMP])
    wanted = corpus.table(COLUMNS).to_pylist()
    for path in (data / "ConvertToMarkdown" / DUMP).glob("*.parquet"):
        spoil(path, "content")

    assert corpus.table(COLUMNS).to_pylist() == wanted
    assert corpus.polars().select("id", *COLUMNS).collect().to_dicts() == wanted
    corpus.duckdb(connection := duckdb.connect())
    named = ", ".join(f'"{name}"' for name in ("id", *COLUMNS))
    assert connection.sql(f"SELECT {named} FROM pages").to_arrow_table().to_pylist() == wanted
    with pytest.raises(
        DamagedError, match=r"cannot be read as Parquet .*skord study verify --dump"
    ):
        corpus.table(["ConvertToMarkdown.content"])
    assert not list(data.rglob("*.damaged"))


def spoil(path, column):
    with pq.ParquetFile(path) as file:
        names = file.schema_arrow.names
        chunks = [
            file.metadata.row_group(group).column(names.index(column))
            for group in range(file.num_row_groups)
        ]
    data = bytearray(path.read_bytes())
    for chunk in chunks:
        start = chunk.dictionary_page_offset or chunk.data_page_offset
        data[start : start + chunk.total_compressed_size] = b"\xff" * chunk.total_compressed_size
    path.write_bytes(data)


def test_what_is_not_there_is_said(corpus, whole):
    assert "Deduplicate.dedup_keep" in corpus.columns()
    for columns in (["CCNet.beauty"], ["NoTask.text"], ["beauty"]):
        with pytest.raises(ConfigError, match="there is no column"):
            corpus.table(columns)
    with pytest.raises(ConfigError, match="no finished CCNet of dump 2024-18"):
        skord.Corpus(whole.data, ["2024-18"])
    with pytest.raises(AttributeError, match="Korpus"):
        _ = skord.Korpus


def test_columns_of_different_runs_are_not_put_side_by_side(whole, tmp_path):
    data = Path(shutil.copytree(whole.data, tmp_path / "data"))
    store = ColumnStore(Storage(str(data)), DUMP)
    first, second = (store.path("ProcessMarkdown", shard) for shard in (0, 1))
    other = store.read_table(second)
    with store.writer(first, other.schema, store.footer(first).fingerprint) as writer:
        writer.write(other)
    corpus = skord.Corpus(str(data), [DUMP])
    with pytest.raises(DamagedError, match="ProcessMarkdown 2024-10: shard 00000 is missing or"):
        corpus.table(COLUMNS)
    early = store.manifest("ProcessMarkdown")  # early ones tell neither sizes nor ids
    del early["bytes"], early["ids"]
    store.write_manifest("ProcessMarkdown", early)

    with pytest.raises(ConfigError, match="does not hold the same documents"):
        corpus.polars(COLUMNS)
    with pytest.raises(ShardError, match="do not share one index"):
        corpus.table(COLUMNS)

    shutil.copy(data / second, data / first)
    with pytest.raises(ConfigError, match="is a copy of shard 00001"):
        corpus.polars(COLUMNS)


def test_compacted_columns_are_those_of_the_corpus(corpus, whole, tmp_path):
    arguments = ["compact", str(tmp_path / "out"), "--dump", DUMP, "--columns", ",".join(COLUMNS)]
    status, output = whole.run("-m", "pipeline", *arguments, "--kept")
    assert status == 0, output

    wanted = corpus.table(COLUMNS, kept=True)
    assert duckdb.sql(f"FROM '{tmp_path}/out/*.parquet'").to_arrow_table().equals(wanted)
    names = corpus.compact(COLUMNS, str(tmp_path / "small"), file_bytes=1, kept=True)
    assert len(names) == len(list(corpus.batches(COLUMNS, kept=True))) > 1
    assert duckdb.sql(f"FROM '{tmp_path}/small/*.parquet'").to_arrow_table().equals(wanted)
    with pytest.raises(ConfigError, match="name an empty folder"):
        corpus.compact(COLUMNS, str(tmp_path / "small"))


def test_the_graph_is_run_and_looked_at_from_python(whole, tmp_path):
    copy = Bench(tmp_path / "copy", whole.url)
    shutil.copytree(whole.data, copy.data)
    copy.environment()  # writes luigi.cfg beside the data
    flow = skord.Pipeline(copy.data)
    Path(copy.store.storage.full(copy.store.path("Deduplicate", 1))).unlink()

    assert {task.task: task.complete for task in flow.status(DUMP)}["Deduplicate"] is False
    flow.run("Deduplicate", DUMP)

    assert copy.files() == whole.files()
    status = {task.task: task for task in flow.status(DUMP)}
    assert status["Deduplicate"].complete
    assert status["CCNet"].rows == whole.store.manifest("CCNet")["rows"]
    last = next(stage for stage in flow.funnel(DUMP) if stage["task"] == "Deduplicate")
    kept = flow.corpus(DUMP).table(["CCNet.url"], kept=True)
    assert len(kept) == last["documents_out"]["all"] == status["Deduplicate"].counts["kept"]


def test_what_cannot_be_run_is_one_sentence_in_python_too(whole):
    whole.environment()
    flow = skord.Pipeline(whole.data, {"FilterDocuments": {"limits": {"num_words": [60, 9e9]}}})

    with pytest.raises(skord.PipelineError, match="limits"):
        flow.run("FilterDocuments", DUMP)
    with pytest.raises(skord.PipelineError, match="did you mean Deduplicate"):
        flow.run("Dedupliate", DUMP)


def test_compact_that_ended_early_leaves_no_files_in_place_and_goes_on(whole, tmp_path):
    data = Path(shutil.copytree(whole.data, tmp_path / "data"))
    out = tmp_path / "out"
    last = max((data / "ProcessMarkdown" / DUMP).glob("0*.parquet"))
    content = last.read_bytes()
    spoil(last, "text")
    with pytest.raises(DamagedError):
        skord.Corpus(str(data), [DUMP]).compact(COLUMNS, str(out), file_bytes=20_000)
    assert not list(out.glob("*.parquet"))
    begun = {path.name: path.stat().st_ino for path in out.glob("_begun/*.parquet")}
    assert begun

    last.write_bytes(content)
    names = skord.Corpus(str(data), [DUMP]).compact(COLUMNS, str(out), file_bytes=20_000)

    assert sorted(path.name for path in out.glob("*.parquet")) == names
    assert not (out / "_begun").exists()
    assert begun.items() <= {path.name: path.stat().st_ino for path in out.iterdir()}.items()
    tables = [pq.read_table(out / name) for name in names]
    wanted = skord.Corpus(str(data), [DUMP]).table(COLUMNS)
    assert sum(map(len, tables)) == len(wanted)
    assert pa.concat_tables(tables).equals(wanted)
    with pytest.raises(ConfigError, match="name an empty folder"):
        skord.Corpus(str(data), [DUMP]).compact(COLUMNS, str(out))


def test_compact_with_other_words_begins_anew_and_one_killed_at_its_end_is_finished(
    whole, tmp_path
):
    corpus, out = skord.Corpus(whole.data, [DUMP]), tmp_path / "out"
    names = corpus.compact(COLUMNS, str(out), file_bytes=20_000)
    before = {path.name: path.read_bytes() for path in out.glob("*.parquet")}
    assert len(names) > 2
    begun = out / "_begun"
    begun.mkdir()
    (begun / "unfinished").write_bytes(corpus._plan(COLUMNS, 20_000, kept=False))
    (out / names[-1]).rename(begun / names[-1])

    assert corpus.compact(COLUMNS, str(out), file_bytes=20_000) == names
    assert {path.name: path.read_bytes() for path in out.glob("*.parquet")} == before

    begun.mkdir()
    (begun / "unfinished").write_bytes(b"something else")
    few = corpus.compact(["url"], str(out))
    assert sorted(path.name for path in out.glob("*.parquet")) == few
    assert pq.read_table(out / few[0]).column_names == ["id", "url"]
