"""Files of sites out of archived crawl records: which origin, which file, its text."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from skord.core.failures import DocumentError
from skord.crawl.robots import MAX_BYTES, robots_text
from skord.crawl.urls import canonical_origin, path_of
from skord.crawl.warc.records import BadRecord, WARCRecord, iter_warc, response_of
from skord.rights.site_signals import FILES, SiteFiles

SITE_FILES_SCHEMA = pa.schema(
    [
        ("shard", pa.int32()),
        ("origin", pa.string()),
        ("name", pa.string()),
        ("date", pa.string()),
        ("text", pa.string()),
    ]
)
"""A file of a site with pages in a shard: its origin, `robots`, `tdmrep` or `ai`, and WARC-Date."""


def origin_of(url: str) -> str:
    """Scheme, host and port of an address; "" for one that cannot be read."""
    try:
        return canonical_origin(url)
    except ValueError:
        return ""


def files_in_warc(path: Path, wanted: Collection[str]) -> Iterator[dict[str, Any]]:
    """The files of wanted origins in a WARC file; only answers with status 200 count."""
    for record in iter_warc(path):
        if not isinstance(record, BadRecord) and record.header("WARC-Type") == "response":
            origin = origin_of(record.url() or "")
            name = FILES.get(path_of(record.url() or "").partition("?")[0]) if origin else None
            if name and origin in wanted and (text := _text_of(record)) is not None:
                date = record.header("WARC-Date") or ""
                yield {"origin": origin, "name": name, "date": date, "text": text}


def _text_of(record: WARCRecord) -> str | None:
    try:
        response = response_of(record, MAX_BYTES * 20)
    except (DocumentError, ValueError):  # what cannot be read counts for nothing
        return None
    return robots_text(response.body) if response.status == 200 else None


def site_files(rows: Iterable[Mapping[str, Any]]) -> dict[str, SiteFiles]:
    """Origin to its files; of several captures of one file the earliest counts.

    The crawl asked for robots.txt before the pages, so the earliest was in force.

    >>> site_files([{"origin": "https://a.se", "name": "ai", "date": "", "text": "x"}])
    {'https://a.se': SiteFiles(robots=None, tdmrep=None, ai='x')}
    """
    files: dict[str, dict[str, str]] = {}
    for row in sorted(rows, key=lambda one: (one["date"], one["text"])):
        files.setdefault(row["origin"], {}).setdefault(row["name"], row["text"])
    return {origin: SiteFiles(**texts) for origin, texts in files.items()}
