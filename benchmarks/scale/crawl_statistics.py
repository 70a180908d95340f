"""What a built crawl is like, beside what was published of real dumps.

    make bench-crawl-statistics ARGS="FOLDER"

Published: of CC-MAIN-2019-09 the announcement (sums divided by its pages) and the size of its
plain text (CCNet, arXiv 1911.00359); of CC-MAIN-2024-10 the tables of cc-crawl-statistics: pages,
hosts, languages, charsets, duplicates, and what became of fetches.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.measuring import print_table
from skord.crawl.cdx import BadCDXLine, Capture, cdx_lines, parse_cdx_line
from skord.crawl.warc.wet import BadRecord, read_wet
from skord.sample_crawl.at_scale.mixture import SCANDINAVIAN

PAGES_2019, TIB = 2.9e9, 2**40
PAGES, URLS, DIGESTS, HOSTS = 3_106_525_566, 3_081_216_032, 3_005_351_878, 46_400_316
"""Of CC-MAIN-2024-10."""

FETCHED, NOT_MODIFIED, REDIRECTS, FAILED, DENIED = 72.305, 0.391, 9.490, 5.288, 3.874
"""Percent of that crawl's fetches. Failed are also those without an answer, which no file holds."""

NORDIC = {"sv": 0.6494, "da": 0.4094, "nb": 0.3197, "nn": 0.0138, "is": 0.0399, "fo": 0.0041}
"""Percent of that crawl's pages."""

UTF_8, LATIN_1, UNKNOWN = 94.0329, 2.3258, 1.7
"""The same of charsets."""

PUBLISHED = {
    "WARC, kB a page (gzip)": 59.86 * TIB / PAGES_2019 / 1e3,
    "WARC, kB a page (plain)": 225 * TIB / PAGES_2019 / 1e3,
    "text, kB a page (plain)": 24e12 / PAGES_2019 / 1e3,
    "WET, kB a page (gzip)": 7.62 * TIB / PAGES_2019 / 1e3,
    "other responses, kB a page": 1.79 * TIB / PAGES_2019 / 1e3,
    "robots.txt, kB a page": 0.17 * TIB / PAGES_2019 / 1e3,
    "index, bytes a page": 0.21 * TIB / PAGES_2019,
    "pages a host": PAGES / HOSTS,
    "pages with the bytes of another, %": 100 * (1 - DIGESTS / PAGES),
    "captures of an address again, %": 100 * (1 - URLS / PAGES),
    "redirects a page": REDIRECTS / FETCHED,
    "errors and refusals a page": (FAILED + DENIED) / FETCHED,
    "not modified, a page": NOT_MODIFIED / FETCHED,
    "UTF-8, % of charsets that are known": 100 * UTF_8 / (100 - UNKNOWN),
    "ISO-8859-1, the same": 100 * LATIN_1 / (100 - UNKNOWN),
    **{
        f"{name}, % of Nordic": 100 * share / sum(NORDIC.values()) for name, share in NORDIC.items()
    },
}


PLAIN = 500
"""Records that are unpacked for their size."""


@dataclass
class Seen:
    """What is counted of a crawl."""

    counts: Counter[str] = field(default_factory=Counter)
    hosts: set[str] = field(default_factory=set)
    urls: set[str] = field(default_factory=set)
    digests: set[str] = field(default_factory=set)
    full: set[str] = field(default_factory=set)
    places: list[Capture] = field(default_factory=list)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    here = measured(folder)
    print_table(
        ["", "published", "here"],
        [[name, published, here[name]] for name, published in PUBLISHED.items()],
    )


def measured(folder: Path) -> dict[str, float]:
    """The same figures of a crawl; WARC records in pages that are written in full."""
    seen = Seen()
    for row in _truths(folder):
        _count_truth(row, seen)
    for capture in _captures(folder):
        _count_capture(capture, seen)
    pages, full = seen.counts["pages"], max(len(seen.full), 1)
    nordic = max(sum(seen.counts[name] for name in SCANDINAVIAN), 1)
    sizes = {name: _bytes(folder, name) for name in ("wet", "crawldiagnostics", "robotstxt")}
    index = sum(path.stat().st_size for path in folder.rglob("cdx-*.gz"))
    return {
        "WARC, kB a page (gzip)": seen.counts["in full"] / full / 1e3,
        "WARC, kB a page (plain)": _plain_bytes(folder, seen.places[:PLAIN]) / 1e3,
        "text, kB a page (plain)": _text_bytes(folder) / 1e3,
        "WET, kB a page (gzip)": sizes["wet"] / pages / 1e3,
        "other responses, kB a page": sizes["crawldiagnostics"] / pages / 1e3,
        "robots.txt, kB a page": sizes["robotstxt"] / pages / 1e3,
        "index, bytes a page": index / pages,
        "pages a host": pages / len(seen.hosts),
        "pages with the bytes of another, %": 100 * (1 - len(seen.digests) / pages),
        "captures of an address again, %": 100 * (1 - len(seen.urls) / pages),
        "redirects a page": (seen.counts["301"] + seen.counts["302"]) / pages,
        "errors and refusals a page": sum(seen.counts[n] for n in ("403", "404", "500")) / pages,
        "not modified, a page": seen.counts["304"] / pages,
        "UTF-8, % of charsets that are known": 100 * seen.counts["utf-8"] / pages,
        "ISO-8859-1, the same": 100 * seen.counts["iso-8859-1"] / pages,
        **{f"{name}, % of Nordic": 100 * seen.counts[name] / nordic for name in NORDIC},
    }


def _truths(folder: Path) -> Iterator[Mapping[str, Any]]:
    for path in sorted((folder / "truth").glob("*.jsonl.gz")):
        yield from map(json.loads, gzip.decompress(path.read_bytes()).splitlines())


def _count_truth(row: Mapping[str, Any], seen: Seen) -> None:
    seen.counts["pages"] += 1
    seen.counts[row["language"]] += 1
    seen.counts[row["charset"]] += 1
    seen.hosts.add(row["url"].split("/")[2])
    if row["language"] in SCANDINAVIAN:
        seen.full.add(row["url"])


def _captures(folder: Path) -> Iterator[Capture]:
    for path in folder.rglob("cdx-*.gz"):
        with path.open("rb") as file:
            for line in cdx_lines(file, Counter()):
                try:
                    yield parse_cdx_line(line)
                except BadCDXLine:
                    continue


def _count_capture(capture: Capture, seen: Seen) -> None:
    if "/warc/" not in capture.filename:
        seen.counts[str(capture.status)] += 1
        return
    seen.urls.add(capture.url)
    seen.digests.add(capture.digest)
    if capture.url in seen.full:
        seen.counts["in full"] += capture.length
        seen.places.append(capture)


def _plain_bytes(folder: Path, captures: Sequence[Capture]) -> float:
    """Mean bytes of records, unpacked."""
    total = 0
    for capture in captures:
        with (folder / capture.filename).open("rb") as file:
            file.seek(capture.offset)
            total += len(gzip.decompress(file.read(capture.length)))
    return total / max(len(captures), 1)


def _text_bytes(folder: Path) -> float:
    """Mean bytes of a page's text in the first WET files."""
    texts = []
    for path in sorted(folder.rglob("*.warc.wet.gz"))[:3]:
        with path.open("rb") as file:
            texts += [len(page.block) for page in read_wet(file) if not isinstance(page, BadRecord)]
    return sum(texts) / len(texts)


def _bytes(folder: Path, subset: str) -> int:
    return sum(path.stat().st_size for path in folder.rglob(f"{subset}/*.gz"))


if __name__ == "__main__":
    main()
