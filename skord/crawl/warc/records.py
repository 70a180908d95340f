"""HTTP responses out of WARC records: one by one as fetched by range, or a whole file.

A fetched range is one gzip member with one `response` record in it. Everything about
it is checked here rather than trusted: that the member is whole, that the block has its
length, that it holds an HTTP response, that the body is in the encoding it claims.
"""

from __future__ import annotations

import base64
import hashlib
import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from warcio.archiveiterator import ArchiveIterator
from warcio.exceptions import ArchiveLoadFailed
from warcio.statusandheaders import StatusAndHeadersParser, StatusAndHeadersParserException

from skord.core.failures import DocumentError
from skord.crawl.warc.framing import (
    BadRecord,
    RecordFailure,
    WARCRecord,
    canonical_record_id,
    read_records,
    records_of,
)
from skord.crawl.warc.gzip import (
    MAX_MEMBER_BYTES,
    BrokenMember,
    Member,
    first_member,
    gzip_members,
)
from skord.crawl.warc.http_body import decoded_body

__all__ = [
    "BadRecord",
    "RecordFailure",
    "Response",
    "WARCRecord",
    "canonical_record_id",
    "digest_matches",
    "http_parts",
    "iter_warc",
    "proven_response",
    "read_response",
    "response_of",
]

_STATUS_LINE = re.compile(r"[\d.]*[ \t]+(\d{3})(?!\d)")
_ALGORITHMS = frozenset(["sha1", "md5", "sha256"])


@dataclass(frozen=True, slots=True)
class Response:
    """An HTTP response as archived.

    Attributes:
        record_id: canonical, equal to `WETPage.refers_to` of the same page.
        url: WARC-Target-URI.
        date: WARC-Date, such as "2024-02-21T05:11:09Z"; "" if absent.
        block_digest, payload_digest: as written, such as "sha1:3I42H3S6…"; None if absent.
        truncated: WARC-Truncated, the reason why the crawler stopped, such as "length".
        status: HTTP status code.
        http_headers: names as written, in order; Common Crawl renames those that no longer
            describe the stored body to `X-Crawl-…`.
        content_type: the HTTP Content-Type with its parameters; None if absent.
        body: transfer and content encoding undone; not yet decoded to text.
    """

    record_id: str
    url: str
    date: str
    block_digest: str | None
    payload_digest: str | None
    truncated: str | None
    status: int
    http_headers: list[tuple[str, str]]
    content_type: str | None
    body: bytes


def read_response(member: bytes, max_bytes: int = MAX_MEMBER_BYTES) -> Response:
    """Return the response in one gzip member, as a range request of a WARC file gives it.

    Raises:
        DocumentError: bad_gzip, too_large, bad_warc, bad_length, not_a_response, no_url,
            bad_http, bad_encoding.
    """
    return response_of(only_record(member, max_bytes), max_bytes)


def proven_response(data: bytes | None, expected: str | None) -> tuple[Response, bool | None]:
    """What `read_response` and `digest_matches` say of a member, out of one parse.

    Args:
        data: what the gzip member holds; None where it was too much to hold.
        expected: as of `digest_matches`.

    Raises:
        DocumentError: as they do.
    """
    if data is None:
        raise DocumentError(RecordFailure.TOO_LARGE, "gzip member: too_large")
    record = _single_record(records_of(Member(0, len(data), data), MAX_MEMBER_BYTES))
    response, stored = _response_and_payload(record, MAX_MEMBER_BYTES)
    return response, _has_digest(stored, expected or response.payload_digest)


def response_of(record: WARCRecord, max_bytes: int = MAX_MEMBER_BYTES) -> Response:
    """Return the HTTP response that a record holds.

    Raises:
        DocumentError: not_a_response, no_url, bad_http, bad_encoding, too_large.
    """
    return _response_and_payload(record, max_bytes)[0]


def _response_and_payload(record: WARCRecord, max_bytes: int) -> tuple[Response, bytes]:
    """The response, and its body as stored."""
    url = record.url()
    if record.header("WARC-Type") != "response":
        raise DocumentError(RecordFailure.NOT_A_RESPONSE, f"{record.header('WARC-Type')}")
    if url is None:
        raise DocumentError(RecordFailure.NO_URL)
    if not url.lower().startswith(("http:", "https:")):
        raise DocumentError(RecordFailure.NOT_A_RESPONSE, url)
    status, headers, stored = http_parts(record.block)
    truncated = record.header("WARC-Truncated")
    body = decoded_body(
        stored,
        _whole_header(headers, "Transfer-Encoding"),
        _whole_header(headers, "Content-Encoding"),
        cut=truncated is not None,
        max_bytes=max_bytes,
    )
    response = Response(
        record_id=canonical_record_id(record.header("WARC-Record-ID") or ""),
        url=url,
        date=record.header("WARC-Date") or "",
        block_digest=record.header("WARC-Block-Digest"),
        payload_digest=record.header("WARC-Payload-Digest"),
        truncated=truncated,
        status=status,
        http_headers=headers,
        content_type=next((v for k, v in headers if k.lower() == "content-type"), None),
        body=body,
    )
    return response, stored


def digest_matches(member: bytes, expected: str | None) -> bool | None:
    """Say whether the stored payload has the digest that the index gives for it.

    The digest is over the bytes after the HTTP headers as stored, which in Common Crawl
    are the decoded body.

    Args:
        member: one gzip member holding one record.
        expected: such as "3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ" or "sha1:3I42…"; None to
            compare with the record's own WARC-Payload-Digest.

    Returns:
        None if there is nothing to compare with, or in an algorithm unknown here.

    Raises:
        DocumentError: bad_gzip, too_large, bad_warc, bad_length, bad_http.
    """
    record = only_record(member, MAX_MEMBER_BYTES)
    wanted = expected or record.header("WARC-Payload-Digest")
    return _has_digest(http_parts(record.block)[2], wanted) if _is_known(wanted) else None


def _is_known(digest: str | None) -> bool:
    algorithm, _, value = (digest or "").rpartition(":")
    return bool(value) and (algorithm.lower().replace("-", "") or "sha1") in _ALGORITHMS


def _has_digest(stored: bytes, expected: str | None) -> bool | None:
    """Whether the bytes have the digest; None where it is in an algorithm unknown here."""
    algorithm, _, digest = (expected or "").rpartition(":")
    algorithm = algorithm.lower().replace("-", "") or "sha1"
    if not digest or algorithm not in _ALGORITHMS:
        return None
    hashed = hashlib.new(algorithm, stored, usedforsecurity=False)
    in_base32 = base64.b32encode(hashed.digest()).decode().rstrip("=")
    return digest.rstrip("=").upper() == in_base32 or digest.lower() == hashed.hexdigest()


def iter_warc(path: Path) -> Iterator[WARCRecord | BadRecord]:
    """Yield the records of a WARC or ARC file, gzipped or plain, bad ones in their places.

    ARC records come with the WARC headers that fit them and without a WARC-Record-ID,
    since they have none. Pass a record on to `response_of`.
    """
    with path.open("rb") as stream:
        if not _is_arc(stream):
            yield from read_records(stream)
            return
        for item in gzip_members(stream) if _is_gzip(stream) else [Member(0, 0, stream.read())]:
            if isinstance(item, BrokenMember):
                yield BadRecord(item.offset, RecordFailure.BAD_GZIP, item.reason)
            else:
                yield from _arc_records(item)


def only_record(member: bytes, max_bytes: int = MAX_MEMBER_BYTES) -> WARCRecord:
    """Return the one record of a gzip member, refusing anything less or more.

    Raises:
        DocumentError: bad_gzip, or what is wrong with the record.
    """
    if not member.startswith(b"\x1f\x8b"):
        raise DocumentError(RecordFailure.BAD_GZIP, "not a gzip member")
    return _single_record(read_records(io.BytesIO(member), max_bytes))


def _single_record(items: Iterable[WARCRecord | BadRecord]) -> WARCRecord:
    records = list(items)
    if not records:
        raise DocumentError(RecordFailure.BAD_GZIP, "not a gzip member")
    first = records[0]
    if isinstance(first, BadRecord):
        raise DocumentError(first.reason, first.detail)
    if len(records) > 1:
        raise DocumentError(RecordFailure.BAD_GZIP, "more than one record in the range")
    return first


def http_parts(block: bytes) -> tuple[int, list[tuple[str, str]], bytes]:
    """Return status, headers and the stored body of an HTTP response.

    Raises:
        DocumentError: bad_http.
    """
    stream = io.BytesIO(block)
    try:
        parsed = StatusAndHeadersParser(["HTTP/"]).parse(stream)
    except (StatusAndHeadersParserException, EOFError) as error:
        raise DocumentError(RecordFailure.BAD_HTTP, str(error)) from None
    status = _STATUS_LINE.match(parsed.statusline)
    if status is None:
        raise DocumentError(RecordFailure.BAD_HTTP, f"status line {parsed.statusline[:60]!r}")
    return int(status[1]), list(parsed.headers), block[stream.tell() :]


def _whole_header(headers: list[tuple[str, str]], name: str) -> str:
    """All headers of one name are one list (RFC 9110 §5.3)."""
    return ", ".join(value for key, value in headers if key.lower() == name.lower())


def _is_gzip(stream: BinaryIO) -> bool:
    start = stream.read(2)
    stream.seek(0)
    return start == b"\x1f\x8b"


def _is_arc(stream: BinaryIO) -> bool:
    gzipped = _is_gzip(stream)
    first = first_member(stream) if gzipped else Member(0, 0, stream.read(64))
    stream.seek(0)
    return isinstance(first, Member) and first.data.lstrip().startswith(b"filedesc:")


def _arc_records(member: Member) -> Iterator[WARCRecord | BadRecord]:
    """Yield the records of one gzip member of an ARC file, or of a whole plain one.

    An ARC file has no mark between records, so the first bad one ends the reading.
    """
    archive = ArchiveIterator(io.BytesIO(member.data), no_record_parse=True, arc2warc=True)
    try:
        for record in archive:
            headers = [pair for pair in record.rec_headers.headers if pair[0] != "WARC-Record-ID"]
            yield WARCRecord(member.offset, tuple(headers), record.raw_stream.read())
    except (ArchiveLoadFailed, StatusAndHeadersParserException, EOFError, ValueError) as error:
        yield BadRecord(member.offset, RecordFailure.BAD_WARC, str(error).strip())
