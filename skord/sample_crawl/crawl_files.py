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
from pathlib import Path
from urllib.parse import urlsplit

from skord.crawl.warc.written_records import gzip_member

REVISIT = "warc/revisit"
"""What the index calls a page that had not changed since an earlier capture."""

_GZIP_LEVEL = 9
_ADDRESS = "192.0.2.1"
_CHARSETS = {"iso-8859-1": "ISO-8859-1", "windows-1252": "windows-1252", "shift_jis": "Shift_JIS"}


@dataclass(frozen=True)
class Fetch:
    """One capture to be stored.

    Attributes:
        url, date: as in WARC-Target-URI and WARC-Date.
        record_id: the response's, canonical.
        head: HTTP status line and headers, with the empty line that ends them.
        body: the payload as stored.
        status, mime: as in the index.
        charset, languages: as in the index; None for what is not HTML.
        truncated: WARC-Truncated, or None.
        redirect: where a redirect leads, or None.
        text: what the WET file has; None if it has no record for this capture.
        subset: the folder: "warc", "robotstxt" or "crawldiagnostics".
        segment: number of the segment, from 0.
    """

    url: str
    date: str
    record_id: str
    head: bytes
    body: bytes
    status: int
    mime: str
    charset: str | None = None
    languages: str | None = None
    truncated: str | None = None
    redirect: str | None = None
    text: str | None = None
    subset: str = "warc"
    segment: int = 0

    def payload_digest(self) -> str:
        """Return the SHA-1 of the stored payload in base32, as the index gives it."""
        return sha1_base32(self.body)


@dataclass(frozen=True)
class Stored:
    """A capture and the range of the WARC file that holds its response."""

    fetch: Fetch
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


def write_warc(root: Path, filename: str, dump: str, fetches: Iterable[Fetch]) -> list[Stored]:
    """Write one WARC file and return where each response lies.

    Args:
        root: the crawl's root folder.
        filename: below the root, as the index names it.
        dump: such as "2024-10".
        fetches: in the order in which they are stored.
    """
    info_id = record_id_of(filename)
    stored: list[Stored] = []
    path = root / filename
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        file.write(_warcinfo_member(info_id, path.name, dump, fetches))
        for fetch in fetches:
            file.write(_request_member(fetch, info_id))
            offset = file.tell()
            file.write(_response_member(fetch, info_id))
            stored.append(Stored(fetch, filename, offset, file.tell() - offset))
            file.write(_metadata_member(fetch, info_id))
    return stored


def write_wet(root: Path, filename: str, dump: str, fetches: Iterable[Fetch]) -> int:
    """Write the WET file of the same captures; return how many have text."""
    path = root / filename
    path.parent.mkdir(parents=True, exist_ok=True)
    with_text = [(fetch, fetch.text) for fetch in fetches if fetch.text is not None]
    with path.open("wb") as file:
        file.write(_warcinfo_member(record_id_of(filename), path.name, dump, fetches))
        for fetch, text in with_text:
            file.write(_conversion_member(fetch, text.encode()))
    return len(with_text)


def index_charset(name: str) -> str:
    """Return a charset's name as the index writes it.

    >>> index_charset("utf-8"), index_charset("windows-1257")
    ('UTF-8', 'windows-1257')
    """
    return _CHARSETS.get(name.lower(), "UTF-8" if name.lower() == "utf-8" else name)


def _warcinfo_member(info_id: str, name: str, dump: str, fetches: Iterable[Fetch]) -> bytes:
    first = min((fetch.date for fetch in fetches), default="2024-01-01T00:00:00Z")
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


def _headers(fetch: Fetch, kind: str, record_id: str, info_id: str) -> list[tuple[str, str]]:
    return [
        ("WARC-Type", kind),
        ("WARC-Date", fetch.date),
        ("WARC-Record-ID", f"<{record_id}>"),
        ("WARC-Warcinfo-ID", f"<{info_id}>"),
        ("WARC-Target-URI", fetch.url),
    ]


def _request_member(fetch: Fetch, info_id: str) -> bytes:
    parts = urlsplit(fetch.url)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    block = (
        f"GET {target} HTTP/1.1\r\nHost: {parts.netloc}\r\nAccept-Encoding: gzip\r\n\r\n".encode()
    )
    headers = [
        *_headers(fetch, "request", record_id_of("request", fetch.record_id), info_id),
        ("Content-Type", "application/http; msgtype=request"),
        ("WARC-IP-Address", _ADDRESS),
    ]
    return sample_member(headers, block)


def _response_member(fetch: Fetch, info_id: str) -> bytes:
    request_id = record_id_of("request", fetch.record_id)
    block = fetch.head + fetch.body
    kind = "revisit" if fetch.mime == REVISIT else "response"
    headers = [
        *_headers(fetch, kind, fetch.record_id, info_id),
        ("Content-Type", "application/http; msgtype=response"),
        ("WARC-Concurrent-To", f"<{request_id}>"),
        ("WARC-IP-Address", _ADDRESS),
        ("WARC-Payload-Digest", f"sha1:{fetch.payload_digest()}"),
        ("WARC-Block-Digest", f"sha1:{sha1_base32(block)}"),
        ("WARC-Identified-Payload-Type", fetch.mime),
    ]
    if fetch.truncated is not None:
        headers.append(("WARC-Truncated", fetch.truncated))
    return sample_member(headers, block)


def _metadata_member(fetch: Fetch, info_id: str) -> bytes:
    lines = ["fetchTimeMs: 100"]
    if fetch.charset is not None:
        lines.append(f"charset-detected: {index_charset(fetch.charset)}")
    if fetch.languages is not None:
        lines.append(f"languages-cld2: {fetch.languages}")
    headers = [
        *_headers(fetch, "metadata", record_id_of("metadata", fetch.record_id), info_id),
        ("Content-Type", "application/warc-fields"),
        ("WARC-Concurrent-To", f"<{fetch.record_id}>"),
    ]
    return sample_member(headers, "\r\n".join([*lines, ""]).encode())


def _conversion_member(fetch: Fetch, text: bytes) -> bytes:
    headers = [
        ("WARC-Type", "conversion"),
        ("WARC-Target-URI", fetch.url),
        ("WARC-Date", fetch.date),
        ("WARC-Record-ID", f"<{record_id_of('conversion', fetch.record_id)}>"),
        ("WARC-Refers-To", f"<{fetch.record_id}>"),
        ("WARC-Block-Digest", f"sha1:{sha1_base32(text)}"),
    ]
    if fetch.languages is not None:
        headers.append(("WARC-Identified-Content-Language", fetch.languages))
    return sample_member([*headers, ("Content-Type", "text/plain")], text)
