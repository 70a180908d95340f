"""Figures out of the tables of a small dump, of `skord.cli.report.collect`."""

from collections import Counter

import pyarrow as pa
import pytest

from skord.cli.report.collect import PARAGRAPH_CHARACTERS, READ, REASONS, _shown, collect_figures
from skord.core.failures import ConfigError
from skord.core.storage.column_store import ColumnStore
from skord.core.storage.filesystem import Storage
from skord.core.storage.shared_columns import FAILURE, ID
from skord.quality.limits import FEATURES

DUMP = "2024-10"
LINE, OTHER = "x" * PARAGRAPH_CHARACTERS, "y" * (PARAGRAPH_CHARACTERS - 1)
TEXT = pa.string()
COLUMNS = {
    "CCNet": {
        "url": TEXT, "language": TEXT, "perplexity": pa.float64(), "source_domain": TEXT,
        "warc_date": TEXT, "length": pa.int64(), "original_length": pa.int64(),
        "raw_content": TEXT, "nlines": pa.int32(), "original_nlines": pa.int32(),
    },
    "WARCIndex": {
        "warc_file": TEXT, "warc_record_offset": pa.int64(), "warc_record_length": pa.int32(),
    },
    "FetchHTMLDocuments": {"http_status": pa.int16()},
    "ConvertToMarkdown": {"server_date": TEXT, "date": TEXT, "charset": TEXT, "content": TEXT},
    "ProcessMarkdown": {
        "text": TEXT, "kept_lines": pa.int32(), "line_probabilities": pa.list_(pa.float32()),
    },
    "FilterDocuments": {
        "language": TEXT, **{one.name: one.field.type for one in FEATURES},
        "passes_all_quality_filters": pa.bool_(), "failed_filters": pa.list_(TEXT),
    },
    "Deduplicate": {"dedup_keep": pa.bool_(), "duplicate_of": TEXT, "cluster_size": pa.int32()},
}  # fmt: skip


def page(name, language="sv", host="a.se", **more):
    """A page that is kept unless more says otherwise."""
    return {
        "id": name, "url": f"http://{host}/{name}", "language": language, "source_domain": host,
        "warc_date": "2024-02-21T05:11:09Z", "perplexity": 100.0, "length": 10,
        "original_length": 20, "raw_content": f"raw {name}", "server_date": "2023-05-01",
        "charset": "utf-8", "content": f"markdown {name}", "text": f"text {name}\n{LINE}",
        "kept_lines": 1, "line_probabilities": [0.9, 0.1], "num_words": 50.0,
        "passes_all_quality_filters": True, "failed_filters": [], "dedup_keep": True,
        "cluster_size": 1, **more,
    }  # fmt: skip


NONE = dict.fromkeys(
    ("text", "kept_lines", "line_probabilities", "num_words", "passes_all_quality_filters",
     "failed_filters", "dedup_keep", "cluster_size")
)  # fmt: skip
SHARDS = [
    [
        page("k1", cluster_size=2, text=f"text k1\n{LINE}\n{OTHER}\n{OTHER}"),
        page("n1", dedup_keep=False, duplicate_of="k1", cluster_size=None),
        page("n2", host="b.se", dedup_keep=False, duplicate_of="k1", cluster_size=None),
    ],
    [
        page("k2", "da", "c.dk", server_date=None, charset="cp1252", perplexity=None, num_words=70.0,
             warc_date="2024-02-20T00:00:00Z", text=f"text k2 æ\n{OTHER}"),
        page("f1", passes_all_quality_filters=False, failed_filters=["num_words"], num_words=3.0,
             dedup_keep=None, cluster_size=None, kept_lines=None),
    ],
    [
        page("f2", None, perplexity=None, passes_all_quality_filters=False, dedup_keep=None,
             cluster_size=None, failed_filters=["num_words", "content_length"], num_words=4.0,
             content_length=5.0),
        page("x1", **NONE, charset=None, content=None,
             failures={"WARCIndex": "not_in_index", **dict.fromkeys([*READ][2:], "prior")}),
    ],
]  # fmt: skip


@pytest.fixture
def store(tmp_path, settings):
    settings()
    store = ColumnStore(Storage(str(tmp_path / "data")), DUMP)
    for task, columns in COLUMNS.items():
        schema = pa.schema([ID, *columns.items(), FAILURE])
        for shard, pages in enumerate(SHARDS):
            rows = [
                {"id": one["id"], **{name: one.get(name) for name in columns},
                 "failure": one.get("failures", {}).get(task)}
                for one in pages
            ]  # fmt: skip
            with store.writer(store.path(task, shard), schema, "f") as writer:
                writer.write(pa.Table.from_pylist(rows, schema))
                writer.counts.update({"pages": len(rows)} if task == "CCNet" else {})
            if task == "CCNet":
                with store.writer(store.path(task, shard, "refused"), schema, "f") as writer:
                    writer.write(pa.Table.from_pylist([], schema))
        store.write_manifest(task, {
            "num_shards": 3, "rows": 7, "counts": {}, "settings": {"a": task}, "stamp": f"f-{task}",
        })  # fmt: skip
    return store


def test_every_page_ends_somewhere_and_is_counted_there(store, tmp_path):
    figures = collect_figures(store, 10, tmp_path / "logs")

    assert (figures.shards_read, figures.shards) == (3, 3)
    head = figures.headline
    assert (head.documents, head.words, head.hosts) == (2, 120, 2)
    texts = [one["text"] for shard in SHARDS for one in shard if one["dedup_keep"]]
    assert head.text_bytes == sum(len(text.encode()) for text in texts)
    assert head.languages == {"sv": 1, "da": 1}
    assert head.crawled == ("2024-02-20", "2024-02-21")
    assert head.fingerprint == "f-Deduplicate"
    assert head.made == ""
    assert head.token_documents == len(head.tokens)
    (last,) = (s for s in figures.stages if s["task"] == "Deduplicate")
    kept = {name: number for name, number in last["documents_out"].items() if name != "all"}
    assert kept == head.languages, "one count of each language"
    assert figures.settings == {task: {"a": task} for task in READ}
    assert figures.alarms == []
    assert figures.cluster_sizes == {2: 1}
    assert figures.domains == [("a.se", 2, 1), ("b.se", 1, 1)]
    assert figures.hosts == [("a.se", 1), ("c.dk", 1)]
    assert figures.years == {"2023": 1, "unknown": 1}
    assert figures.paragraphs == [(LINE, 5)]
    assert sum(figures.lengths.counts) == 2
    assert sum(figures.kept_lines.counts) == 6
    first = zip(figures.kept_lines.edges, figures.kept_lines.counts, strict=False)
    assert next(first)[1] == 1, "of one page no line is kept"
    assert list(figures.perplexities) == ["sv"]
    assert len(figures.perplexities["sv"]["limits"]) == 2


def test_pages_to_read_tell_why_they_ended(store, tmp_path):
    samples = collect_figures(store, 10, tmp_path / "logs").samples

    assert {reason: sorted(one.id for one in pages) for reason, pages in samples.items()} == {
        "kept": ["k1", "k2"], "near_duplicate": ["n1", "n2"], "num_words": ["f1", "f2"],
        "not_in_index": ["x1"],
    }  # fmt: skip
    why = {one.id: one.why for pages in samples.values() for one in pages}
    assert why["k1"] == "passes every filter"
    assert why["n1"] == "like k1"
    assert why["f1"] == "num_words = 3"
    assert why["f2"] == "num_words = 4, content_length = 5"
    assert why["x1"] == "WARCIndex: not_in_index"
    text = {one.id: (one.language, one.text) for pages in samples.values() for one in pages}
    assert text["x1"] == ("sv", "raw x1")
    assert text["f2"][0] == "unknown"


def test_what_stops_pages_and_stops_them_alone(store, tmp_path):
    features = {one.name: one for one in collect_figures(store, 10, tmp_path / "logs").features}

    assert (features["num_words"].stops, features["num_words"].stops_alone) == (2, 1)
    assert (features["content_length"].stops, features["content_length"].stops_alone) == (1, 0)
    judged = features["num_words"].histogram
    assert (sum(judged.counts), judged.nulls) == (6, 0)
    assert features["content_length"].histogram.nulls == 5


def test_some_shards_stand_for_all(store, tmp_path):
    figures = collect_figures(store, 2, tmp_path / "logs")
    assert (figures.shards_read, figures.shards) == (2, 3)
    assert figures.headline.documents == 2
    assert sorted(one.id for one in figures.samples["num_words"]) == ["f1"]
    assert "not_in_index" not in figures.samples


def test_a_task_that_is_not_complete_is_named(store, tmp_path):
    store.storage.delete(store.manifest_path("FilterDocuments"))
    with pytest.raises(ConfigError, match=rf"FilterDocuments {DUMP} is not complete in .*: skord"):
        collect_figures(store, 10, tmp_path / "logs")


def test_the_most_frequent_reasons_are_shown_behind_what_is_kept():
    reasons = Counter({f"r{n:02d}": n + 1 for n in range(REASONS + 2)} | {"kept": 1})
    shown = _shown(reasons)
    assert shown[:2] == [("kept", 1), (f"r{REASONS + 1}", REASONS + 2)]
    assert len(shown) == REASONS + 1
