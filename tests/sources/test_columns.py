"""Columns for pages of a source, of `skord.sources.columns`."""

import pyarrow as pa
import pytest

from skord.core.failures import DocumentError
from skord.crawl.warc.written_records import text_member
from skord.sources.columns import own_places, read_members, text_of_record, whole_text


def test_places_are_those_of_the_selected_pages_in_their_order():
    pages = pa.table({"id": ["a", "b", "c"], "warc_file": ["x", "y", "z"], "n": [1, 2, 3]})

    places = own_places(pages, pa.table({"id": ["c", "a"]}))

    assert places.to_pylist() == [
        {"warc_file": "z", "n": 3, "failure": None}, {"warc_file": "x", "n": 1, "failure": None},
    ]  # fmt: skip


def text(body, date="2024-02-21T05:11:09Z"):
    return text_of_record(text_member("urn:uuid:1", "http://a.se/", date, body, "text/plain"))


def test_a_text_is_handed_on_with_line_breaks_of_one_kind():
    assert text("Hej\r\ndå\n".encode()) == {
        "content": "Hej\ndå\n", "link_spans": [], "date": "2024-02-21",
        "server_date": "2024-02-21T05:11:09Z",
        "charset": "utf-8",
    }  # fmt: skip
    assert text(b"\xef\xbb\xbfHej")["content"] == "Hej\n"


def test_a_text_that_is_not_in_utf8_fails_with_its_code():
    failure = text("på".encode("latin1"))
    assert isinstance(failure, DocumentError)
    assert failure.code == "not_utf8"


@pytest.mark.parametrize(("mime", "kept"), [("text/plain", "| a   |"), ("text/markdown", "| a |")])
def test_all_of_a_text_is_main_text_and_markdown_comes_in_plain_form(mime, kept):
    row = whole_text("| a   |\n\nb\n", mime)

    assert row["text"] == f"{kept}\n\nb"
    assert row["kept_lines"] == 3
    assert row["line_verdicts"] == b"\x01\x01\x01"
    assert row["nothing_kept"] is None


def test_a_text_of_blanks_keeps_nothing():
    assert whole_text(" \n", "text/plain")["nothing_kept"] == "no_line"


class Reader:
    """Reads a member again: its length in letters, or a failure."""

    def member(self, page_id, url, date, place, digest):
        if digest != "ok":
            raise DocumentError("digest_mismatch", digest)
        return b"x" * place[2]


def test_members_are_read_again_or_fail_with_their_code():
    schema = pa.schema([("bytes", pa.int32()), ("digest_ok", pa.bool_()), ("record", pa.binary())])
    batch = pa.table({
        "id": ["a", "b"], "url": ["u", "u"], "date": [None, "d"], "file": ["f", "f"],
        "offset": [0, 9], "length": [3, 4], "digest": ["ok", "no"],
    })  # fmt: skip

    rows = read_members(batch, Reader(), schema).to_pylist()

    assert rows[0] == {"bytes": 3, "digest_ok": True, "record": b"xxx", "failure": None}
    assert rows[1]["failure"] == "digest_mismatch"
