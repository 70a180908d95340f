"""Where WET files are found: a folder or bucket that holds them, or the crawl's endpoint."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import BinaryIO, Protocol, cast

from pipeline.core.storage import Storage
from pipeline.io.http_crawl import Crawl
from pipeline.io.http_failures import NotOnCrawlError
from pipeline.io.raw_files import local_name


class WETSource(Protocol):
    """Opens WET files by their path on the crawl."""

    def open(self, path: str) -> AbstractContextManager[BinaryIO | None]:
        """The file, read forwards; None when there is no such file."""
        ...


class StoredWET:
    """WET files in a folder or bucket, under their path on the crawl or their name alone.

    Both a copy of `crawl-data/` and the `files/` of DownloadWET are such a folder.
    """

    def __init__(self, storage: Storage) -> None:
        self.storage = storage

    @contextlib.contextmanager
    def open(self, path: str) -> Iterator[BinaryIO | None]:
        """The file, or None."""
        for name in (path, local_name(path)):
            if self.storage.exists(name):
                with self.storage.stream(name) as stream:
                    yield cast("BinaryIO", stream)
                return
        yield None


class CrawledWET:
    """WET files fetched from the endpoint, one at a time, and not kept.

    Args:
        crawl: a client of the endpoint.
    """

    def __init__(self, crawl: Crawl) -> None:
        self.crawl = crawl

    @contextlib.contextmanager
    def open(self, path: str) -> Iterator[BinaryIO | None]:
        """The file, or None where the endpoint has none.

        Raises:
            CrawlError: the endpoint could not be reached, or refused.
        """
        with tempfile.TemporaryDirectory() as folder:
            fetched = Path(folder, local_name(path))
            try:
                self.crawl.download(path, fetched, gzip=path.endswith(".gz"))
            except NotOnCrawlError:
                yield None
                return
            with fetched.open("rb") as stream:
                yield stream
