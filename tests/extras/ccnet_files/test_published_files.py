"""Published files: which documents are chosen, and members of one language and bucket each."""

import gzip
import io
import json

import pyarrow as pa
import pytest

from skord.core.storage.column_store import ColumnStore
from skord.core.storage.filesystem import Storage
from skord.core.tasks.phases import contiguous_groups, evenly_spaced_paths
from skord.extras.ccnet_files.files import PARTS_SCHEMA, Choice, copy_parts, packed_by_split

ROW = {
    "id": "urn:uuid:1", "url": "http://a.example/", "digest": "sha1:A", "cc_segment": "x",
    "warc_date": "2024-03-01T00:00:00Z", "title": "T", "raw_content": "a\nb", "line_ids": [1, 2],
    "original_nlines": 3, "content_length": 9, "nlines": 2, "length": 3, "language_score": 0.5,
    "perplexity": 1.5, "record_id": "urn:uuid:1",
    "warc_file": "crawl-data/CC-MAIN-2024-10/segments/1/warc/a.warc.gz",
}  # fmt: skip


@pytest.mark.parametrize(
    ("languages", "buckets", "taken"),
    [
        ((), (), True),
        (("sv",), (), True),
        (("da",), (), False),
        (("da", "sv"), ("head",), True),
        ((), ("tail",), False),
        (("sv",), ("tail",), False),
    ],
)
def test_documents_of_the_languages_and_buckets_named(languages, buckets, taken):
    assert Choice(languages, buckets).takes({"language": "sv", "bucket": "head"}) is taken


def test_each_member_holds_one_language_and_bucket():
    rows = [
        {**ROW, "language": language, "bucket": bucket}
        for language, bucket in [("sv", "head"), ("da", "head"), ("sv", "head"), ("sv", "tail")]
    ]

    parts = list(packed_by_split(rows, Choice((), ("head",))))

    assert [(p["language"], p["documents"]) for p in parts] == [("da", 1), ("sv", 2)]
    assert all(len(gzip.decompress(p["member"])) == p["raw_bytes"] for p in parts)
    assert all(p["bytes"] == len(p["member"]) for p in parts)
    assert set(parts[0]) == set(PARTS_SCHEMA.names)


def test_parts_of_a_shard_are_copied_in_the_order_asked_for_and_counted(tmp_path):
    """Each part is a row group, and its place the group's number."""
    store = ColumnStore(Storage(str(tmp_path)), "2024-10")
    languages = ["da", "da", "da", "no", "sv", "sv"]
    rows = [{**ROW, "language": language, "bucket": "head"} for language in languages]
    path = store.path("Parts", 0)
    with store.writer(path, PARTS_SCHEMA, "f") as writer:
        for part in packed_by_split(rows, Choice((), ())):
            writer.write(pa.Table.from_pylist([part], schema=PARTS_SCHEMA))
    out = io.BytesIO()

    assert copy_parts(store, path, [2, 0], out) == 5

    lines = gzip.decompress(out.getvalue()).splitlines()
    assert [json.loads(line)["language"] for line in lines] == ["sv", "sv", "da", "da", "da"]


def test_no_files_are_thinned_to_none():
    assert evenly_spaced_paths([], 0.5) == []
    assert evenly_spaced_paths(["a"], 0.001) == ["a"]
    for share in (0.0, -1.0, 1.5):
        with pytest.raises(ValueError, match="above 0"):
            evenly_spaced_paths(["a"], share)


def test_no_items_need_no_groups():
    assert contiguous_groups(0, 4) == []
    assert contiguous_groups(4, 4) == [0, 1, 2, 3]
