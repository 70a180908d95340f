"""WARC and WET files in Common Crawl's form: the same bytes whenever they are made.

One gzip member per record; `warcinfo` first; for each capture a `request`, a `response`
and a `metadata` record. The WET file beside it has one `conversion` record for each
response that has text, and names that response in WARC-Refers-To.
"""

from __future__ import annotations

import base64
import hashlib
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from email.utils import format_datetime
from http import HTTPStatus
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from skord.crawl.warc.written_records import gzip_member

REVISIT = "warc/revisit"
"""What the index calls a page that had not changed since an earlier capture."""

_GZIP_LEVEL = 9
_ADDRESS = "192.0.2.1"
_CHARSETS = {"iso-8859-1": "ISO-8859-1", "windows-1252": "windows-1252", "shift_jis": "Shift_JIS"}


Outcome = Literal["kept", "thin", "spam", "duplicate", "truncated"]


@dataclass(frozen=True)
class Gold:
    """What is known about a page beforehand; every field None where nothing is.

    Attributes:
        lang, layout, kind, title: as in `PageSource`.
        text: the gold main text, Markdown.
        variant_of: address of the page that this is a copy of.
        edit: "exact" or "near" for a copy.
        outcome: what a pipeline that wants the page's language should make of it.
    """

    lang: str | None = None
    layout: str | None = None
    kind: str | None = None
    title: str | None = None
    text: str | None = None
    variant_of: str | None = None
    edit: str | None = None
    outcome: Outcome | None = None


@dataclass(frozen=True)
class Capture:
    """One capture; date, record id and segment are given when it is placed (`schedule`).

    Attributes:
        status, mime: as in the index.
        headers: HTTP headers that follow the status line and Date.
        charset, languages: as in the index; None for what is not HTML.
        text: what the WET file has; None if it has no record for this capture.
        subset: the folder: "warc", "robotstxt" or "crawldiagnostics".
        gold: None for what is not a page.
        date: as in WARC-Date.
        record_id: the response's, canonical.
        segment: its number, from 0.
    """

    url: str
    body: bytes
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    mime: str = "text/html"
    charset: str | None = None
    languages: str | None = None
    truncated: str | None = None
    redirect: str | None = None
    text: str | None = None
    subset: str = "warc"
    gold: Gold | None = None
    date: str = ""
    record_id: str = ""
    segment: int = 0

    def http_head(self) -> bytes:
        """Return status line and headers, with the empty line that ends them."""
        date = format_datetime(datetime.fromisoformat(self.date), usegmt=True)
        headers = (f"{name}: {value}" for name, value in (("Date", date), *self.headers))
        status = f"HTTP/1.1 {self.status} {HTTPStatus(self.status).phrase}"
        return "\r\n".join([status, *headers, "", ""]).encode()

    def payload_digest(self) -> str:
        """Return the SHA-1 of the stored payload in base32, as the index gives it."""
        return sha1_base32(self.body)


@dataclass(frozen=True)
class Stored:
    """A capture and the range of the WARC file that holds its response."""

    capture: Capture
    filename: str
    offset: int
    length: int


def sha1_base32(content: bytes) -> str:
    """Return a SHA-1 digest as WARC files write it.

    >>> sha1_base32(b"")
    '3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ'
    """
    return base64.b32encode(hashlib.sha1(content, usedforsecurity=False).digest()).decode()


def record_id_of(*parts: str) -> str:
    """Return a record id that follows from what is recorded.

    >>> record_id_of("2024-10", "response", "https://example.se/om")
    'urn:uuid:916c1756-18ae-58d0-b365-770f055aafdf'
    """
    return f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, ' '.join(parts))}"


def sample_member(headers: list[tuple[str, str]], block: bytes) -> bytes:
    """Return one record as a gzip member; Content-Length is added."""
    lines = [f"{name}: {value}" for name, value in (*headers, ("Content-Length", f"{len(block)}"))]
    head = "\r\n".join(["WARC/1.0", *lines, "", ""]).encode()
    return gzip_member(head + block + b"\r\n\r\n", _GZIP_LEVEL)


def write_warc(root: Path, filename: str, dump: str, captures: Iterable[Capture]) -> list[Stored]:
    """Write one WARC file and return where each response lies."""
    info_id = record_id_of(filename)
    stored: list[Stored] = []
    path = root / filename
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        file.write(_warcinfo_member(info_id, path.name, dump, captures))
        for capture in captures:
            file.write(_request_member(capture, info_id))
            offset = file.tell()
            file.write(_response_member(capture, info_id))
            stored.append(Stored(capture, filename, offset, file.tell() - offset))
            file.write(_metadata_member(capture, info_id))
    return stored


def write_wet(root: Path, filename: str, dump: str, captures: Iterable[Capture]) -> int:
    """Write the WET file of the same captures; return how many have text."""
    path = root / filename
    path.parent.mkdir(parents=True, exist_ok=True)
    with_text = [(capture, capture.text) for capture in captures if capture.text is not None]
    with path.open("wb") as file:
        file.write(_warcinfo_member(record_id_of(filename), path.name, dump, captures))
        for capture, text in with_text:
            file.write(_conversion_member(capture, text.encode()))
    return len(with_text)


def index_charset(name: str) -> str:
    """Return a charset's name as the index writes it.

    >>> index_charset("utf-8"), index_charset("windows-1257")
    ('UTF-8', 'windows-1257')
    """
    return _CHARSETS.get(name.lower(), "UTF-8" if name.lower() == "utf-8" else name)


def _warcinfo_member(info_id: str, name: str, dump: str, captures: Iterable[Capture]) -> bytes:
    first = min((capture.date for capture in captures), default="2024-01-01T00:00:00Z")
    headers = [
        ("WARC-Type", "warcinfo"),
        ("WARC-Date", first),
        ("WARC-Record-ID", f"<{info_id}>"),
        ("Content-Type", "application/warc-fields"),
        ("WARC-Filename", name),
    ]
    facts = (
        f"isPartOf: CC-MAIN-{dump}",
        "publisher: pipeline.sample_crawl",
        "description: made-up pages in the form of a Common Crawl dump",
        "format: WARC File Format 1.0",
    )
    return sample_member(headers, "\r\n".join([*facts, ""]).encode())


def _headers(capture: Capture, kind: str, record_id: str, info_id: str) -> list[tuple[str, str]]:
    return [
        ("WARC-Type", kind),
        ("WARC-Date", capture.date),
        ("WARC-Record-ID", f"<{record_id}>"),
        ("WARC-Warcinfo-ID", f"<{info_id}>"),
        ("WARC-Target-URI", capture.url),
    ]


def _request_member(capture: Capture, info_id: str) -> bytes:
    parts = urlsplit(capture.url)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    block = (
        f"GET {target} HTTP/1.1\r\nHost: {parts.netloc}\r\nAccept-Encoding: gzip\r\n\r\n".encode()
    )
    headers = [
        *_headers(capture, "request", record_id_of("request", capture.record_id), info_id),
        ("Content-Type", "application/http; msgtype=request"),
        ("WARC-IP-Address", _ADDRESS),
    ]
    return sample_member(headers, block)


def _response_member(capture: Capture, info_id: str) -> bytes:
    request_id = record_id_of("request", capture.record_id)
    block = capture.http_head() + capture.body
    kind = "revisit" if capture.mime == REVISIT else "response"
    headers = [
        *_headers(capture, kind, capture.record_id, info_id),
        ("Content-Type", "application/http; msgtype=response"),
        ("WARC-Concurrent-To", f"<{request_id}>"),
        ("WARC-IP-Address", _ADDRESS),
        ("WARC-Payload-Digest", f"sha1:{capture.payload_digest()}"),
        ("WARC-Block-Digest", f"sha1:{sha1_base32(block)}"),
        ("WARC-Identified-Payload-Type", capture.mime),
    ]
    if capture.truncated is not None:
        headers.append(("WARC-Truncated", capture.truncated))
    return sample_member(headers, block)


def _metadata_member(capture: Capture, info_id: str) -> bytes:
    lines = ["fetchTimeMs: 100"]
    if capture.charset is not None:
        lines.append(f"charset-detected: {index_charset(capture.charset)}")
    if capture.languages is not None:
        lines.append(f"languages-cld2: {capture.languages}")
    headers = [
        *_headers(capture, "metadata", record_id_of("metadata", capture.record_id), info_id),
        ("Content-Type", "application/warc-fields"),
        ("WARC-Concurrent-To", f"<{capture.record_id}>"),
    ]
    return sample_member(headers, "\r\n".join([*lines, ""]).encode())


def _conversion_member(capture: Capture, text: bytes) -> bytes:
    headers = [
        ("WARC-Type", "conversion"),
        ("WARC-Target-URI", capture.url),
        ("WARC-Date", capture.date),
        ("WARC-Record-ID", f"<{record_id_of('conversion', capture.record_id)}>"),
        ("WARC-Refers-To", f"<{capture.record_id}>"),
        ("WARC-Block-Digest", f"sha1:{sha1_base32(text)}"),
    ]
    if capture.languages is not None:
        headers.append(("WARC-Identified-Content-Language", capture.languages))
    return sample_member([*headers, ("Content-Type", "text/plain")], text)
