"""What a built crawl weighs a page, beside what Common Crawl published of a real dump.

    make bench-crawl-statistics ARGS="FOLDER"

Published: the announcement of CC-MAIN-2019-09 (February 2019), sums divided by its pages.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import Counter
from pathlib import Path

from benchmarks.measuring import print_table
from pipeline.crawl.cdx import BadCDXLine, cdx_lines, parse_cdx_line
from pipeline.sample_crawl.at_scale.mixture import SCANDINAVIAN

PAGES, HOSTS, FILES = 2.9e9, 50e6, 64_000
TIB = 2**40
PUBLISHED = {
    "WARC, kB a page": 59.86 * TIB / PAGES / 1e3,
    "WET, kB a page": 7.62 * TIB / PAGES / 1e3,
    "non-200 responses, kB a page": 1.79 * TIB / PAGES / 1e3,
    "robots.txt, kB a page": 0.17 * TIB / PAGES / 1e3,
    "index, bytes a page": 0.21 * TIB / PAGES,
    "pages a host": PAGES / HOSTS,
    "pages a file": PAGES / FILES,
}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    found, languages = measured(folder)
    rows = [[name, published, found[name]] for name, published in PUBLISHED.items()]
    print_table(["", "published", "here"], rows)
    wanted = sum(languages[one] for one in SCANDINAVIAN) / languages.total()
    print(f"\n{languages.total():,} pages, {wanted:.2%} in Nordic languages: {dict(languages)}")


def measured(folder: Path) -> tuple[dict[str, float], Counter[str]]:
    """The same figures of a crawl; WARC files in pages that are written in full."""
    languages: Counter[str] = Counter()
    hosts: set[str] = set()
    full: set[str] = set()
    for path in sorted((folder / "truth").glob("*.jsonl.gz")):
        for row in map(json.loads, gzip.decompress(path.read_bytes()).splitlines()):
            languages[row["language"]] += 1
            hosts.add(row["url"].split("/")[2])
            if row["language"] in SCANDINAVIAN:
                full.add(row["url"])
    in_full = 0
    for path in folder.rglob("cdx-*.gz"):
        with path.open("rb") as file:
            for line in cdx_lines(file, Counter()):
                try:
                    capture = parse_cdx_line(line)
                except BadCDXLine:
                    continue
                in_full += capture.length if capture.url in full else 0
    pages = languages.total()
    subsets = {name: _bytes(folder, name) for name in ("wet", "crawldiagnostics", "robotstxt")}
    index = sum(path.stat().st_size for path in folder.rglob("cdx-*.gz"))
    return {
        "WARC, kB a page": in_full / max(len(full), 1) / 1e3,
        "WET, kB a page": subsets["wet"] / pages / 1e3,
        "non-200 responses, kB a page": subsets["crawldiagnostics"] / pages / 1e3,
        "robots.txt, kB a page": subsets["robotstxt"] / pages / 1e3,
        "index, bytes a page": index / pages,
        "pages a host": pages / len(hosts),
        "pages a file": pages / len(list(folder.rglob("wet/*.gz"))),
    }, languages


def _bytes(folder: Path, subset: str) -> int:
    return sum(path.stat().st_size for path in folder.rglob(f"{subset}/*.gz"))


if __name__ == "__main__":
    main()
