"""Byte ranges of one file: which of them share a request, and what a reply holds of them.

A request names a single range. S3 answers several ranges in one header with 200 and the
whole object, so neighbours are fetched as one range together with the bytes between them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from skord.crawl.http.errors import FetchFailure

_CONTENT_RANGE = re.compile(r"bytes ([0-9]{1,18})-([0-9]{1,18})/([0-9]{1,18}|\*)")


@dataclass(frozen=True)
class ByteRange:
    """Bytes of a file, as a cdx line names them.

    Args:
        offset: position of the first byte.
        length: number of bytes.

    Raises:
        ValueError: a negative offset, or no bytes.
    """

    offset: int
    length: int

    def __post_init__(self) -> None:
        if self.offset < 0 or self.length < 1:
            raise ValueError(f"no byte range: offset {self.offset}, length {self.length}")

    @property
    def end(self) -> int:
        """Position after the last byte."""
        return self.offset + self.length


@dataclass(frozen=True)
class FetchedRange:
    """What became of one range: either a body or a failure.

    Args:
        range: as it was asked for.
        body: its bytes, exactly one intact gzip member; None with a failure.
        status: the last HTTP status; None when there was none.
        tries: requests made for it, those that it shared with its neighbours included.
        failure: None when there is a body.
        data: what the member holds, since its proof unpacked it; None with a failure, and
            where that is more than `gzip.MAX_MEMBER_BYTES`.
    """

    range: ByteRange
    body: bytes | None
    status: int | None
    tries: int
    failure: FetchFailure | None
    data: bytes | None = None


@dataclass(frozen=True)
class Span:
    """One request: the bytes from `start` up to, and without, `end`.

    Args:
        start: position of the first byte.
        end: position after the last byte.
        members: which of the asked ranges lie in it, as positions in the caller's sequence.
    """

    start: int
    end: int
    members: tuple[int, ...]

    @property
    def header(self) -> str:
        """Value of the `Range` header.

        >>> Span(100, 250, (0,)).header
        'bytes=100-249'
        """
        return f"bytes={self.start}-{self.end - 1}"


def coalesce_ranges(
    ranges: Sequence[ByteRange], gap_bytes: int, max_bytes: int
) -> tuple[Span, ...]:
    """The requests that bring all ranges, in order of position.

    Ranges that are no more than `gap_bytes` apart share one as long as it stays within
    `max_bytes`. A range longer than that is a request of its own.

    >>> wanted = [ByteRange(900, 50), ByteRange(0, 100), ByteRange(120, 80)]
    >>> spans = coalesce_ranges(wanted, 64, 1000)
    >>> [(span.header, span.members) for span in spans]
    [('bytes=0-199', (1, 2)), ('bytes=900-949', (0,))]
    """
    spans: list[Span] = []
    for n in sorted(range(len(ranges)), key=lambda n: (ranges[n].offset, ranges[n].length, n)):
        wanted = ranges[n]
        last = spans[-1] if spans else None
        if (
            last
            and wanted.offset - last.end <= gap_bytes
            and max(wanted.end, last.end) - last.start <= max_bytes
        ):
            spans[-1] = Span(last.start, max(last.end, wanted.end), (*last.members, n))
        else:
            spans.append(Span(wanted.offset, wanted.end, (n,)))
    return tuple(spans)


@dataclass(frozen=True)
class ContentRange:
    """The bytes of a 206 reply, RFC 9110 §14.4; `total` is None when the server hides it."""

    start: int
    end: int
    total: int | None


def parse_content_range(header: str) -> ContentRange | None:
    """A `Content-Range` header; None when it is missing or makes no sense.

    >>> parse_content_range("bytes 100-249/1000")
    ContentRange(start=100, end=250, total=1000)
    >>> parse_content_range("bytes 100-249/200"), parse_content_range("bytes */1000")
    (None, None)
    """
    match = _CONTENT_RANGE.fullmatch(header.strip())
    if match is None:
        return None
    start, last = int(match[1]), int(match[2])
    total = None if match[3] == "*" else int(match[3])
    if last < start or (total is not None and last >= total):
        return None
    return ContentRange(start, last + 1, total)
