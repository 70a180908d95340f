"""The crawl's endpoint: small files, whole files, byte ranges, and a dump's lists of paths.

    with Crawl(settings, limiter) as crawl:
        paths = crawl.paths_list("2024-10", "wet")
        crawl.download(paths[0], temporary, gzip=True)
        for fetched in crawl.fetch_ranges(warc_path, [ByteRange(0, 500)]):
            ...

Everything is verified before it is passed on: length, the bytes that a range reply says
it holds, gzip checksums. Everything is retried within bounds; what remains is an error of
the file, or a failure of the range.

* PipelineError
  - ShardError
    + CrawlError               one file could not be had: `failure`, `status`, `tries`
      = CrawlUnreachableError  every attempt was used up; running the shard later may work
      = NotOnCrawlError        the endpoint has no such file (404, 410)
      = CrawlRefusedError      any other answer that asking again will not change
  - ConfigError                a list of paths that is none: the endpoint is not a crawl

| reply                              | what is done                                          |
|------------------------------------|-------------------------------------------------------|
| 200, 206                           | verified; a short body is resumed or asked again       |
| 403, 429, 503                      | all workers pause; again after a growing, random wait |
| 408, 500, 502, 504, other 5xx      | again after a growing, random wait                    |
| no connection, silence, broken off | again after a growing, random wait                    |
| 3xx, 404, 410, 416, other 4xx      | given up at once                                      |
| 501, 505                           | given up at once                                      |
"""

from __future__ import annotations

import gzip as gzip_format
import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Literal

from skord.core.closing import Closing
from skord.core.failures import ConfigError
from skord.crawl.http.download import Download, download_file
from skord.crawl.http.errors import (
    CrawlError,
    CrawlRefusedError,
    CrawlUnreachableError,
    FetchFailure,
    NotOnCrawlError,
    Obstacle,
    RequestError,
    crawl_error,
)
from skord.crawl.http.exchange import Exchange, Result
from skord.crawl.http.range_reader import RangeReader
from skord.crawl.http.ranges import ByteRange, FetchedRange, parse_content_range
from skord.crawl.http.rate_limit import RateLimiter
from skord.crawl.http.settings import CrawlSettings

__all__ = [
    "ByteRange",
    "Crawl",
    "CrawlError",
    "CrawlRefusedError",
    "CrawlSettings",
    "CrawlUnreachableError",
    "Download",
    "FetchFailure",
    "FetchedRange",
    "NotOnCrawlError",
    "PathKind",
]

PathKind = Literal["wet", "warc", "cc-index"]
"""The lists of paths that a dump has and that are read here."""

_GZIP = b"\x1f\x8b"
_PATH = re.compile(r"[\w.+=%:@,~-]+(?:/[\w.+=%:@,~-]+)+", re.ASCII)


class Crawl(Closing):
    """A client of one endpoint, for one process; close it, or use it in a `with`.

    Args:
        settings: where the endpoint is, and how patiently it is asked.
        limiter: shared with all other workers.
    """

    def __init__(self, settings: CrawlSettings, limiter: RateLimiter) -> None:
        self.settings = settings
        self._exchange = Exchange(settings, limiter)

    def close(self) -> None:
        """Close the connections that are kept open."""
        self._exchange.close()

    def get(self, path: str) -> bytes:
        """A whole file of at most `max_request_bytes`, with its length verified.

        Args:
            path: under the base URL, or a full address.

        Raises:
            CrawlError: it could not be had.
        """
        return self._patiently(path, self._get_once)

    def size(self, path: str) -> int | None:
        """Bytes of a file, by the answer to a request for its first byte; None if hidden.

        Raises:
            CrawlError: it could not be had.
        """
        return self._patiently(path, self._size_once)

    def download(self, path: str, destination: Path, *, gzip: bool) -> Download:
        """Stream a file into `destination`, a temporary path that the caller renames.

        With `gzip`, each member's checksum is verified as it passes. A file that arrives
        damaged `max_attempts_corrupt` times is damaged at its source: that is reported by
        `Download.gzip_ok`, and the file is kept for what can be read of it.

        Raises:
            CrawlError: it could not be had with its full length.
            OSError: the destination cannot be written.
        """
        return download_file(self._exchange, self.settings.file_url(path), destination, gzip=gzip)

    def fetch_ranges(self, path: str, ranges: Sequence[ByteRange]) -> Iterator[FetchedRange]:
        """The ranges of one file, each of them one gzip member, as they are due.

        Neighbours share requests. One result comes for each range, in the order given, with
        either a body or a failure.

        Raises:
            CrawlUnreachableError: `max_exhausted_requests` requests in a row used up their
                attempts. The endpoint is down for us, and holes would look like pages that
                do not exist.
        """
        return RangeReader(self._exchange, self.settings.file_url(path), ranges).results()

    def paths_list(self, dump: str, kind: PathKind) -> tuple[str, ...]:
        """The paths of a dump's files, sorted.

        Raises:
            ConfigError: the endpoint has no such list, or what it has is no list of paths.
            CrawlUnreachableError: the endpoint cannot be reached.
        """
        path = _list_path(dump, kind)
        try:
            return parse_paths(self.get(path))
        except (NotOnCrawlError, CrawlRefusedError) as error:
            reason = f"answered {error.status}" if error.status else str(error.failure)
        except DamagedListError as error:
            raise ConfigError(
                f"{self.settings.url_of(path)} came damaged ({error}): give the command again; if "
                "it stays so, the endpoint holds it damaged: set [crawl] base_url to another"
            ) from error
        except ValueError as error:
            reason = f"is not a list of paths ({error})"
        raise ConfigError(
            f"{self.settings.url_of(path)} {reason}: {self.settings.base_url} has no dump {dump} or "
            "is not a crawl: set [crawl] base_url to the address under which crawl-data/ lies"
        )

    def check_reachable(self, dump: str, kind: PathKind) -> None:
        """Ask once for a list of paths, as the first request of a run, before anything starts.

        Whatever the endpoint itself answers, and what may pass (5xx, 429, silence, a body that
        breaks off), is left to the run, which asks again as patiently as the settings say.

        Raises:
            ConfigError: no connection comes about, it is forbidden, or a web page comes instead.
        """
        url = self.settings.url_of(_list_path(dump, kind))
        try:
            body = self._exchange.once(lambda: self._get_once(url))
        except RequestError as error:
            if error.obstacle:
                raise ConfigError(f"{url}: {error.obstacle}") from error
            return
        if body.lstrip().startswith(b"<"):
            raise ConfigError(f"{url}: {Obstacle.PORTAL}")

    def _patiently(self, path: str, once: Callable[[str], Result]) -> Result:
        """What `once` makes of the path's address, asked as often as the settings allow."""
        url = self.settings.url_of(path)
        try:
            return self._exchange.with_retries(url, lambda: once(url))[0]
        except RequestError as error:
            raise crawl_error(url, error) from error

    def _size_once(self, url: str) -> int | None:
        with self._exchange.get(url, {"Range": "bytes=0-0"}) as reply:
            if reply.status == 200:
                return reply.length_bytes
            sent = parse_content_range(reply.headers.get("Content-Range", ""))
            return sent.total if sent else None

    def _get_once(self, url: str) -> bytes:
        with self._exchange.get(url) as reply:
            expected = reply.length_bytes
            body = bytearray()
            for chunk in reply.chunks():
                body += chunk
                if max(len(body), expected or 0) > self.settings.max_request_bytes:
                    raise RequestError(
                        FetchFailure.TOO_LARGE, "it is too large to hold in memory", again=False
                    )
                if len(body) == expected:
                    break
            if expected not in (None, len(body)):
                raise RequestError(FetchFailure.SHORT_BODY, "its body was short", status=200)
            return bytes(body)


def _list_path(dump: str, kind: PathKind) -> str:
    return f"crawl-data/CC-MAIN-{dump}/{kind}.paths.gz"


class DamagedListError(ValueError):
    """A list of paths begins as gzip does, and cannot be unpacked."""


def parse_paths(body: bytes) -> tuple[str, ...]:
    """The lines of a gzipped list of paths, sorted.

    >>> parse_paths(gzip_format.compress(b"crawl-data/b.gz\\ncrawl-data/a.gz\\n"))
    ('crawl-data/a.gz', 'crawl-data/b.gz')

    Raises:
        DamagedListError: it is gzip, cut short or damaged.
        ValueError: it is not gzip, empty, or has a line that is no relative path.
    """
    try:
        text = gzip_format.decompress(body).decode("ascii", "replace")
    except (gzip_format.BadGzipFile, EOFError, zlib.error) as error:
        if body.startswith(_GZIP):
            raise DamagedListError(str(error)) from error
        raise ValueError("it is not gzip") from error
    lines = sorted(filter(None, map(str.strip, text.splitlines())))
    if not lines:
        raise ValueError("it is empty")
    for line in lines:
        if not _PATH.fullmatch(line) or ".." in line.split("/"):
            raise ValueError(f"it has the line {line[:60]!r}")
    return tuple(lines)
