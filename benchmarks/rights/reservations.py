"""What finding reservations costs a page, beside reading its record.

    python -m benchmarks reservations [--data ../shared/data] [--pages 1000] [--rounds 3]

CPU time of `page_reservations` (headers and markup) and of `SiteStatements.reservations` (a
robots.txt of twenty rules with wildcards, read before, for thirteen crawlers) on the HTML pages of
real crawl records, with the headers that came with them, medians of the rounds.
"""

from __future__ import annotations

import argparse
import contextlib
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from statistics import median
from typing import NamedTuple

from benchmarks.measuring import print_table
from pipeline.reservations import AGENTS
from skord.core.failures import DocumentError
from skord.crawl.warc.records import BadRecord, iter_warc, response_of
from skord.rights.page_signals import page_reservations
from skord.rights.site_signals import SiteFiles, site_statements

MAX_BYTES = 10 << 20
"""Of a page; larger ones are passed over."""

ANYWHERE = "http://exempel.se/nyheter/2024/02/a-b"
"""Of a record without an address."""

ROBOTS = "User-agent: *\n" + "".join(f"Disallow: /wp-admin/{n}/*.php$\n" for n in range(20))
ROBOTS += "\nUser-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\n"


class Page(NamedTuple):
    """What was fetched."""

    url: str
    headers: Sequence[tuple[str, str]]
    body: bytes


def pages(data: Path) -> Iterator[Page]:
    """HTML pages of the WARC files among the crawl samples."""
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(data / "crawl" / "crawl_samples.tar.gz") as archive:
            archive.extractall(folder, filter="data")
        for path in sorted(Path(folder).rglob("*.warc*")):
            yield from pages_of(path) if path.is_file() else ()


def pages_of(path: Path) -> Iterator[Page]:
    """Those of one file; it may hold no WARC at all."""
    for record in iter_warc(path):
        if isinstance(record, BadRecord) or record.header("WARC-Type") != "response":
            continue
        with contextlib.suppress(DocumentError, ValueError):
            response = response_of(record, MAX_BYTES)
            if response.status == 200 and b"<html" in response.body[:3000].lower():
                yield Page(record.url() or "", response.http_headers, response.body)


def microseconds(function: Callable[[Page], object], sampled: list[Page], rounds: int) -> float:
    """CPU time of a call, the median of the rounds."""
    spent = []
    for _ in range(rounds):
        start = time.process_time()
        for page in sampled:
            function(page)
        spent.append((time.process_time() - start) / len(sampled) * 1e6)
    return median(spent)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    sampled = list(islice(pages(options.data), options.pages))
    site = site_statements(SiteFiles(robots=ROBOTS), AGENTS)

    def of_page(page: Page) -> object:
        return page_reservations(page.headers, page.body, AGENTS)

    def of_site(page: Page) -> object:
        return site.reservations(page.url or ANYWHERE), site.tdm_at(page.url or ANYWHERE)

    cases: dict[str, Callable[[Page], object]] = {
        "headers and markup": of_page,
        "rules of the site": of_site,
        "both": lambda page: (of_page(page), of_site(page)),
    }
    size = sum(len(page.body) for page in sampled) / len(sampled)
    print(f"{len(sampled)} pages of {size:,.0f} bytes on average")
    rows = [
        (name, f"{microseconds(case, sampled, options.rounds):.1f}") for name, case in cases.items()
    ]
    print_table(["", "µs a page"], rows)


if __name__ == "__main__":
    main()
