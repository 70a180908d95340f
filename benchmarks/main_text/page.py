"""CPU of a page from bytes to its main text, beside other extractors, and by part.

    make bench-page
    make bench-page ARGS="--pages FOLDER --count 300" PEERS="trafilatura resiliparse"

Here are two ways: `skord.extract`, one page after another, and the tasks ConvertToMarkdown and
ProcessMarkdown over batches of fetched records, whose columns (context of lines, links,
probabilities, Arrow) are made besides. The others read the bytes themselves, with the settings
of `benchmarks.main_text.extraction`; one that is not installed is left out by name. Pages are
those of the folder's `*.jsonl.gz` by a hash of their ids (`conversion.pages`), without those above
LARGEST_KB, by which 300 of them have 80 kB in the mean. Ways take turns, a batch each, and of each
batch the median round counts. The first pages, which load models, are not measured.
"""

from __future__ import annotations

import argparse
import io
import os
import statistics
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from benchmarks.conversion.pages import pages_of
from benchmarks.main_text.extraction import extractors
from benchmarks.measuring import print_table
from pipeline.markdown_processing import ProcessMarkdown
from pipeline.warc_processing import ConvertToMarkdown
from skord.core.failures import ConfigError, DocumentError
from skord.html.charset.decode import in_utf8
from skord.html.converter import read_page_and_convert
from skord.html.line_context import context_of_words
from skord.markdown.extraction import extracted
from skord.markdown.plain_lines import plain_page
from skord.models.line_classifier.load import load_line_classifier
from skord.models.line_classifier.network import network_logits
from skord.native import vector_width
from skord.one_page import extract

PEERS = {"trafilatura": "trafilatura", "readability": "readability-lxml lxml_html_clean",
         "resiliparse": "resiliparse"}  # fmt: skip
"""By name, and what pip installs."""
LARGEST_KB = 300
BATCH = 20
"""Pages of one turn."""
WARM_UP = 5
DUMP = "2024-10"

Batch = Sequence[bytes]
Way = Callable[[Batch], int]
"""From pages' bytes to the number of those that gave text."""


def one_by_one(bodies: Batch) -> int:
    """`skord.extract`."""
    return sum(bool(_text(body)) for body in bodies)


def _text(body: bytes) -> str:
    try:
        return extract(body)
    except DocumentError:
        return ""


def record_of(body: bytes) -> bytes:
    """A page as a WARC file holds it: a gzip member with one response record."""
    results = io.BytesIO()
    headers = [("Content-Type", "text/html")]
    http = StatusAndHeaders("200 OK", headers, protocol="HTTP/1.1")
    writer = WARCWriter(results, gzip=True)
    url = "https://a.example/"
    writer.write_record(
        writer.create_warc_record(url, "response", io.BytesIO(body), http_headers=http)
    )
    return results.getvalue()


def by_tasks(records: dict[bytes, bytes], stack: ExitStack) -> Way:
    """Both tasks over a batch of records, as their shards have them.

    Args:
        records: of each page.
        stack: which ends what the tasks started.
    """
    convert = stack.enter_context(ConvertToMarkdown(dump=DUMP).open_shard(0))
    process = stack.enter_context(ProcessMarkdown(dump=DUMP).open_shard(0))
    reads = ProcessMarkdown.reads[ConvertToMarkdown]

    def run(bodies: Batch) -> int:
        same = [""] * len(bodies)
        fetched = pa.table(
            {
                "FetchHTMLDocuments.record": [records[body] for body in bodies],
                "CCNet.url": same,
                "CCNet.warc_date": same,
                "WARCIndex.warc_file": same,
            }
        )
        converted = convert(fetched)
        good = converted.filter(pc.is_null(converted["failure"]))
        texts = process(
            good.select(reads).rename_columns([f"ConvertToMarkdown.{n}" for n in reads])
        )
        return sum(map(bool, texts["text"].to_pylist()))

    return run


def by_parts(spent: defaultdict[str, float]) -> Way:
    """`skord.extract` step by step.

    Args:
        spent: to which the CPU seconds of each part are added.
    """
    classifier: Any = load_line_classifier("embedded")
    clock = time.process_time

    def text(body: bytes) -> str:
        times = [clock()]
        html = in_utf8(body, None).page
        times.append(clock())
        page, (markdown, _) = read_page_and_convert(html, alone=True)
        times.append(clock())
        context = context_of_words(page.words, markdown, plain=plain_page(markdown))
        times.append(clock())
        shown = classifier.shown(markdown, context)
        times.append(clock())
        network = classifier.with_context if shown.context else classifier.network
        verdicts = network_logits(network, shown.features, shown.context)
        times.append(clock())
        logits = classifier.ruled(shown, verdicts).logits
        times.append(clock())
        columns = extracted(markdown, logits, plain=shown.plain)
        times.append(clock())
        for name, start, end in zip(PARTS, times, times[1:], strict=False):
            spent[name] += end - start
        return str(columns["text"])

    def run(bodies: Batch) -> int:
        kept = 0
        for body in bodies:
            try:
                kept += bool(text(body))
            except DocumentError:
                continue
        return kept

    return run


PARTS = ("charset", "parse, clean, Markdown", "context of lines", "features", "network",
         "rules", "text")  # fmt: skip


def peer(name: str) -> Way:
    """Another extractor, given bytes.

    Raises:
        ConfigError: it is not installed.
    """
    chosen: Any = extractors([name])[name]
    read: Callable[[bytes], Any] = _resiliparse_reader() if name == "resiliparse" else bytes

    def run(bodies: Batch) -> int:
        kept = 0
        for body in bodies:
            try:
                kept += bool(chosen(read(body), None))
            except Exception:  # noqa: BLE001 - whatever it raises, it gave no text
                continue
        return kept

    return run


def _resiliparse_reader() -> Callable[[bytes], str]:
    """Its extraction takes text alone; its own detection makes that."""
    encoding = import_module("resiliparse.parse.encoding")
    return lambda body: str(encoding.bytes_to_str(body, encoding.detect_encoding(body)))


def known_peers(names: Sequence[str]) -> dict[str, Way]:
    """Those that are installed; of the others it is said how to get them."""
    results = {}
    for name in names:
        try:
            results[name] = peer(name)
        except ConfigError:
            print(f"{name} is left out: pip install {PEERS.get(name, name)}", flush=True)
    return results


def measured(
    ways: dict[str, Way], pages: Batch, rounds: int
) -> tuple[dict[str, float], dict[str, int]]:
    """CPU seconds of each way over all pages, and on how many it gave text."""
    seconds: defaultdict[str, float] = defaultdict(float)
    kept: Counter[str] = Counter()
    for first in range(0, len(pages), BATCH):
        batch = pages[first : first + BATCH]
        of_way: dict[str, list[float]] = {name: [] for name in ways}
        for number in range(rounds):
            for name, way in ways.items():
                start = time.process_time()
                texts = way(batch)
                of_way[name].append(time.process_time() - start)
                kept[name] += texts if number == 0 else 0
        for name, its in of_way.items():
            seconds[name] += statistics.median(its)
    return seconds, kept


def beside(ours: float, others: dict[str, float]) -> str:
    """The ratios, each as it is above 1.

    >>> beside(6, {"trafilatura": 37.8, "resiliparse": 3.75})
    "6.3× trafilatura, 1.6× resiliparse's time"
    """
    results = [
        f"{its / ours:.1f}× {name}" if its >= ours else f"{ours / its:.1f}× {name}'s time"
        for name, its in others.items()
    ]
    return ", ".join(results) or "nothing beside it"


def main() -> None:
    """Prints the table of ways, that of parts, and the ratios."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pages", type=Path, default=Path("../shared/data/extraction"))
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--largest-kb", type=int, default=LARGEST_KB)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--peers", nargs="*", default=list(PEERS))
    chosen = parser.parse_args()
    files = sorted(chosen.pages.glob("*.jsonl.gz"))
    if not files:
        parser.error(f"no *.jsonl.gz in {chosen.pages}: name a folder of pages by --pages")
    largest = 1000 * chosen.largest_kb
    pages = [body for body in pages_of(files, 2 * chosen.count) if len(body) <= largest]
    pages = pages[: chosen.count]
    spent: defaultdict[str, float] = defaultdict(float)
    with ExitStack() as stack:
        records = {body: record_of(body) for body in pages}
        others = known_peers(chosen.peers)
        ways: dict[str, Way] = {"skord.extract": one_by_one}
        ways |= {"tasks": by_tasks(records, stack), **others}
        in_parts = by_parts(spent)
        for way in (*ways.values(), in_parts):
            way(pages[:WARM_UP])
        spent.clear()
        seconds, kept = measured({**ways, "by part": in_parts}, pages, chosen.rounds)
    in_ms = 1000 / len(pages)
    rows = [[name, len(pages), kept[name], seconds[name] * in_ms] for name in ways]
    print_table(["way", "pages", "with text", "CPU ms a page"], rows)
    print()
    print_table(["part", "CPU ms a page"], [[n, spent[n] * in_ms / chosen.rounds] for n in PARTS])
    mean_kb = sum(map(len, pages)) / len(pages) / 1000
    print(f"\n{mean_kb:.0f} kB a page; {vector_width()}; load {os.getloadavg()[0]:.1f}")
    print(f"page: {beside(seconds['skord.extract'], {name: seconds[name] for name in others})}")


if __name__ == "__main__":
    main()
