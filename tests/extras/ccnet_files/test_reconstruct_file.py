"""A file of the small form, and the WET files that its documents are rebuilt from."""

import gzip
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from skord.core.failures import ConfigError
from skord.core.storage.column_store import ColumnStore
from skord.core.storage.filesystem import Storage
from skord.crawl.warc.written_records import record_member
from skord.extras.ccnet_files.minified import (
    MINIFIED_SCHEMA,
    minified_row,
    of_published_minified,
    published_minified,
)
from skord.extras.ccnet_files.reconstruct import (
    StoredWET,
    failures_in,
    publish_rebuilt,
    read_minified,
    reconstruct_file,
)
from tests.extras.ccnet_files.test_minified import DIGEST, SEGMENT, TEXT, selected

GONE = SEGMENT.replace("00001", "00002")


def conversion(text=TEXT, digest=DIGEST):
    headers = [
        ("WARC-Type", "conversion"), ("WARC-Target-URI", "https://example.se/ordsprak"),
        ("WARC-Record-ID", "<urn:uuid:9>"), ("WARC-Refers-To", "<urn:uuid:1>"),
        ("WARC-Date", "2019-02-18T00:00:00Z"), ("WARC-Block-Digest", digest),
    ]  # fmt: skip
    return record_member(headers, text.encode())


@pytest.fixture
def wet(tmp_path):
    """A folder with one of the two WET files, a broken record first."""
    path = tmp_path / "wet" / SEGMENT
    path.parent.mkdir(parents=True)
    refused = record_member([("WARC-Type", "metadata")], b"x")
    path.write_bytes(refused + conversion())
    return StoredWET(Storage(str(tmp_path / "wet")))


@pytest.fixture
def small(tmp_path):
    """Four documents in the published small form: one whole, and three that say why not."""
    whole = published_minified(minified_row(selected(), "exact"))
    lines = [
        whole,
        {**whole, "cc_segment": GONE},
        {**whole, "digest": "sha1:" + 32 * "A", "url": "https://example.se/x"},
        {"url": "u"},
    ]
    path = tmp_path / "sv_head_0000.json.gz"
    path.write_bytes(gzip.compress("".join(json.dumps(line) + "\n" for line in lines).encode()))
    return path


def test_each_document_is_rebuilt_or_says_why_not(small, wet, tmp_path):
    out = ColumnStore(Storage(str(tmp_path / "out")), "")

    counts = reconstruct_file(small, out, wet)

    assert counts["documents"] == 4
    assert failures_in(counts) == {"not_in_wet": 1, "not_minified": 1, "wet_missing": 1}
    assert counts["bad_record.unexpected_type"] == 1
    rows = out.read_table("sv_head_0000.parquet").to_pylist()
    assert sorted(str(row["failure"]) for row in rows) == [
        "None", "not_in_wet", "not_minified", "wet_missing",
    ]  # fmt: skip
    (page,) = [row for row in rows if row["failure"] is None]
    assert page["raw_content"] == selected()["raw_content"]
    publish_rebuilt(small, out)
    document = json.loads(gzip.decompress((tmp_path / "out/sv_head_0000.json.gz").read_bytes()))
    assert document["raw_content"] == selected()["raw_content"]


def test_a_file_without_failures_is_made_once_and_another_is_tried_again(small, wet, tmp_path):
    out = ColumnStore(Storage(str(tmp_path / "out")), "")
    whole = tmp_path / "whole.json"
    whole.write_bytes(gzip.decompress(small.read_bytes()).split(b"\n")[0] + b"\n")
    for path in (small, whole):
        reconstruct_file(path, out, wet)
    written = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "out").glob("*.parquet")}

    counts = [reconstruct_file(path, out, wet) for path in (small, whole)]

    assert [len(failures_in(one)) for one in counts] == [3, 0]
    assert counts[1]["documents"] == 1
    for path in (tmp_path / "out").glob("*.parquet"):
        assert (path.stat().st_mtime_ns == written[path.name]) == (path.stem == "whole")
    reconstruct_file(whole, out, wet, mode="default")
    assert (tmp_path / "out/whole.parquet").stat().st_mtime_ns != written["whole.parquet"]


def test_both_forms_are_read_and_a_mode_takes_the_place_of_theirs(small, tmp_path):
    table = read_minified(small)
    assert (len(table), table["mode"][0].as_py()) == (4, "exact")
    assert table.slice(3).to_pylist() == [dict.fromkeys(MINIFIED_SCHEMA.names)]
    pq.write_table(table, tmp_path / "a.parquet")
    assert read_minified(tmp_path / "a.parquet").equals(table)
    changed = read_minified(tmp_path / "a.parquet", "default")
    assert changed["mode"].to_pylist() == ["default"] * 4
    assert changed.drop(["mode"]).equals(table.drop(["mode"]))
    pq.write_table(pa.table({"url": ["u"]}), tmp_path / "b.parquet")
    with pytest.raises(ConfigError, match="not a file of MinifyCCNet"):
        read_minified(tmp_path / "b.parquet")


def test_the_small_form_survives_its_publication():
    row = minified_row(selected(), "exact")
    assert of_published_minified(published_minified(row)) == row
