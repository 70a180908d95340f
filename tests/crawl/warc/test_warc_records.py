"""One fetched member, one response: everything about it is checked."""

from __future__ import annotations

import base64
import gzip
import hashlib

import pytest

from skord.core.failures import DocumentError
from skord.crawl.warc.records import (
    BadRecord,
    digest_matches,
    iter_warc,
    read_response,
    response_of,
)

PAGE = "<!doctype html><title>Om oss</title><p>Vi är en förening.</p>".encode()
HTTP = (
    b"HTTP/1.1 200 OK\r\nDate: Wed, 21 Feb 2024 05:11:09 GMT\r\n"
    b"content-type: text/html; charset=UTF-8\r\nX-Crawl-Content-Encoding: gzip\r\n"
    b"Set-Cookie: a=1\r\nSet-Cookie: b=2\r\n"
    b"Content-Length: %d\r\n\r\n%s" % (len(PAGE), PAGE)
)
DIGEST = base64.b32encode(hashlib.sha1(PAGE).digest()).decode()


def test_a_response_is_read_with_everything_known_about_it(warc_member) -> None:
    response = read_response(
        warc_member(
            HTTP,
            WARC_Payload_Digest=f"sha1:{DIGEST}",
            WARC_Block_Digest="sha1:B",
            WARC_Truncated="length",
        )
    )
    assert response.record_id == "urn:uuid:aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee"
    assert response.url == "https://example.se/om"
    assert response.date == "2024-02-21T05:11:09Z"
    assert response.block_digest == "sha1:B"
    assert response.payload_digest == f"sha1:{DIGEST}"
    assert response.truncated == "length"
    assert response.status == 200
    assert response.content_type == "text/html; charset=UTF-8"
    assert [value for name, value in response.http_headers if name == "Set-Cookie"] == [
        "a=1",
        "b=2",
    ]
    assert response.body == PAGE


def test_the_body_is_decoded_as_the_headers_say(warc_member) -> None:
    packed = gzip.compress(PAGE)
    http = (
        b"HTTP/1.0 404 Not Found\r\ntransfer-encoding: Chunked\r\nCONTENT-ENCODING: gzip\r\n\r\n"
        b"%x\r\n%s\r\n0\r\n\r\n" % (len(packed), packed)
    )
    response = read_response(warc_member(http))
    assert (response.status, response.content_type, response.body) == (404, None, PAGE)


CODES = {
    "a corrupt member": (lambda m: m[:20] + b"\xff\xff\xff" + m[23:], "bad_gzip"),
    "half a member": (lambda m: m[: len(m) // 2], "bad_gzip"),
    "the middle of a member": (lambda m: m[30:], "bad_gzip"),
    "a member and the start of the next": (lambda m: m + m[:50], "bad_gzip"),
    "two members": (lambda m: m + m, "bad_gzip"),
    "no bytes": (lambda _: b"", "bad_gzip"),
    "an error page": (lambda _: b"<Error>AccessDenied</Error>", "bad_gzip"),
    "an unpacked record": (gzip.decompress, "bad_gzip"),
    "an empty member": (lambda _: gzip.compress(b""), "bad_gzip"),
    "no record": (lambda _: gzip.compress(b"<html>"), "bad_warc"),
    "a cut record": (lambda m: gzip.compress(gzip.decompress(m)[:-40]), "bad_length"),
}


@pytest.mark.parametrize("case", CODES)
def test_what_is_not_one_whole_record_is_refused(warc_member, case: str) -> None:
    damage, code = CODES[case]
    member = damage(warc_member(HTTP))
    with pytest.raises(DocumentError) as caught:
        read_response(member)
    assert caught.value.code == code
    with pytest.raises(DocumentError):
        digest_matches(member, DIGEST)


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"WARC_Type": "revisit"}, "not_a_response"),
        ({"WARC_Type": "request"}, "not_a_response"),
        ({"WARC_Type": None}, "not_a_response"),
        ({"WARC_Target_URI": "dns:example.se"}, "not_a_response"),
        ({"WARC_Target_URI": None}, "no_url"),
    ],
)
def test_other_records_are_no_responses(warc_member, changes, code: str) -> None:
    with pytest.raises(DocumentError) as caught:
        read_response(warc_member(HTTP, **changes))
    assert caught.value.code == code


@pytest.mark.parametrize(
    "http", [b"", b"\r\n", PAGE, b"HTTP/1.1 OK\r\n\r\n", b"HTTP/1.1 2000 OK\r\n\r\n"]
)
def test_a_block_without_a_status_line_is_no_http(warc_member, http: bytes) -> None:
    with pytest.raises(DocumentError) as caught:
        read_response(warc_member(http))
    assert caught.value.code == "bad_http"


def test_a_wrong_status_line_is_quoted_up_to_sixty_characters(warc_member) -> None:
    with pytest.raises(DocumentError) as caught:
        read_response(warc_member(b"HTTP/1.1 OK" + b"k" * 90 + b"\r\n\r\n"))
    assert str(caught.value).endswith(f"status line {'1.1 OK' + 'k' * 54!r}")


def test_bodies_in_broken_encodings_and_over_the_limit_are_refused(warc_member) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n"
    member = warc_member(head + gzip.compress(PAGE)[:-9])
    with pytest.raises(DocumentError, match="bad_encoding"):
        read_response(member)
    with pytest.raises(DocumentError, match="too_large"):
        read_response(warc_member(head + gzip.compress(bytes(5000))), max_bytes=2000)


def test_the_digest_is_that_of_the_stored_payload(warc_member) -> None:
    member = warc_member(HTTP, WARC_Payload_Digest=f"sha1:{DIGEST}")
    assert digest_matches(member, DIGEST) is True
    assert digest_matches(member, f"sha1:{DIGEST}") is True
    assert digest_matches(member, hashlib.sha1(PAGE).hexdigest()) is True
    assert digest_matches(member, "sha256:" + hashlib.sha256(PAGE).hexdigest()) is True
    assert digest_matches(member, "A" * 32) is False
    assert digest_matches(member, None) is True
    assert digest_matches(warc_member(HTTP, WARC_Payload_Digest="sha1:" + "A" * 32), None) is False
    assert digest_matches(warc_member(HTTP), None) is None
    assert digest_matches(member, "xxh3:1234") is None


def test_iter_warc_reads_warc_and_arc_packed_and_plain(tmp_path, warc_member) -> None:
    about = b"1 0 Example\nURL IP-address Archive-date Content-type Archive-length\n"
    header = b"filedesc://a.arc 0.0.0.0 20040524210504 text/plain %d\n" % len(about) + about
    record = b"http://example.dk/ 1.2.3.4 20040524210505 text/html %d\n" % len(HTTP) + HTTP
    files = {
        "a.warc.gz": warc_member(HTTP),
        "a.warc": gzip.decompress(warc_member(HTTP)),
        "a.arc": header + b"\n" + record + b"\n",
        "a.arc.gz": gzip.compress(header + b"\n") + gzip.compress(record + b"\n"),
    }
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
        records = [item for item in iter_warc(tmp_path / name) if not isinstance(item, BadRecord)]
        [response] = [r for r in records if r.header("WARC-Type") == "response"]
        assert response_of(response).body == PAGE, name
    assert response_of(response).date == "2004-05-24T21:05:05Z"
    assert response_of(response).record_id == ""


def test_iter_warc_names_bad_records_and_goes_on(tmp_path, warc_member) -> None:
    path = tmp_path / "a.warc.gz"
    path.write_bytes(warc_member(HTTP)[:-10] + warc_member(HTTP))
    bad, good = iter_warc(path)
    assert isinstance(bad, BadRecord)
    assert not isinstance(good, BadRecord)


EXTRA_BREAK = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n\r\n<p>Hej"
"""As CC-MAIN-2018-34 has it: one line break too many, and a length without it."""


def test_an_uncounted_line_break_before_the_payload_is_left_out(warc_member) -> None:
    length = str(len(EXTRA_BREAK) - 2)
    response = read_response(warc_member(EXTRA_BREAK, Content_Length=length))
    assert response.body == b"<p>Hej"


def test_a_length_that_is_two_short_is_mended_and_no_other(warc_member) -> None:
    http = EXTRA_BREAK.replace(b"\r\n\r\n\r\n", b"\r\n\r\n")
    assert read_response(warc_member(http, Content_Length=str(len(http) - 2))).body == b"<p>Hej"
    for wrong in (-3, -1):
        with pytest.raises(DocumentError, match="bad_length"):
            read_response(warc_member(http, Content_Length=str(len(http) + wrong)))


def test_two_content_encodings_are_both_undone(warc_member) -> None:
    packed = gzip.compress(gzip.compress(b"<p>Hej"))
    head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\ncontent-encoding: gzip\r\n\r\n"
    assert read_response(warc_member(head + packed)).body == b"<p>Hej"
