"""A byte range of a crawl file is one whole gzip member, or what is wrong with it."""

import gzip
import io

import pytest

from skord.crawl.warc.fetch import FetchedRecord
from skord.crawl.warc.framing import BadRecord, RecordFailure, read_records
from skord.crawl.warc.gzip import BrokenMember, GzipFailure, Member, only_member
from skord.publishing.pointers import packed_digest
from skord.publishing.rebuild import _failure

RECORD = gzip.compress(b"x" * 1000, mtime=0)


def test_a_whole_member_is_unpacked():
    assert only_member(RECORD) == Member(0, len(RECORD), b"x" * 1000)
    assert only_member(RECORD, 1000) == Member(0, len(RECORD), b"x" * 1000)


@pytest.mark.parametrize(
    "body",
    [b"", b"no gzip", RECORD[:-1], RECORD + b"\0", b"\0" + RECORD, RECORD + RECORD, RECORD + b"x",
     RECORD[:-8] + bytes(8)],
)  # fmt: skip
def test_anything_else_is_broken(body):
    broken = only_member(body)

    assert isinstance(broken, BrokenMember)
    assert broken.reason is not GzipFailure.TOO_LARGE


def test_only_a_member_that_is_whole_is_too_large():
    assert only_member(RECORD, 999).reason is GzipFailure.TOO_LARGE
    assert only_member(RECORD[:-1], 999).reason is not GzipFailure.TOO_LARGE
    assert only_member(RECORD[:-8] + bytes(8), 10).reason is not GzipFailure.TOO_LARGE
    assert only_member(RECORD + RECORD, 10).reason is not GzipFailure.TOO_LARGE


@pytest.mark.parametrize(("limit", "is_read"), [(5, True), (4, False)])
def test_a_record_may_be_as_long_as_the_limit(limit, is_read):
    plain = b"WARC/1.0\r\nContent-Length: 5\r\n\r\n12345\r\n\r\n"

    (record,) = read_records(io.BytesIO(plain), limit)

    assert isinstance(record, BadRecord) is not is_read
    if not is_read:
        assert record.reason is RecordFailure.TOO_LARGE


@pytest.mark.parametrize(
    ("stored", "wanted", "failure"),
    [("A" * 32, b"same", None), ("B" * 32, b"same", "digest_mismatch"), ("B" * 32, None, None),
     (None, b"same", None)],
)  # fmt: skip
def test_a_text_is_made_again_of_the_record_that_is_meant(warc_member, stored, wanted, failure):
    http = b"HTTP/1.1 200 OK\r\n\r\nx"
    member = warc_member(http, WARC_Payload_Digest=f"sha1:{stored}" if stored else None)
    fetched = FetchedRecord("urn:1", 206, 1, len(member), None, None, member)
    pointer = {"payload_digest": wanted and packed_digest("sha1:" + "A" * 32)}

    assert _failure(pointer, fetched) == failure
    assert _failure(pointer, FetchedRecord("urn:1", 404, 1, None, None, "http_404", None)) == (
        "http_404"
    )
