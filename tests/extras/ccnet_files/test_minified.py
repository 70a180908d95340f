"""The small form: what it keeps, how it is written, and pages made from it again."""

from __future__ import annotations

import base64
from dataclasses import dataclass

import pyarrow as pa
import pytest

from skord.core.failures import DocumentError
from skord.extras.ccnet_files.documents import Part, files_of, published_document
from skord.extras.ccnet_files.minified import (
    MINIFIED_FIELDS,
    decode_line_ids,
    encode_line_ids,
    minified_row,
    of_published_minified,
    published_minified,
)
from skord.extras.ccnet_files.reconstruct import by_segment, check_segment, rebuild_segment
from tests.graph.publishing.ccnet_forms import PUBLISHED_FIELDS

SEGMENT = "crawl-data/CC-MAIN-2019-09/segments/17/wet/CC-MAIN-0-00001.warc.wet.gz"
TEXT = "Ordspråk\nMorgonstund har guld i mund.\n Borta bra. \nSent ska syndaren vakna.\nSlut.\n"
DIGEST = "sha1:XQZHW7QWIG54HVAV3KPRW6MK5ILDNCER"
PUBLISHED = {"url": "u", "digest": DIGEST, "cc_segment": SEGMENT, "line_ids": "AgA="}
SAME_START = "sha1:XQZHW7QXXXXXXXXXXXXXXXXXXXXXXXXX"


@dataclass(frozen=True)
class Record:
    """One record of a WET file."""

    text: str = TEXT
    digest: str = DIGEST
    url: str = "https://example.se/ordsprak"
    refers_to: str = "urn:uuid:1"
    date: str = "2019-02-18T00:00:00Z"

    @property
    def content_length(self):
        return len(self.text.encode())


def selected(**changes):
    """The row of CCNet's columns of the page above, of which the second line went."""
    row = {
        "id": "urn:uuid:1",
        "url": "https://example.se/ordsprak",
        "warc_file": "crawl-data/CC-MAIN-2019-09/segments/17/warc/CC-MAIN-0-00001.warc.gz",
        "warc_date": "2019-02-18T00:00:00Z",
        "digest": DIGEST,
        "title": "Ordspråk",
        "raw_content": "Morgonstund har guld i mund.\nSent ska syndaren vakna.\nSlut.",
        "line_ids": [0, 2, 3],
        "original_nlines": 4,
        "original_length": 70,
        "content_length": 83,
        "length": 59,
        "language": "sv",
        "language_score": 0.9876000285148621,
        "perplexity": 151.4800262451172,
        "bucket": "head",
    }
    return row | changes


def rebuilt(rows, records):
    return rebuild_segment([minified_row(row, "exact") for row in rows], records)


def codes(rows):
    return [row["failure"] for row in rows]


def test_line_ids_are_little_endian_pairs_of_bytes_in_base64():
    assert encode_line_ids([0, 4]) == "AAAEAA=="
    assert encode_line_ids([]) == ""
    assert decode_line_ids("AAAEAA==") == [0, 4]


def test_line_ids_beyond_32767_come_back():
    ids = [0, 32_767, 32_768, 40_000, 65_535]

    assert decode_line_ids(encode_line_ids(ids)) == ids


def test_a_line_id_that_does_not_fit_is_an_error_and_not_another_line():
    with pytest.raises(DocumentError) as caught:
        encode_line_ids([3, 65_536])

    assert str(caught.value.code) == "line_id_too_large"


@pytest.mark.parametrize(
    "written",
    ["AAAEAA", "AA*AEAA==", base64.b64encode(b"abc").decode(), None, 7],
    ids=["no padding", "no base64", "half a number", "nothing", "a number"],
)
def test_what_is_no_line_ids_is_an_error(written):
    with pytest.raises(DocumentError) as caught:
        decode_line_ids(written)

    assert str(caught.value.code) == "not_minified"


def test_minified_keeps_what_finds_the_page_and_its_lines_again():
    assert published_minified(minified_row(selected(), "exact")) == {
        "url": "https://example.se/ordsprak",
        "digest": DIGEST,
        "cc_segment": SEGMENT,
        "language": "sv",
        "language_score": 0.99,
        "perplexity": 151.5,
        "bucket": "head",
        "line_ids": "AAACAAMA",
    }


def test_published_fields_stand_in_their_order():
    assert tuple(published_minified(minified_row(selected(), "exact"))) == MINIFIED_FIELDS
    assert tuple(published_document(selected())) == PUBLISHED_FIELDS


def test_a_published_document():
    document = published_document(selected(url="https://www.example.se:8080/ordsprak"))

    assert document["source_domain"] == "www.example.se:8080"
    assert document["date_download"] == "2019-02-18T00:00:00Z"
    assert document["cc_segment"] == SEGMENT
    assert (document["length"], document["nlines"]) == (59, 3)
    assert (document["original_length"], document["original_nlines"]) == (83, 4)
    assert (document["language_score"], document["perplexity"]) == (0.99, 151.5)


def test_a_page_without_digest_or_perplexity_says_so():
    row = selected(digest=None, perplexity=None, bucket="all")
    document = published_document(row)

    assert (document["digest"], document["perplexity"], document["bucket"]) == ("", None, "all")
    assert codes(rebuilt([row], [Record()])) == ["no_digest"]


def test_minified_and_rebuilt_is_what_was_selected():
    [page] = rebuilt([selected()], [Record()])

    expected = selected(
        record_id="urn:uuid:1", cc_segment=SEGMENT, mode="exact", failure=None,
        language_score=0.99, perplexity=151.5, original_length=83,
    )  # fmt: skip
    del expected["id"]
    assert page == expected
    assert published_document(page) == published_document(selected())


def test_a_published_small_form_may_lack_what_was_not_computed():
    row = of_published_minified(PUBLISHED | {"bucket": "x"})
    [page] = rebuild_segment([row], [Record()])

    assert row["mode"] == "exact"

    assert page["raw_content"] == "Sent ska syndaren vakna."
    assert (page["bucket"], page["language"], page["perplexity"]) == ("x", None, None)


@pytest.mark.parametrize(
    "document",
    [None, [], {"url": "u"}, {"url": "u", "digest": None, "cc_segment": SEGMENT, "line_ids": ""},
     PUBLISHED | {"line_ids": [2]}, PUBLISHED | {"url": "\ud800"}, PUBLISHED | {"language": 5},
     PUBLISHED | {"perplexity": "high"}],
    ids=["nothing", "a list", "no digest", "null digest", "ids as numbers", "half a letter",
         "a number for a word", "a word for a number"],
)  # fmt: skip
def test_what_is_no_small_form_is_an_error(document):
    with pytest.raises(DocumentError) as caught:
        of_published_minified(document)

    assert str(caught.value.code) == "not_minified"


def test_documents_come_in_their_own_order_each_with_its_own_columns():
    other = Record("Titel\nfjärde\n", "sha1:Y4E6URVYGIAFNVRTPZ5S3J64RTZTP6HJ", "https://b.example/")
    rows = [
        selected(bucket="head", line_ids=[1]),
        selected(bucket="tail", digest=other.digest, url=other.url, line_ids=[0]),
    ]

    pages = rebuilt(rows, [other, Record("x", "sha1:UNWANTED"), Record()])

    assert [row["raw_content"] for row in pages] == ["Borta bra.", "fjärde"]
    assert [row["bucket"] for row in pages] == ["head", "tail"]


def test_rows_of_a_file_are_put_together_and_those_of_none_too():
    table = pa.table({"cc_segment": ["b", None, "a", "b", None], "n": [0, 1, 2, 3, 4]})

    made = {segment: [row["n"] for row in rows] for segment, rows in by_segment(table)}

    assert made == {None: [1, 4], "b": [0, 3], "a": [2]}
    assert list(by_segment(table.slice(0, 0))) == []


def test_digests_that_begin_alike_are_told_apart():
    other = Record("Titel\nannan text\n", SAME_START)
    assert base64.b32decode(SAME_START[5:])[:4] == base64.b32decode(DIGEST[5:])[:4]

    for records in ([other, Record()], [Record(), other]):
        assert rebuilt([selected()], records)[0]["title"] == "Ordspråk"
    assert codes(rebuilt([selected()], [other])) == ["digest_mismatch"]


def test_of_records_with_the_same_text_the_one_with_the_url_is_taken():
    copies = [
        Record(url="https://a.example/", refers_to="a"),
        Record(refers_to="meant"),
        Record(url="https://c.example/", refers_to="c"),
    ]

    assert rebuilt([selected()], copies)[0]["record_id"] == "meant"
    assert rebuilt([selected()], copies[::2])[0]["record_id"] == "a"


def test_what_is_not_found_says_why():
    rows = [selected(), selected(url="https://other.example/"), selected(line_ids=[0, 4])]
    changed = Record("Ny text\n", "sha1:OTHER")

    assert codes(rebuilt(rows, [changed])) == ["digest_mismatch", "not_in_wet", "digest_mismatch"]
    assert codes(rebuilt(rows, [])) == ["not_in_wet"] * 3
    assert codes(rebuilt(rows, [Record()])) == [None, None, "no_such_line"]


def test_a_failure_of_the_published_form_is_none_of_the_rebuilt_page():
    row = minified_row(selected(), "exact") | {"failure": "line_id_too_large"}

    assert codes(rebuild_segment([row], [Record()])) == [None]


def test_a_failed_row_keeps_what_is_known():
    [row] = rebuilt([selected()], [])

    assert (row["url"], row["line_ids"], row["bucket"]) == (selected()["url"], [0, 2, 3], "head")
    assert "raw_content" not in row


def test_lines_far_down_a_page_are_found():
    record = Record("Titel\n" + "".join(f"rad {n}\n" for n in range(70_000)))

    [row] = rebuilt([selected(line_ids=[5, 40_000, 66_000])], [record])

    assert row["raw_content"] == "rad 5\nrad 40000\nrad 66000"


def test_lines_are_counted_as_the_selection_counted_them():
    record = Record("Titel\nförsta\randra\ntredje\n")
    exact, default = (minified_row(selected(line_ids=[1]), mode) for mode in ("exact", "default"))

    pages = rebuild_segment([exact, default], [record])

    assert [row["raw_content"] for row in pages] == ["andra", "tredje"]
    assert [row["original_length"] for row in pages] == [record.content_length, 19]


@pytest.mark.parametrize(("text", "length"), [("Titel\n", 0), ("Titel\nen rad\n", 6)])
def test_a_page_of_a_line_or_of_none_has_no_line_feed_between_lines(text, length):
    row = minified_row(selected(line_ids=[]), "default")

    (page,) = rebuild_segment([row], [Record(text)])

    assert (page["original_length"], page["raw_content"], page["failure"]) == (length, "", None)


@pytest.mark.parametrize(
    "segment",
    [
        "",
        None,
        "/etc/passwd",
        "a/wet/b.txt",
        "../x/wet/b.warc.wet.gz",
        "a/wet/../wet/b.warc.wet.gz",
    ],
)
def test_only_paths_of_wet_files_are_opened(segment):
    with pytest.raises(DocumentError) as caught:
        check_segment(segment)

    assert str(caught.value.code) == "bad_segment"
    assert check_segment(SEGMENT) == SEGMENT


def test_parts_are_shared_out_in_order_and_within_size():
    sizes = [30, 30, 50, 200, 10]
    parts = [Part("sv", "head", shard, 0, size) for shard, size in enumerate(sizes)]
    parts += [Part("da", "all", 0, 0, 5), Part("da", "all", 0, 1, 5)]

    files = list(files_of(reversed(parts), 100))

    assert [(name, [part.bytes for part in held]) for name, held in files] == [
        ("da_all_0000.json.gz", [5, 5]),
        ("sv_head_0000.json.gz", [30, 30]),
        ("sv_head_0001.json.gz", [50]),
        ("sv_head_0002.json.gz", [200]),
        ("sv_head_0003.json.gz", [10]),
    ]


def test_a_language_that_would_lead_out_of_the_folder_is_refused():
    with pytest.raises(ValueError, match="no file name"):
        list(files_of([Part("../x", "all", 0, 0, 1)], 100))
