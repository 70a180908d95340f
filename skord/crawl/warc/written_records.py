"""WARC records written anew: one gzip member each, the same bytes for the same record."""

from __future__ import annotations

import base64
import hashlib
import zlib
from collections.abc import Iterable

Headers = Iterable[tuple[str, str]]

UNKNOWN_DATE = "1970-01-01T00:00:00Z"
"""A WARC record must have a date; no page is believed to be of this one."""


GZIP = 31
"""zlib's word for a member's head and tail around 32 KiB of window."""


def gzip_member(data: bytes, level: int) -> bytes:
    r"""A gzip member without a time: the same bytes from every Python that has the same zlib.

    `gzip.compress` notes another operating system from Python 3.13 on.

    >>> gzip_member(b"Hej", 6)[:10]
    b'\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03'
    """
    return zlib.compress(data, level, GZIP)


def record_member(headers: Headers, block: bytes) -> bytes:
    r"""A record as a gzip member.

    >>> import gzip
    >>> gzip.decompress(record_member([("WARC-Type", "resource")], b"Hej"))
    b'WARC/1.0\r\nWARC-Type: resource\r\nContent-Length: 3\r\n\r\nHej\r\n\r\n'
    """
    lines = [f"{name}: {value}" for name, value in headers if name.lower() != "content-length"]
    head = "\r\n".join(["WARC/1.0", *lines, f"Content-Length: {len(block)}", "", ""])
    return gzip_member(head.encode() + block + b"\r\n\r\n", 6)


def page_member(record_id: str, url: str, date: str | None, html: bytes, charset: str) -> bytes:
    """A page of HTML as the response to a request for it.

    Args:
        record_id: `urn:uuid:…`.
        date: ISO 8601 in UTC, if it is known.
        charset: of its bytes if that is known; else it is found out as for any page.
    """
    declared = f"text/html; charset={charset}" if charset else "text/html"
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {declared}\r\nContent-Length: {len(html)}\r\n\r\n"
    kind = [("WARC-Type", "response"), ("Content-Type", "application/http; msgtype=response")]
    return record_member(_named_headers(record_id, url, date, html, kind), head.encode() + html)


def text_member(record_id: str, url: str, date: str | None, text: bytes, mime: str) -> bytes:
    """A text as a resource: what was there without a request."""
    kind = [("WARC-Type", "resource"), ("Content-Type", f"{mime}; charset=utf-8")]
    return record_member(_named_headers(record_id, url, date, text, kind), text)


def _named_headers(
    record_id: str, url: str, date: str | None, payload: bytes, kind: Headers
) -> Headers:
    return [
        *kind,
        ("WARC-Record-ID", f"<{record_id}>"),
        ("WARC-Target-URI", url),
        ("WARC-Date", date or UNKNOWN_DATE),
        ("WARC-Payload-Digest", f"sha1:{sha1_base32(payload)}"),
    ]


def sha1_base32(data: bytes) -> str:
    """SHA-1 as crawls write it.

    >>> sha1_base32(b"")
    '3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ'
    """
    return base64.b32encode(hashlib.sha1(data, usedforsecurity=False).digest()).decode()
