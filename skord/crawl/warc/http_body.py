"""The body of an HTTP message as its sender meant it: chunks joined, compression undone.

Common Crawl stores bodies already decoded; other archives store what went over the
wire. Headers lie in both: a body may be plain although its headers say gzip, since
many crawlers decode without renaming them. So a body that plainly is not in the named
encoding is taken as it stands, and one that is but breaks off or is corrupt is an error.

Formats: RFC 9112 section 7.1 (chunked), RFC 9110 section 8.4 (content codings).
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable

import brotli

from skord.core.failures import DocumentError
from skord.crawl.warc.framing import RecordFailure

_CHUNK_SIZE = re.compile(rb"([0-9A-Fa-f]{1,8})[ \t]*(?:;[^\r\n]*)?\r?\n")
_NOT_READ = frozenset({"compress", "x-compress", "zstd", "dcb", "dcz"})
_OUTPUT_BYTES = 1 << 20


class _Broken(Exception):  # noqa: N818 (an outcome, caught in this module)
    """Decoding stopped early; holds what had come out until then."""

    def __init__(self, decoded: bytes) -> None:
        super().__init__()
        self.decoded = decoded


def decoded_body(
    stored: bytes, transfer_encoding: str, content_encoding: str, *, cut: bool, max_bytes: int
) -> bytes:
    r"""Undo transfer and content encoding.

    Args:
        stored: the bytes after the HTTP headers.
        transfer_encoding: that header's value, or "".
        content_encoding: that header's value, or ""; several are undone last to first.
            Names that are no coding ("identity", "utf-8") are passed over, as browsers do.
        cut: the record says that it was truncated, so that an early end is expected
            and what came out until there is returned.
        max_bytes: limit of the body at every step.

    Raises:
        DocumentError: bad_encoding, too_large.

    >>> decoded_body(b"3\r\nabc\r\n0\r\n\r\n", "chunked", "", cut=False, max_bytes=9)
    b'abc'
    >>> decoded_body(b"plain after all", "chunked", "gzip", cut=False, max_bytes=99)
    b'plain after all'
    """
    body = stored
    names = [name.strip().lower() for name in content_encoding.split(",")]
    steps = [_DECODERS[name] for name in names if name in _DECODERS]
    if "chunked" in transfer_encoding.lower():
        steps.append(_dechunked_body)
    if unread := _NOT_READ.intersection(names):
        raise DocumentError(RecordFailure.BAD_ENCODING, f"{sorted(unread)} is not read")
    for step in reversed(steps):
        try:
            body = step(body, max_bytes)
        except _Broken as broken:
            if not cut:
                raise DocumentError(RecordFailure.BAD_ENCODING, step.__name__.strip("_")) from None
            body = broken.decoded
    return body


def _dechunked_body(body: bytes, max_bytes: int) -> bytes:  # noqa: ARG001 (joining adds no bytes)
    parts: list[bytes] = []
    position = 0
    while match := _CHUNK_SIZE.match(body, position):
        size = int(match[1], 16)
        if size == 0:
            return b"".join(parts)
        parts.append(body[match.end() : match.end() + size])
        position = match.end() + size
        position += 2 if body[position : position + 2] == b"\r\n" else 1
    if not parts:
        return body
    raise _Broken(b"".join(parts))


def _gunzipped(body: bytes, max_bytes: int) -> bytes:
    if not body.startswith(b"\x1f\x8b"):
        return body
    return _inflated(body, 31, max_bytes)


def _deflated(body: bytes, max_bytes: int) -> bytes:
    """Undo "deflate", which some servers send with zlib's header and some without."""
    try:
        return _inflated(body, zlib.MAX_WBITS, max_bytes)
    except _Broken as with_header:
        if with_header.decoded:
            raise
    return _unless_plain(body, lambda: _inflated(body, -zlib.MAX_WBITS, max_bytes))


def _inflated(body: bytes, wbits: int, max_bytes: int) -> bytes:
    inflater = zlib.decompressobj(wbits)
    parts: list[bytes] = []
    room = max_bytes
    packed = body
    while not inflater.eof:
        try:
            parts.append(inflater.decompress(packed, min(room, _OUTPUT_BYTES) + 1))
        except zlib.error:
            raise _Broken(b"".join(parts)) from None
        room -= len(parts[-1])
        if room < 0:
            raise DocumentError(RecordFailure.TOO_LARGE, f"body over {max_bytes} bytes")
        packed = inflater.unconsumed_tail
        if not packed and not parts[-1]:
            break
    if not inflater.eof:
        raise _Broken(b"".join(parts))
    return b"".join(parts)


def _unbrotlied(body: bytes, max_bytes: int) -> bytes:
    return _unless_plain(body, lambda: _brotli_output(body, max_bytes))


def _brotli_output(body: bytes, max_bytes: int) -> bytes:
    decompressor = brotli.Decompressor()
    parts: list[bytes] = []
    room = max_bytes
    packed = body
    while not decompressor.is_finished():
        try:
            part: bytes = decompressor.process(packed, output_buffer_limit=_OUTPUT_BYTES)
        except brotli.error:
            raise _Broken(b"".join(parts)) from None
        parts.append(part)
        room -= len(part)
        if room < 0:
            raise DocumentError(RecordFailure.TOO_LARGE, f"body over {max_bytes} bytes")
        if not part and decompressor.can_accept_more_data():
            raise _Broken(b"".join(parts))
        packed = b""
    return b"".join(parts)


def _unless_plain(body: bytes, decode: Callable[[], bytes]) -> bytes:
    """Return `decode()`, or the body itself where nothing came out and it starts like markup.

    These two codings have no magic number, so only the attempt can tell.
    """
    try:
        return decode()
    except _Broken:
        if body.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
            return body
        raise


_DECODERS: dict[str, Callable[[bytes, int], bytes]] = {
    "gzip": _gunzipped,
    "x-gzip": _gunzipped,
    "deflate": _deflated,
    "br": _unbrotlied,
}
