"""Records a second of CPU out of gzipped WET and WARC files: here, by warcio and by fastwarc.

    make bench-warc-framing

Files of made texts, a gzip member for each record, as Common Crawl writes them. Every reader gives
each record's address and the size of its block, which are compared. fastwarc takes part where it
is installed.
"""

from __future__ import annotations

import argparse
import io
import os
import random
import statistics
import time
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from warcio.archiveiterator import ArchiveIterator
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from benchmarks.measuring import print_table
from benchmarks.readers.texts import made_texts
from skord.crawl.warc.framing import BadRecord
from skord.crawl.warc.records import iter_warc
from skord.crawl.warc.wet import read_wet

Found = list[tuple[str | None, int]]
HTTP = StatusAndHeaders("200 OK", [("Content-Type", "text/html")], protocol="HTTP/1.1")


def write_files(folder: Path, records: int) -> dict[str, Path]:
    """A WET file and a WARC file of the same texts."""
    texts = made_texts(random.Random(4), records)
    paths = {kind: folder / f"made.warc.{kind}.gz" for kind in ("wet", "warc")}
    for kind, path in paths.items():
        with path.open("wb") as stream:
            writer = WARCWriter(stream, gzip=True)
            for number, text in enumerate(texts):
                url, payload = f"http://www.site{number}.se/", io.BytesIO(text.encode() * 3)
                if kind == "wet":
                    record = writer.create_warc_record(
                        url, "conversion", payload=payload,
                        warc_headers_dict={"WARC-Refers-To": f"<urn:uuid:{number:036}>"},
                    )  # fmt: skip
                else:
                    record = writer.create_warc_record(url, "response", payload, http_headers=HTTP)
                writer.write_record(record)
    return paths


def by_warcio(path: Path) -> Found:
    """Addresses, and sizes of what stands behind the WARC headers."""
    with path.open("rb") as stream:
        return [
            (record.rec_headers.get_header("WARC-Target-URI"), len(record.raw_stream.read()))
            for record in ArchiveIterator(stream, no_record_parse=True)
        ]


def by_fastwarc(path: Path) -> Found:
    """The same by fastwarc."""
    warc: Any = import_module("fastwarc.warc")
    with path.open("rb") as stream:
        records = warc.ArchiveIterator(stream, parse_http=False)
        return [(r.headers.get("WARC-Target-URI"), len(r.reader.read())) for r in records]


def by_us(path: Path) -> Found:
    """The same here."""
    if ".wet." in path.name:
        with path.open("rb") as stream:
            pages = [page for page in read_wet(stream) if not isinstance(page, BadRecord)]
        return [(page.url, len(page.block)) for page in pages]
    records = [record for record in iter_warc(path) if not isinstance(record, BadRecord)]
    return [(record.header("WARC-Target-URI"), len(record.block)) for record in records]


def main() -> None:
    """Print the table and the ratios."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--records", type=int, default=1500)
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    readers: dict[str, Callable[[Path], Found]] = {"here": by_us, "warcio": by_warcio}
    if find_spec("fastwarc"):
        readers["fastwarc"] = by_fastwarc
    rows, ratios = [], []
    with TemporaryDirectory(prefix="bench-warc-") as folder:
        for kind, path in write_files(Path(folder), args.records).items():
            expected = by_warcio(path)
            rates: dict[str, list[float]] = {name: [] for name in readers}
            for _ in range(args.rounds):
                for name, read in readers.items():
                    start = time.process_time()
                    results = read(path)
                    rates[name].append(args.records / (time.process_time() - start))
                    if results != expected:
                        raise SystemExit(f"{name} reads other records of the {kind} file")
            medians = {name: statistics.median(of_reader) for name, of_reader in rates.items()}
            rows += [[f"{kind}, {name}", rate] for name, rate in medians.items()]
            others = [f"{medians['here'] / medians[n]:.1f}× {n}" for n in medians if n != "here"]
            ratios.append(f"{kind} {', '.join(others)}")
    print_table(["records/s", "median"], rows)
    print(f"warc-framing: {'; '.join(ratios)}; load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
