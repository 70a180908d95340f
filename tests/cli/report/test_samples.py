"""The report's samples, over small tables of their own."""

import pyarrow as pa
import pytest

from skord.cli.report.samples import SHOWN_CHARACTERS, Candidate, Place, page_texts, read_samples
from skord.core.storage.column_store import ColumnStore
from skord.core.storage.filesystem import Storage

PAGES = 6


@pytest.fixture
def store(tmp_path):
    return ColumnStore(Storage(str(tmp_path)), "2024-10")


def write(store, task, shard=0, **columns):
    """A complete task with a column for each keyword, a row for each page."""
    ids = [f"urn:{shard}-{number}" for number in range(PAGES)]
    table = pa.table({"id": ids, **columns, "failure": pa.nulls(PAGES, pa.string())})
    with store.writer(store.path(task, shard), table.schema, "f") as writer:
        writer.write(table)
    store.write_manifest(task, {"num_shards": shard + 1, "stamp": "f", "counts": {}, "rows": PAGES})


def write_texts(store):
    places = {"warc_file": ["a.warc.gz"] * PAGES, "warc_record_offset": [7] * PAGES}
    write(
        store,
        "CCNet",
        url=[f"http://a.example/{n}" for n in range(PAGES)],
        raw_content=["wet"] * PAGES,
    )
    write(store, "WARCIndex", **places, warc_record_length=[0, 1, 2, 3, 4, 5])
    write(store, "ConvertToMarkdown", content=["markdown"] * 3 + [None] * 3)
    write(store, "ProcessMarkdown", text=["text", "y" * (SHOWN_CHARACTERS + 1), "", *[None] * 3])


def candidate(number, why="kept"):
    return Candidate(f"urn:0-{number}", Place(0, 0), "sv", why)


def test_samples_show_the_best_text_that_there_is_and_its_beginning(store):
    write_texts(store)

    samples = read_samples(
        store, {"kept": [candidate(1), candidate(0)], "x": [candidate(2), candidate(4)]}
    )

    assert [one.text[:8] for one in samples["kept"]] == ["yyyyyyyy", "text"]
    assert len(samples["kept"][0].text) == SHOWN_CHARACTERS + 1
    assert samples["kept"][0].text.endswith("…")
    assert [one.text for one in samples["x"]] == ["markdown", "wet"]
    assert [one.archived for one in samples["kept"]] == ["a.warc.gz, 1 bytes from 7", ""]


def test_texts_are_those_of_the_pages_wanted(store):
    write_texts(store)

    texts = page_texts(store, [candidate(2), candidate(0)])
    assert {page: one.text for page, one in texts.items()} == {
        "urn:0-0": "text",
        "urn:0-2": "markdown",
    }
