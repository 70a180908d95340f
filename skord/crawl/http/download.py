"""Whole files into a local file: a body that breaks off is resumed where it ended."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from skord.crawl.http.errors import FetchFailure, RequestError, crawl_error
from skord.crawl.http.exchange import Exchange, Reply
from skord.crawl.http.ranges import parse_content_range
from skord.crawl.warc.gzip import GzipCheck


@dataclass(frozen=True)
class Download:
    """A file that arrived with its full length.

    Args:
        bytes: its length.
        tries: requests made for it.
        status: of the last one, 200 or 206.
        gzip_ok: whether all its gzip members are intact. False means that it is damaged where
            it comes from: it arrived so every time. Always True when that was not asked.
    """

    bytes: int
    tries: int
    status: int
    gzip_ok: bool = True


def download_file(exchange: Exchange, url: str, destination: Path, *, gzip: bool) -> Download:
    """Fetch a file into `destination`, which is written over.

    Args:
        destination: a temporary path of the caller's, who renames it when this returns.
        gzip: whether to check that each gzip member is whole.

    Raises:
        CrawlError: it could not be had with its full length.
        OSError: the destination cannot be written.
    """
    with destination.open("w+b") as file:
        arrival = _Arrival(exchange, url, file)
        tries = 0
        for _ in range(exchange.settings.max_attempts_corrupt if gzip else 1):
            arrival.start_over()
            try:
                status, more = exchange.with_retries(url, arrival.resume)
            except RequestError as error:
                error.tries += tries
                raise crawl_error(url, error) from error
            tries += more
            if arrival.check.whole or not gzip:
                return Download(arrival.received, tries, status)
        return Download(arrival.received, tries, status, gzip_ok=False)


class _Arrival:
    """What has come of one file so far."""

    def __init__(self, exchange: Exchange, url: str, file: BinaryIO) -> None:
        self._exchange = exchange
        self._url = url
        self._file = file
        self.start_over()

    def start_over(self) -> None:
        """Forget what came."""
        self._file.seek(0)
        self._file.truncate()
        self.received = 0
        self.check = GzipCheck()
        self._total: int | None = None
        self._etag = ""

    def resume(self) -> int:
        """One attempt at what is missing; the status of the reply.

        A 416 means that the file has shrunk since the first part came: it is begun anew.

        Raises:
            RequestError: as ever, and SHORT_BODY when bytes are missing still. Those that
                came are kept for the next attempt.
        """
        try:
            return self._resume()
        except RequestError as error:
            if error.status == 416 and self.received:
                self.start_over()
                error.again = True
            raise

    def _resume(self) -> int:
        with self._exchange.get(self._url, self._headers()) as reply:
            if reply.status == 206:
                self._check_continuation(reply)
            else:
                self.start_over()
                self._total = reply.length_bytes
                self._etag = reply.headers.get("ETag", "")
            self._receive(reply)
            return reply.status

    def _headers(self) -> dict[str, str]:
        """The rest of the file, on condition that it is still the same one.

        A weak ETag says "much the same", which is not enough to join two parts (RFC 9110
        §13.1.5); then the length, and the gzip check, have to tell.
        """
        if not self.received:
            return {}
        headers = {"Range": f"bytes={self.received}-"}
        if self._etag.startswith('"'):
            headers["If-Range"] = self._etag
        return headers

    def _check_continuation(self, reply: Reply) -> None:
        sent = parse_content_range(reply.headers.get("Content-Range", ""))
        if (
            sent is None
            or sent.start != self.received
            or sent.total is None
            or (sent.end, sent.total) != (sent.total, self._total or sent.total)
            or reply.headers.get("ETag", self._etag) != self._etag
        ):
            self.start_over()
            raise RequestError(
                FetchFailure.RANGE_MISMATCH, "it sent another part than asked", status=206
            )
        self._total = sent.total

    def _receive(self, reply: Reply) -> None:
        for chunk in reply.chunks():
            self._file.write(chunk)
            self.check.feed(chunk)
            self.received += len(chunk)
            if self.received == self._total:
                return
        if self._total is not None:
            raise RequestError(
                FetchFailure.SHORT_BODY,
                f"{self.received} of its {self._total} bytes came",
                status=reply.status,
            )
