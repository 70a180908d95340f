"""A WARC file for others and its index, of `skord.extras.warc_export.warc_files`."""

import gzip
import io
import json

import pytest

from skord.core.failures import DamagedError
from skord.crawl.warc.framing import read_records
from skord.crawl.warc.written_records import page_member
from skord.extras.warc_export.warc_files import WARCFile, index_lines, pages_in, warcinfo_member

ROW = {
    "url": "http://b.example/a b",
    "mime": "text/html",
    "http_status": 200,
    "payload_digest": "ABC",
    "warc_date": "2024-02-21T05:11:09Z",
}


def entry(**changes):
    file = WARCFile("00000.warc.gz", io.BytesIO())
    place = file.append(b"x" * 7, {**ROW, **changes})
    return place, file.entries[0]


def test_a_cut_file_is_named_with_what_is_wrong():
    member = page_member("urn:uuid:1", "http://a.example/", None, b"<p>" * 99, "")

    with pytest.raises(DamagedError, match="a record cannot be read"):
        list(pages_in(io.BytesIO(member + member[:-20])))


def test_each_record_lies_where_its_place_says():
    out = io.BytesIO()
    file = WARCFile("00000.warc.gz", out)
    members = [warcinfo_member("2024-10", file.name)]
    members += [page_member(f"urn:uuid:{n}", "http://a.example/", None, b"<p>", "") for n in (1, 2)]

    places = [file.append(members[0]), *(file.append(member, ROW) for member in members[1:])]

    for place, member in zip(places, members, strict=True):
        assert out.getvalue()[place["offset"] :][: place["length"]] == member
    assert len(file.entries) == 2
    assert places[1]["offset"] == len(members[0])
    assert file.size == len(out.getvalue())


def test_what_wrote_a_file_is_its_first_record_and_the_same_each_time():
    record = next(iter(read_records(io.BytesIO(warcinfo_member("2024-10", "7.warc.gz")))))

    assert record.header("WARC-Type") == "warcinfo"
    assert record.header("WARC-Filename") == "7.warc.gz"
    assert b"isPartOf: 2024-10\r\n" in record.block
    assert warcinfo_member("2024-10", "7.warc.gz") == warcinfo_member("2024-10", "7.warc.gz")
    assert gzip.decompress(warcinfo_member("a", "b")) != gzip.decompress(warcinfo_member("a", "c"))


def test_the_index_has_what_common_crawls_has():
    place, (surt, timestamp, said) = entry()

    assert place == {"file": "00000.warc.gz", "offset": 0, "length": 7}
    assert (surt, timestamp) == ("example,b)/a%20b", "20240221051109")
    assert said == {
        "url": "http://b.example/a b", "mime": "text/html", "status": "200", "digest": "ABC",
        "length": "7", "offset": "0", "filename": "00000.warc.gz",
    }  # fmt: skip


def test_what_is_not_known_is_left_out_and_dates_and_addresses_may_be_anything():
    _, (surt, timestamp, said) = entry(mime=None, warc_date=None, url="http://[")
    assert "mime" not in said
    assert (surt, timestamp) == ("http://[", "19700101000000")
    assert entry(warc_date="yesterday")[1][1] == "19700101000000"


def test_lines_are_sorted_by_address_and_then_by_time():
    entries = [("b", "2", {}), ("b", "1", {"url": "å"}), ("a", "9", {})]
    lines = index_lines(entries).decode().splitlines()
    assert [line.split(" ", 2)[:2] for line in lines] == [["a", "9"], ["b", "1"], ["b", "2"]]
    assert json.loads(lines[1].split(" ", 2)[2]) == {"url": "å"}
