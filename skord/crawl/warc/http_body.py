"""The body of an HTTP message as its sender meant it: chunks joined, compression undone.

Common Crawl stores bodies already decoded; other archives store what went over the
wire. Headers lie in both: a body may be plain although its headers say gzip, since
many crawlers decode without renaming them, or packed though no header says so. So a body that
plainly is not in the named encoding is taken as it stands, one that begins as gzip does is
unpacked, and one that is packed but breaks off or is corrupt is an error. Of
chunks that break off what came is kept, as browsers do, and a stream of gzip or deflate that
lacks nothing but its checksum is whole.

Formats: RFC 9112 section 7.1 (chunked), RFC 9110 section 8.4 (content codings), RFC 8878 (zstd).
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable
from typing import Any

import brotli
import zstandard

from skord.core.failures import DocumentError
from skord.crawl.warc.framing import RecordFailure

_CHUNK_SIZE = re.compile(rb"0*+([0-9A-Fa-f]{1,8}|(?<=0))[ \t]*(?:;[^\r\n]*)?\r?\n")
_CUT_SIZE = re.compile(rb"[0-9A-Fa-f]*[ \t]*(?:;[^\r\n]*)?\r?")
_NAME = re.compile(r"[\w-]+")
_NOT_READ = frozenset({"compress", "x-compress", "dcb", "dcz"})
ZSTANDARD = b"\x28\xb5\x2f\xfd"
"""How a frame of Zstandard begins."""
_GZIP_START = b"\x1f\x8b\x08"
_OUTPUT_BYTES = 1 << 20
_SKIPPABLE = re.compile(rb"[\x50-\x5f]\x2a\x4d\x18(.{4})", re.DOTALL)
_ZSTANDARD_WINDOW_BYTES = 8 << 20
_ZSTANDARD_INPUT_BYTES = 512
"""Given at once: at most 16 MiB can come out of so much."""


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
    names = [name[0] for name in map(_NAME.search, content_encoding.lower().split(",")) if name]
    steps = [_DECODERS[name] for name in names if name in _DECODERS]
    if "chunked" in transfer_encoding.lower():
        steps.append(_dechunked_body)
    if unread := _NOT_READ.intersection(names):
        raise DocumentError(RecordFailure.BAD_ENCODING, f"{sorted(unread)} is not read")
    for step in reversed(steps):
        body = _undone(step, body, cut, max_bytes)
    if body.startswith(_GZIP_START):  # named by no header, by another name or once too seldom
        body = _undone(_gunzipped, body, cut, max_bytes)
    return body


def _undone(step: Callable[[bytes, int], bytes], body: bytes, cut: bool, max_bytes: int) -> bytes:
    try:
        return step(body, max_bytes)
    except _Broken as broken:
        if not cut:
            raise DocumentError(RecordFailure.BAD_ENCODING, step.__name__.strip("_")) from None
        return broken.decoded


def _dechunked_body(body: bytes, max_bytes: int) -> bytes:  # noqa: ARG001 (joining adds no bytes)
    parts: list[bytes] = []
    position = 0
    while match := _CHUNK_SIZE.match(body, position):
        size = int(match[1] or b"0", 16)
        if size == 0:
            return b"".join(parts)
        parts.append(body[match.end() : match.end() + size])
        position = match.end() + size
        position += 2 if body[position : position + 2] == b"\r\n" else 1
    if not parts:
        return body
    if _CUT_SIZE.fullmatch(body, position):  # the last chunk is not there: browsers show what came
        return b"".join(parts)
    raise _Broken(b"".join(parts))


def _gunzipped(body: bytes, max_bytes: int) -> bytes:
    """All gzip members; what follows the last and is none is left out, as gzip(1) does."""
    parts: list[bytes] = []
    rest = body
    while rest.startswith(b"\x1f\x8b"):
        try:
            part, rest = _inflated_start(rest, 31, max_bytes - sum(map(len, parts)))
        except _Broken as broken:
            raise _Broken(b"".join([*parts, broken.decoded])) from None
        parts.append(part)
        rest = rest.lstrip(b"\0")
    return b"".join(parts) if parts else body


def _deflated(body: bytes, max_bytes: int) -> bytes:
    """Undo "deflate", which some servers send with zlib's header and some without."""
    if body.startswith(_GZIP_START):
        return body
    try:
        return _inflated(body, zlib.MAX_WBITS, max_bytes)
    except _Broken as with_header:
        if with_header.decoded:
            raise
    return _unless_plain(body, lambda: _inflated(body, -zlib.MAX_WBITS, max_bytes))


def _inflated(body: bytes, wbits: int, max_bytes: int) -> bytes:
    return _inflated_start(body, wbits, max_bytes)[0]


def _inflated_start(body: bytes, wbits: int, max_bytes: int) -> tuple[bytes, bytes]:
    """What the stream at the start of the body unpacks to, and what follows the stream."""
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
    decoded = b"".join(parts)
    if not inflater.eof and not _lacks_only_trailer(inflater, decoded, wbits):
        raise _Broken(decoded)
    return decoded, inflater.unused_data


def _lacks_only_trailer(inflater: Any, decoded: bytes, wbits: int) -> bool:
    """Whether a stream is whole but for some or all of the checksum and length that follow it."""
    if wbits < 0:
        return False
    checksum, size = zlib.crc32(decoded), len(decoded) & 0xFFFFFFFF
    trailer = (
        checksum.to_bytes(4, "little") + size.to_bytes(4, "little")
        if wbits > zlib.MAX_WBITS
        else zlib.adler32(decoded).to_bytes(4, "big")
    )
    for missing in range(1, len(trailer) + 1):
        attempt = inflater.copy()
        try:
            added = attempt.decompress(trailer[-missing:])
        except zlib.error:
            continue
        if attempt.eof and not added:
            return True
    return False


def _unpacked_zstandard(body: bytes, max_bytes: int) -> bytes:
    """All frames of Zstandard (RFC 8878); a window is as large as RFC 9659 allows at most."""
    while skippable := _SKIPPABLE.match(body):
        body = body[8 + int.from_bytes(skippable[1], "little") :]
    if not body.startswith(ZSTANDARD):
        return body
    decompressor = zstandard.ZstdDecompressor(max_window_size=_ZSTANDARD_WINDOW_BYTES)
    frame = decompressor.decompressobj()
    parts: list[bytes] = []
    room = max_bytes
    position = 0
    while position < len(body):
        packed = body[position : position + _ZSTANDARD_INPUT_BYTES]
        try:
            parts.append(frame.decompress(packed))
        except zstandard.ZstdError:
            raise _Broken(b"".join(parts)) from None
        room -= len(parts[-1])
        if room < 0:
            raise DocumentError(RecordFailure.TOO_LARGE, f"body over {max_bytes} bytes")
        position += len(packed) - len(frame.unused_data)
        if frame.eof:
            if not body.startswith(ZSTANDARD, position):
                return b"".join(parts)
            frame = decompressor.decompressobj()
    raise _Broken(b"".join(parts))


def _unbrotlied(body: bytes, max_bytes: int) -> bytes:
    if body.startswith(_GZIP_START):
        return body
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
    "zstd": _unpacked_zstandard,
}
