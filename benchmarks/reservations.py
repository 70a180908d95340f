"""What finding reservations costs a page, beside reading its record.

    python -m benchmarks.reservations [--data ../shared/data] [--pages 1000] [--rounds 3]

CPU time of `page_reservations` (headers and markup) and of `SiteStatements.reservations` (the
site's robots.txt, read before, for thirteen crawlers) on real pages of `extraction/`, medians of
the rounds; and of unpacking and parsing the record, which the task does first.
"""

from __future__ import annotations

import argparse
import base64
import gzip
import json
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from statistics import median

from benchmarks.measuring import print_table
from pipeline.reservations import AGENTS
from pipeline.rights.page_signals import page_reservations
from pipeline.rights.site_signals import SiteFiles, site_statements

HEADERS = [
    ("Date", "Wed, 21 Feb 2024 05:11:09 GMT"), ("Content-Type", "text/html; charset=utf-8"),
    ("Server", "nginx"), ("Cache-Control", "max-age=60"), ("Vary", "Accept-Encoding"),
    ("Link", '<https://exempel.se/wp-json/>; rel="https://api.w.org/"'),
    ("X-Frame-Options", "DENY"),
    ("Set-Cookie", "a=b; path=/"), ("X-Robots-Tag", "max-image-preview:large"),
]  # fmt: skip
"""Of an ordinary answer."""

ROBOTS = "User-agent: *\n" + "".join(f"Disallow: /wp-admin/{n}/*.php$\n" for n in range(20))
ROBOTS += "\nUser-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\n"


def pages(data: Path) -> Iterator[bytes]:
    """Bodies of real pages, from files in the order of their names, a few of each."""
    for path in sorted(data.joinpath("extraction").glob("*.jsonl.gz")):
        with gzip.open(path) as lines:
            for line in islice(lines, 60):
                row = json.loads(line)
                coded = row.get("html_b64")
                yield base64.b64decode(coded) if coded else row["html"].encode()


def microseconds(function: Callable[[bytes], object], bodies: list[bytes], rounds: int) -> float:
    """CPU time of a call, the median of the rounds."""
    spent = []
    for _ in range(rounds):
        start = time.process_time()
        for body in bodies:
            function(body)
        spent.append((time.process_time() - start) / len(bodies) * 1e6)
    return median(spent)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    bodies = list(islice(pages(options.data), options.pages))
    site = site_statements(SiteFiles(robots=ROBOTS), AGENTS)
    cases: dict[str, Callable[[bytes], object]] = {
        "headers alone": lambda _: page_reservations(HEADERS, b"", AGENTS),
        "headers and markup": lambda body: page_reservations(HEADERS, body, AGENTS),
        "rules of the site": lambda _: site.reservations("https://exempel.se/nyheter/2024/02/a-b"),
    }
    size = sum(map(len, bodies)) / len(bodies)
    print(f"{len(bodies)} pages of {size:,.0f} bytes on average")
    rows = [
        (name, f"{microseconds(case, bodies, options.rounds):.1f}") for name, case in cases.items()
    ]
    print_table(["", "µs a page"], rows)


if __name__ == "__main__":
    main()
