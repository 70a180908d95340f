"""Fetches many byte ranges of one file, each of which is a gzip member of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from skord.crawl.http.errors import FetchFailure, RequestError, crawl_error
from skord.crawl.http.exchange import Exchange, Reply
from skord.crawl.http.ranges import (
    ByteRange,
    FetchedRange,
    Span,
    coalesce_ranges,
    parse_content_range,
)
from skord.crawl.warc.gzip import GzipFailure, Member, only_member


@dataclass(frozen=True)
class _Piece:
    """The bytes that a request brought; they end before the span where the file does."""

    start: int
    body: bytes
    status: int

    def cut(self, wanted: ByteRange) -> bytes | None:
        """The bytes of one range; None when the file ends inside or before it."""
        first = wanted.offset - self.start
        body = self.body[first : first + wanted.length]
        return body if len(body) == wanted.length else None


_Answer = Callable[[ByteRange], FetchedRange]
"""What became of a request, to be asked for each of its ranges."""


class RangeReader:
    """One pass over some ranges of one file.

    Args:
        ranges: in the order in which they are wanted; may overlap or repeat.
    """

    def __init__(self, exchange: Exchange, url: str, ranges: Sequence[ByteRange]) -> None:
        self._exchange = exchange
        self._settings = exchange.settings
        self._url = url
        self._ranges = tuple(ranges)

    def results(self) -> Iterator[FetchedRange]:
        """One result for each range, in the order given.

        A request is made when its first range is due, so that ranges given in order of
        position hold no more than one request in memory.

        Raises:
            CrawlUnreachableError: `max_exhausted_requests` requests in a row were given up.
        """
        spans = coalesce_ranges(
            self._ranges, self._settings.coalesce_gap_bytes, self._settings.max_request_bytes
        )
        span_of = {n: span for span in spans for n in span.members}
        answers: dict[int, _Answer] = {}
        for n, wanted in enumerate(self._ranges):
            if n not in answers:
                answers.update(dict.fromkeys(span_of[n].members, self._fetch(span_of[n])))
            yield answers.pop(n)(wanted)

    def _fetch(self, span: Span) -> _Answer:
        if span.end - span.start > self._settings.max_request_bytes:
            return partial(_failed_range, FetchFailure.TOO_LARGE, None, 0)
        try:
            piece, tries = self._exchange.with_retries(self._url, lambda: self._ask(span))
        except RequestError as error:
            self._stop_if_unreachable(error)
            return partial(_failed_range, error.failure, error.status, error.tries)
        return partial(self._result, piece, tries)

    def _result(self, piece: _Piece, tries: int, wanted: ByteRange) -> FetchedRange:
        """Cut one range out; fetch it alone when what came is not one gzip member."""
        body = piece.cut(wanted)
        if body is None:
            return _failed_range(FetchFailure.RANGE_UNSATISFIABLE, piece.status, tries, wanted)
        proven = _proven_range(body, piece.status, tries, wanted)
        return proven or self._once_more_alone(wanted, piece.status, tries)

    def _once_more_alone(self, wanted: ByteRange, status: int, tries: int) -> FetchedRange:
        alone = Span(wanted.offset, wanted.end, ())
        for _ in range(self._settings.max_attempts_corrupt - 1):
            try:
                piece, more = self._exchange.with_retries(self._url, lambda: self._ask(alone))
            except RequestError as error:
                self._stop_if_unreachable(error)
                tries += error.tries
                return _failed_range(error.failure, error.status, tries, wanted)
            tries += more
            body = piece.cut(wanted)
            status = piece.status
            if body is not None and (proven := _proven_range(body, status, tries, wanted)):
                return proven
        return _failed_range(FetchFailure.CORRUPT_GZIP, status, tries, wanted)

    def _ask(self, span: Span) -> _Piece:
        """One attempt at the bytes of a span."""
        with self._exchange.get(self._url, {"Range": span.header}) as reply:
            if reply.status == 200:
                return self._skip_to(span, reply)
            end = _end_of_reply(span, reply)
            body = _read_exactly(reply, 0, end - span.start)
            if len(body) < end - span.start:
                raise RequestError(FetchFailure.SHORT_BODY, "its body was short", status=206)
            return _Piece(span.start, body, reply.status)

    def _skip_to(self, span: Span, reply: Reply) -> _Piece:
        """The bytes of a span out of the whole file, when they lie near enough to its start."""
        if span.end > self._settings.max_skip_bytes:
            raise RequestError(
                FetchFailure.RANGE_IGNORED,
                "it sent the whole file instead of a range",
                status=200,
                again=False,
            )
        total = reply.length_bytes
        end = span.end if total is None else max(span.start, min(span.end, total))
        body = _read_exactly(reply, span.start, end)
        if total is not None and len(body) < end - span.start:
            raise RequestError(FetchFailure.SHORT_BODY, "its body was short", status=200)
        return _Piece(span.start, body, reply.status)

    def _stop_if_unreachable(self, error: RequestError) -> None:
        """A hole for every range of an endpoint that is down would look like missing pages."""
        if self._exchange.exhausted_in_a_row >= self._settings.max_exhausted_requests:
            raise crawl_error(self._url, error) from error


def _failed_range(
    failure: FetchFailure, status: int | None, tries: int, wanted: ByteRange
) -> FetchedRange:
    return FetchedRange(wanted, None, status, tries, failure)


def _proven_range(body: bytes, status: int, tries: int, wanted: ByteRange) -> FetchedRange | None:
    """The range with what its bytes hold; None if they are not one whole gzip member."""
    item = only_member(body)
    if isinstance(item, Member):
        return FetchedRange(wanted, body, status, tries, None, item.data)
    # Too large is a fault of the page, not of the way: asking again would bring the same.
    is_whole = item.reason is GzipFailure.TOO_LARGE
    return FetchedRange(wanted, body, status, tries, None) if is_whole else None


def _end_of_reply(span: Span, reply: Reply) -> int:
    """Where a 206 body ends: as asked, or earlier when the file does.

    Raises:
        RequestError: RANGE_MISMATCH, it is other bytes, several parts, or of another length.
    """
    sent = parse_content_range(reply.headers.get("Content-Range", ""))
    length = reply.length_bytes
    if (
        sent is not None
        and sent.start == span.start
        and (sent.end == span.end or (sent.end < span.end and sent.end == sent.total))
        and length in (None, sent.end - sent.start)
    ):
        return sent.end
    raise RequestError(FetchFailure.RANGE_MISMATCH, "it sent other bytes than asked", status=206)


def _read_exactly(reply: Reply, start: int, end: int) -> bytes:
    """Bytes `start` to `end` of a body, fewer when it ends early; the rest is left unread."""
    kept = bytearray()
    position = 0
    chunks = reply.chunks() if end > start else iter(())
    for chunk in chunks:
        kept += chunk[max(0, start - position) : max(0, end - position)]
        position += len(chunk)
        if position >= end:
            break
    return bytes(kept)
