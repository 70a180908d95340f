"""Gzip files of many members, read so that one damaged member costs one member.

Crawl files are gzip members laid end to end, one per record, so that a single record
can be fetched by offset and length. `gzip.open` raises on the first damaged member
and the rest of the file is lost; here damage is an item among the others, and reading
goes on at the next member. The stream need not be seekable: an HTTP body will do.

Format: RFC 1952. The CRC and the length at a member's end are checked by ISA-L, which
unpacks in half of zlib's time.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO, NamedTuple

from isal import isal_zlib as zlib
from isal.igzip_lib import IsalError

from skord.core.failures import FailureCode

MAX_MEMBER_BYTES = 64 << 20
"""Default limit of one member, unpacked; Common Crawl cuts a response after a few MiB."""

MAGIC = b"\x1f\x8b\x08"
"""How a member starts: the two bytes of RFC 1952 and its only method, deflate."""

_READ_BYTES = 64 << 10
_FEED_BYTES = 8 << 10
_PROBE_BYTES = 4 << 10
_EMPTY_BLOCKS_BYTES = 1 << 20


class GzipFailure(FailureCode):
    """Why a gzip member cannot be read."""

    NOT_GZIP = "not_gzip"
    """Bytes between members, or a whole file, that are neither a member nor zero padding."""
    CORRUPT = "corrupt"
    """The packed data breaks a rule, or CRC or length at its end do not agree."""
    TRUNCATED = "truncated"
    """The file ends inside the member."""
    TOO_LARGE = "too_large"
    """The member unpacks to more than the limit."""


class Member(NamedTuple):
    """One whole member: `length` packed bytes from `offset` on, unpacked to `data`."""

    offset: int
    length: int
    data: bytes


@dataclass(frozen=True, slots=True)
class BrokenMember:
    """A place in the file that could not be unpacked."""

    offset: int
    reason: GzipFailure


class Window:
    """A forward-only byte stream whose bytes can be read again until they are forgotten.

    Offsets count from the position of the stream when the window was made. What was
    forgotten must not be asked for again.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._held = b""
        self._start = 0
        self._needed = 0  # what is before may go when more is read

    def read(self, offset: int, size: int) -> bytes:
        """Return `size` bytes from `offset` on; fewer only where the stream ends."""
        first = offset - self._start
        if first + size > len(self._held):
            self._fill(offset + size)
            first = offset - self._start
        return self._held[first : first + size]

    def find(self, pattern: bytes, offset: int) -> int:
        """Return where `pattern` next occurs, or where the stream ends; forgets what it passes."""
        while True:
            self.forget(offset)
            self._fill(offset + _READ_BYTES)
            position = self._held.find(pattern, offset - self._start)
            if position >= 0:
                return self._start + position
            end = self._start + len(self._held)
            if end < offset + _READ_BYTES:
                return end
            offset = end - len(pattern) + 1

    def forget(self, offset: int) -> None:
        """Let go of everything before `offset`, reading past it where that lies ahead."""
        self._needed = max(self._needed, offset)
        while (end := self._start + len(self._held)) < offset:
            self._held, self._start = b"", end
            self._fill(min(offset, end + _READ_BYTES))
            if not self._held:
                return

    def _fill(self, end: int) -> None:
        missing = end - self._start - len(self._held)
        if missing <= 0:
            return
        passed = min(max(self._needed - self._start, 0), len(self._held))
        parts = [self._held[passed:]]
        while missing > 0 and (piece := self._stream.read(max(_READ_BYTES, missing))):
            parts.append(piece)
            missing -= len(piece)
        self._held = b"".join(parts)
        self._start += passed


def gzip_members(
    stream: BinaryIO, max_bytes: int = MAX_MEMBER_BYTES
) -> Iterator[Member | BrokenMember]:
    r"""Yield a gzip file's members in order, and a `BrokenMember` for each that is damaged.

    Holds one member at a time, packed and unpacked. Runs of zero bytes between members
    are padding (as gzip(1) has it) and pass unmentioned.

    Args:
        stream: binary, at a member's start; read forward only.
        max_bytes: limit of one member's unpacked size.

    >>> import gzip, io
    >>> packed = [gzip.compress(word) for word in (b"one", b"two", b"three")]
    >>> packed[1] = packed[1][:-8] + bytes(8)
    >>> [getattr(item, "data", item) for item in gzip_members(io.BytesIO(b"".join(packed)))]
    [b'one', BrokenMember(offset=23, reason=<GzipFailure.CORRUPT: 'corrupt'>), b'three']
    """
    return members_of(Window(stream), max_bytes)


def first_member(stream: BinaryIO) -> Member | BrokenMember | None:
    """The first member that holds anything, as the first of some archives does not."""
    held = (item for item in gzip_members(stream) if isinstance(item, BrokenMember) or item.data)
    return next(held, None)


def members_of(window: Window, max_bytes: int) -> Iterator[Member | BrokenMember]:
    """Do what `gzip_members` does with a stream whose start was already looked at."""
    offset = 0
    while ahead := window.read(offset, _FEED_BYTES):
        if ahead.startswith(b"\0"):
            offset = _skip_padding(window, offset)
            continue
        item, offset = _member_at(window, offset, ahead, max_bytes)
        yield item
        window.forget(offset)


def _skip_padding(window: Window, offset: int) -> int:
    while (ahead := window.read(offset, 64)) and not ahead.strip(b"\0"):
        offset += len(ahead)
        window.forget(offset)
    return offset + len(ahead) - len(ahead.lstrip(b"\0"))


def _member_at(
    window: Window, offset: int, packed: bytes, max_bytes: int
) -> tuple[Member | BrokenMember, int]:
    """Unpack the member at `offset`, whose first bytes are `packed`.

    Returns it, or what is wrong, and where to go on.
    """
    if not packed.startswith(MAGIC):
        return BrokenMember(offset, GzipFailure.NOT_GZIP), _next_start(window, offset + 1)
    inflater = zlib.decompressobj(wbits=31)
    parts: list[bytes] = []
    position, room = offset, max_bytes
    while True:
        if not packed:
            return BrokenMember(offset, GzipFailure.TRUNCATED), _next_start(window, offset + 1)
        try:
            parts.append(inflater.decompress(packed, room + 1))
        except IsalError:
            return BrokenMember(offset, GzipFailure.CORRUPT), _next_start(window, offset + 1)
        position += len(packed) - len(inflater.unused_data)
        room -= len(parts[-1])
        if room < 0 or position - offset > max_bytes + _EMPTY_BLOCKS_BYTES:
            return BrokenMember(offset, GzipFailure.TOO_LARGE), _pass_over(
                window, inflater, position
            )
        if inflater.eof:
            return Member(offset, position - offset, b"".join(parts)), position
        packed = window.read(position, _READ_BYTES)


def _pass_over(window: Window, inflater: Any, position: int) -> int:
    """Return where an oversized member ends, unpacking the rest of it without keeping any."""
    packed, fed_from = inflater.unconsumed_tail, position
    while not inflater.eof:
        if not packed:
            packed = window.read(position, _FEED_BYTES)
            if not packed:
                return _next_start(window, fed_from)
            window.forget(position)
            fed_from, position = position, position + len(packed)
        try:
            inflater.decompress(packed, _READ_BYTES)
        except IsalError:
            return _next_start(window, fed_from)
        packed = inflater.unconsumed_tail
    return position - len(inflater.unused_data)


def _next_start(window: Window, offset: int) -> int:
    """Return where the next member starts at or after `offset`, or where the stream ends."""
    place = window.find(MAGIC, offset)
    while (start := window.read(place, _PROBE_BYTES)) and not _starts_member(start):
        place = window.find(MAGIC, place + 1)
    return place


def _starts_member(start: bytes) -> bool:
    """Tell a member's start from three bytes that only look like one.

    The magic bytes occur by chance about once in 16 MiB of packed data; few of those go on
    as a header without reserved flags and a first byte that unpacks.
    """
    try:
        zlib.decompressobj(wbits=31).decompress(start, 1)
    except IsalError:
        return False
    return True


_GZIP_ONLY = 16 + zlib.MAX_WBITS
_INPUT_STEP_BYTES = 64 * 1024
_OUTPUT_STEP_BYTES = 256 * 1024


class GzipCheck:
    """Checks gzip members chunk by chunk; what they hold is thrown away piece by piece.

    >>> import gzip
    >>> two = gzip.compress(b"a") + gzip.compress(b"b")
    >>> check = GzipCheck()
    >>> check.feed(two[:30])
    >>> check.whole
    False
    >>> check.feed(two[30:])
    >>> check.whole, check.members
    (True, 2)
    """

    def __init__(self) -> None:
        self.members = 0
        """Members that ended as they should."""
        self.padding_bytes = 0
        """Zero bytes between and after members, which gzip(1) passes over as well."""
        self._member = zlib.decompressobj(_GZIP_ONLY)
        self._inside = False
        self._broken = False

    @property
    def whole(self) -> bool:
        """Whether there was at least one member, all were intact and none is unfinished."""
        return self.members > 0 and not self._inside and not self._broken

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes; those after the first damage are not looked at.

        In short steps: zlib hands back a copy of what it left of its input each time.
        """
        for start in range(0, len(chunk), _INPUT_STEP_BYTES):
            self._feed_step(chunk[start : start + _INPUT_STEP_BYTES])

    def _feed_step(self, chunk: bytes) -> None:
        while chunk and not self._broken:
            if not self._inside:
                members = chunk.lstrip(b"\0")
                self.padding_bytes += len(chunk) - len(members)
                chunk = members
            self._inside = bool(chunk)
            try:
                self._member.decompress(chunk, _OUTPUT_STEP_BYTES)
            except zlib.error:
                self._broken = True
                return
            if self._member.eof:
                chunk = self._member.unused_data
                self._member = zlib.decompressobj(_GZIP_ONLY)
                self._inside = False
                self.members += 1
            else:
                chunk = self._member.unconsumed_tail


def only_member(body: bytes, max_bytes: int = MAX_MEMBER_BYTES) -> Member | BrokenMember:
    """Unpack bytes that are to be exactly one whole gzip member.

    Args:
        body: a byte range of a crawl file.
        max_bytes: limit of its unpacked size.

    Returns:
        the member, or what is wrong; TOO_LARGE of a member that is whole but for its size.

    >>> import gzip
    >>> record = gzip.compress(b"WARC/1.0")
    >>> only_member(record)
    Member(offset=0, length=28, data=b'WARC/1.0')
    >>> [only_member(body).reason.value for body in (record[:-1], record + record)]
    ['truncated', 'corrupt']
    """
    item, end = _member_at(Window(io.BytesIO(body)), 0, body[:_FEED_BYTES], max_bytes)
    if end != len(body):  # bytes before the member, or behind it
        return BrokenMember(0, GzipFailure.CORRUPT)
    if isinstance(item, Member) or item.reason is not GzipFailure.TOO_LARGE:
        return item
    # Where the unpacking stopped for size, the rest was passed over without its checksum.
    check = GzipCheck()
    check.feed(body)
    return item if check.whole else BrokenMember(0, GzipFailure.CORRUPT)
