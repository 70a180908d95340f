"""Where one WARC record ends and the next begins, in files that may be damaged.

WARC, WET and WAT files are all sequences of records: a version line, named headers,
a blank line, a block of `Content-Length` bytes. A record that breaks these rules
becomes a `BadRecord`, and reading goes on at the next version line.

Format: ISO 28500 (WARC 1.0, 1.1; 0.17 and 0.18 differ in nothing that matters here).
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from skord.core.failures import FailureCode
from skord.crawl.warc.gzip import (
    MAX_MEMBER_BYTES,
    BrokenMember,
    GzipFailure,
    Member,
    Window,
    members_of,
)

_VERSION_LINE = re.compile(rb"WARC/\d+\.\d+[ \t]*\r?\n")
_HEAD_END = re.compile(rb"\r?\n(?:\r?\n|(?=WARC/\d))")
"""A blank line; or a further version line, and then it was no head."""
_HEAD_BYTES = 4 << 10
_MAX_HEAD_BYTES = 256 << 10
_MAX_DIGITS = 18
"""Of a length; `int` refuses more than 4,300."""


class RecordFailure(FailureCode):
    """Why a record of a crawl file cannot be used."""

    BAD_GZIP = "bad_gzip"
    """The record's gzip member is corrupt, cut short, or not one whole member."""
    TOO_LARGE = "too_large"
    """The record, or its body once unpacked, is larger than the limit."""
    BAD_WARC = "bad_warc"
    """There is no WARC version line, or the headers under it cannot be parsed."""
    BAD_LENGTH = "bad_length"
    """Content-Length is absent, or the block does not end where it says."""
    NO_URL = "no_url"
    """WARC-Target-URI is absent or empty."""
    NO_REFERS_TO = "no_refers_to"
    """A WET record does not say which response it was made from."""
    NOT_UTF8 = "not_utf8"
    """A WET record's text is not UTF-8."""
    UNEXPECTED_TYPE = "unexpected_type"
    """A WET file holds a record that is neither `conversion` nor `warcinfo`."""
    NOT_A_RESPONSE = "not_a_response"
    """The record is not the response to an HTTP request: a request, a revisit, a DNS lookup."""
    BAD_HTTP = "bad_http"
    """The stored response has no readable HTTP status line."""
    BAD_ENCODING = "bad_encoding"
    """The body is not in the transfer or content encoding that its headers name."""


@dataclass(frozen=True, slots=True)
class BadRecord:
    """A record that was passed over; `offset` as in `WARCRecord`, `detail` for people."""

    offset: int
    reason: RecordFailure
    detail: str = ""


@dataclass(frozen=True, slots=True)
class WARCRecord:
    """One record as stored.

    Attributes:
        offset: byte at which its gzip member starts; in a plain file, the record itself.
        headers: names as written, values without the space around them.
        block: the `Content-Length` bytes after the headers.
    """

    offset: int
    headers: tuple[tuple[str, str], ...]
    block: bytes

    def header(self, name: str) -> str | None:
        """Return the first header of that name, in any letter case, unless it is empty."""
        wanted = name.lower()
        for key, value in self.headers:
            if key.lower() == wanted:
                return value or None
        return None

    def named(self) -> dict[str, str]:
        """Return what `header` returns, by name in lower case, for all names that have it."""
        first_values: dict[str, str] = {}
        for key, value in self.headers:
            first_values.setdefault(key.lower(), value)
        return {name: value for name, value in first_values.items() if value}

    def url(self) -> str | None:
        """Return WARC-Target-URI, without the angle brackets that wget wrote around it."""
        return bare_url(self.header("WARC-Target-URI"))


def read_records(
    stream: BinaryIO, max_bytes: int = MAX_MEMBER_BYTES
) -> Iterator[WARCRecord | BadRecord]:
    """Yield the records of a WARC, WET or WAT file, gzipped or plain, in order.

    A gzip member may hold several records; one is in memory at a time.

    Args:
        stream: binary, at the start of the file; read forward only.
        max_bytes: limit of one gzip member and of one record's block.
    """
    for item in read_members(stream, max_bytes):
        yield from records_of(item, max_bytes) if isinstance(item, Member) else [item]


def read_members(
    stream: BinaryIO, max_bytes: int = MAX_MEMBER_BYTES
) -> Iterator[Member | WARCRecord | BadRecord]:
    """What `read_records` yields, but whole gzip members are left to `records_of`."""
    window = Window(stream)
    start = window.read(0, _HEAD_BYTES)
    if not start.startswith(b"\x1f\x8b") and _VERSION_LINE.search(start):
        yield from _records_in_window(window, None, max_bytes)
        return
    for member in members_of(window, max_bytes):
        yield _bad_member(member) if isinstance(member, BrokenMember) else member


def records_of(member: Member, max_bytes: int) -> Iterator[WARCRecord | BadRecord]:
    """The records that one gzip member holds."""
    if (record := _only_record(member)) is not None:
        yield record
    else:
        yield from _records_in_window(Window(io.BytesIO(member.data)), member.offset, max_bytes)


def _only_record(member: Member) -> WARCRecord | None:
    """Return the record of a member that holds one whole record, as nearly all do; else None."""
    head, end, rest = member.data.partition(b"\r\n\r\n")
    headers = _headers_of(head) if end and len(head) <= _MAX_HEAD_BYTES else None
    if headers is None:
        return None
    record = WARCRecord(member.offset, headers, rest[:-4])
    stated = record.header("Content-Length") or ""
    whole = stated == str(len(record.block)) and rest.endswith(b"\r\n\r\n")
    return record if whole else None


def _bad_member(member: BrokenMember) -> BadRecord:
    too_large = member.reason is GzipFailure.TOO_LARGE
    reason = RecordFailure.TOO_LARGE if too_large else RecordFailure.BAD_GZIP
    return BadRecord(member.offset, reason, f"gzip member: {member.reason}")


def _records_in_window(
    window: Window, origin: int | None, max_bytes: int
) -> Iterator[WARCRecord | BadRecord]:
    """Yield the records in `window`, all placed at `origin`, or each at its own offset if None."""
    position = _skip_newlines(window, 0)
    while window.read(position, 1):
        offset = position if origin is None else origin
        record, position = _record_at(window, position, offset, max_bytes)
        yield record
        window.forget(position)
        position = _skip_newlines(window, position)


def _record_at(
    window: Window, position: int, offset: int, max_bytes: int
) -> tuple[WARCRecord | BadRecord, int]:
    """Return the record at `position`, or what is wrong with it, and where to go on."""
    head, start = _head_at(window, position)
    headers = _headers_of(head)
    if headers is None:
        return BadRecord(offset, RecordFailure.BAD_WARC, repr(head[:60])), _next_version_line(
            window, position + 1
        )
    record = WARCRecord(offset, headers, b"")
    stated = record.header("Content-Length") or ""
    if not (stated.isascii() and stated.isdecimal()):
        detail = f"Content-Length: {stated[:60]!r}"
        return BadRecord(offset, RecordFailure.BAD_LENGTH, detail), _next_version_line(
            window, start - 1
        )
    length = int(stated[-_MAX_DIGITS:])
    if length > max_bytes or len(stated) > _MAX_DIGITS:
        detail = f"{stated[:_MAX_DIGITS]} bytes"
        return BadRecord(offset, RecordFailure.TOO_LARGE, detail), _next_version_line(
            window, start - 1
        )
    if (mended := _block_two_longer(window, start, length)) is not None:
        return WARCRecord(offset, headers, mended), start + length + 2
    is_whole = not length or window.read(start + length - 1, 1)
    if not is_whole or not _at_boundary(window, start + length):
        detail = f"block does not end after {length} bytes"
        return BadRecord(offset, RecordFailure.BAD_LENGTH, detail), _next_version_line(
            window, start - 1
        )
    return WARCRecord(offset, headers, window.read(start, length)), start + length


def _block_two_longer(window: Window, start: int, length: int) -> bytes | None:
    """The block where Content-Length is two too small, as some crawlers wrote it; else None.

    In CC-MAIN-2018-34 a line break too many stands between HTTP headers and payload, which was
    not counted: it goes.
    """
    if window.read(start + length + 2, 4) != b"\r\n\r\n" or _at_boundary(window, start + length):
        return None
    if not _at_boundary(window, start + length + 2):
        return None
    block = window.read(start, length + 2)
    head, extra, payload = block.partition(b"\r\n\r\n\r\n")
    has_extra_break = bool(extra) and b"\r\n\r\n" not in head
    return head + b"\r\n\r\n" + payload if has_extra_break else block


def _head_at(window: Window, position: int) -> tuple[bytes, int]:
    """Return version line and headers, b"" if they do not end, and where the block starts."""
    size = _HEAD_BYTES
    while size <= _MAX_HEAD_BYTES:
        head = window.read(position, size)
        end = _HEAD_END.search(head)
        if end and not end[0].endswith((b"\n\n", b"\n\r\n")):
            break
        if end:
            return head[: end.start()], position + end.end()
        if len(head) < size:
            break
        size *= 4
    return b"", position


def _headers_of(head: bytes) -> tuple[tuple[str, str], ...] | None:
    """Return the named headers, continuation lines joined on; None if any line is not one."""
    if not _VERSION_LINE.match(head + b"\n"):
        return None
    headers: list[tuple[str, str]] = []
    for line in map(_decoded_line, head.split(b"\n")[1:]):
        name, colon, value = line.partition(":")
        if line.startswith((" ", "\t")) and headers:
            headers[-1] = (headers[-1][0], f"{headers[-1][1]} {line.strip()}".strip())
        elif colon and len(name.split()) == 1:
            headers.append((name.strip(), value.strip()))
        else:
            return None
    return tuple(headers)


def _decoded_line(line: bytes) -> str:
    """UTF-8, or Latin-1, which some crawlers wrote into single headers."""
    try:
        return line.decode()
    except UnicodeDecodeError:
        return line.decode("latin-1")


def _skip_newlines(window: Window, position: int) -> int:
    while (ahead := window.read(position, 64)) and not ahead.strip(b"\r\n"):
        position += len(ahead)
        window.forget(position)
    return position + len(ahead) - len(ahead.lstrip(b"\r\n"))


def _at_boundary(window: Window, position: int) -> bool:
    ahead = window.read(position, 16).lstrip(b"\r\n")
    return not ahead or ahead.startswith(b"WARC/")


def _next_version_line(window: Window, position: int) -> int:
    """Return where the next version line starts after `position`, or where the file ends."""
    start = window.find(b"\nWARC/", position)
    return start + 1 if window.read(start, 1) else start


_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


def bare_url(written: str | None) -> str | None:
    """Return a URL without the angle brackets that wget wrote around it.

    >>> bare_url("<https://example.org/>")
    'https://example.org/'
    """
    wrapped = written and written.startswith("<") and written.endswith(">")
    return written[1:-1] if written and wrapped else written


def canonical_record_id(written: str) -> str:
    """Return a record id in the one form used as a document's `id`: `urn:uuid:` and lower case.

    Anything that is not a UUID keeps its letters and loses only the angle brackets.

    >>> canonical_record_id("<urn:uuid:2C8D9A62-04F1-4A5C-9D6E-6B1A2E4C7F10>")
    'urn:uuid:2c8d9a62-04f1-4a5c-9d6e-6b1a2e4c7f10'
    >>> canonical_record_id("2c8d9a62-04f1-4a5c-9d6e-6b1a2e4c7f10")
    'urn:uuid:2c8d9a62-04f1-4a5c-9d6e-6b1a2e4c7f10'
    >>> canonical_record_id(" <https://example.org/Record/1> ")
    'https://example.org/Record/1'
    """
    bare = written.strip().removeprefix("<").removesuffix(">").strip()
    name = bare[9:] if bare[:9].lower() == "urn:uuid:" else bare
    return f"urn:uuid:{name.lower()}" if _UUID.fullmatch(name) else bare
