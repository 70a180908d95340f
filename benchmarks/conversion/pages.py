"""The pages that the benchmarks of the converters work on."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from skord.sample_crawl.layouts import render_page
from skord.sample_crawl.page_source import bundled_pages

SITE_PAGES = 4


def sample_pages() -> list[bytes]:
    """The pages of the bundled sample crawl, as their servers send them."""
    return [render_page(page)[0] for page in bundled_pages()]


def pages_of(files: Sequence[Path], count: int) -> list[bytes]:
    """Some pages of `*.jsonl.gz` (`id`, `split_key` or `host`, `html` or `html_b64`), by a hash of id.

    At most SITE_PAGES of a site; the sample crawl's where no file is given.
    """
    if not files:
        return sample_pages()[:count]
    order = sorted(
        (hashlib.sha1(record["id"].encode()).hexdigest(), _site(record), record["id"])
        for path in files
        for record in _records(path)
    )
    taken: Counter[str] = Counter()
    wanted: list[str] = []
    for _, site, name in order:
        taken[site] += 1
        if taken[site] <= SITE_PAGES:
            wanted.append(name)
    places = {name: at for at, name in enumerate(wanted[:count])}
    bodies = {
        places[record["id"]]: _body(record)
        for path in files
        for record in _records(path)
        if record["id"] in places
    }
    return [bodies[at] for at in sorted(bodies)]


def _records(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _site(record: dict[str, Any]) -> str:
    return str(record.get("split_key") or record["host"])


def _body(record: dict[str, Any]) -> bytes:
    html = record.get("html")
    if html is None:
        return base64.b64decode(record["html_b64"])
    return str(html).encode("utf-8", "surrogatepass")
