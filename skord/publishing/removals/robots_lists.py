"""Archived robots.txt files: out of WARC files, out of a crawl's own subset of them, or plain."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from skord.core.failures import ConfigError, DocumentError
from skord.crawl.http.client import Crawl, CrawlError, parse_paths
from skord.crawl.robots import MAX_BYTES, robots_text
from skord.crawl.warc.records import BadRecord, WARCRecord, iter_warc, response_of
from skord.publishing.removals.requests import Entry, robots_entries


def entries_of_warc(path: Path, agents: Sequence[str]) -> Iterator[Entry]:
    """What the robots.txt files in a WARC file forbid; only answers with status 200 count."""
    try:
        for record in iter_warc(path):
            if not isinstance(record, BadRecord) and record.header("WARC-Type") == "response":
                yield from _entries(record, agents)
    except OSError as error:
        raise ConfigError(f"{path} cannot be read ({error})") from error


def _entries(record: WARCRecord, agents: Sequence[str]) -> list[Entry]:
    try:
        response = response_of(record, MAX_BYTES * 20)
        is_robots = response.status == 200 and response.url.split("?")[0].endswith("/robots.txt")
        text = robots_text(response.body)
        return robots_entries(response.url, text, agents) if is_robots else []
    except (DocumentError, ValueError):  # one that cannot be read forbids nothing
        return []


def entries_of_crawl(crawl: Crawl, dump: str, agents: Sequence[str]) -> Iterator[Entry]:
    """What all robots.txt files of a dump forbid; its files come one after another.

    Raises:
        ConfigError: the endpoint has no list of such files.
        CrawlError: a file could not be had.
    """
    listed = f"crawl-data/CC-MAIN-{dump}/robotstxt.paths.gz"
    try:
        paths = parse_paths(crawl.get(listed))
    except (CrawlError, ValueError) as error:
        raise ConfigError(f"{listed} cannot be had ({error}): check [crawl] base_url") from error
    with tempfile.TemporaryDirectory() as folder:
        for path in paths:
            file = Path(folder, "robots.warc.gz")
            crawl.download(path, file, gzip=True)
            yield from entries_of_warc(file, agents)


def entries_of_text(site: str, path: Path, agents: Sequence[str]) -> list[Entry]:
    """What one robots.txt at hand forbids on a site."""
    try:
        text = robots_text(path.read_bytes())
        return robots_entries(site if "//" in site else f"https://{site}", text, agents)
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path} for {site}: {error}") from error
