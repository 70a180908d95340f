"""Ways from a page's bytes to Markdown, charset and cleaning included, and what each costs.

The published way is BeautifulSoup without scripts and one pandoc process for each page; the
others are this project's. All convert the same pages in turn, page by page, so that a busy
machine weighs on all of them alike; what is counted is CPU seconds, of a process's children too.
"""

from __future__ import annotations

import argparse
import importlib
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from benchmarks.conversion.pages import pages_of
from benchmarks.measuring import BenchmarkError, measured, print_table
from skord.core.failures import DocumentError
from skord.html.charset.decode import decode
from skord.html.converter import convert_page, find_pandoc

PUBLISHED_FILTER = Path(__file__).with_name("published_links.lua")

TIMEOUT_S = 60
FIRST_WITH_SANDBOX = (2, 15)


class Way(NamedTuple):
    """A way to convert, and the CPU seconds that its other processes have used so far."""

    name: str
    convert: Callable[[bytes], str]
    others_cpu_s: Callable[[], float]


class Cost(NamedTuple):
    """What one page cost one way; `markdown` is None where it failed."""

    cpu_s: float
    markdown: str | None


def published(pandoc: Path) -> Way:
    """BeautifulSoup, charset_normalizer and a process for each page.

    Raises:
        BenchmarkError: a package of the published way is missing.
    """
    try:
        soup = importlib.import_module("bs4").BeautifulSoup
        guess = importlib.import_module("charset_normalizer").from_bytes
    except ImportError as error:
        raise BenchmarkError(f"{error}: pip install beautifulsoup4 charset-normalizer") from error
    command = [str(pandoc), *_published_options(pandoc), f"--lua-filter={PUBLISHED_FILTER}"]

    def convert(body: bytes) -> str:
        page: Any = soup(str(guess(body).best()), "html.parser")
        for script in page.find_all("script"):
            script.decompose()
        done = subprocess.run(
            command,
            input=str(page).encode("utf-8", "replace"),
            capture_output=True,
            check=True,
            timeout=TIMEOUT_S,
        )
        return done.stdout.decode("utf-8", "replace")

    return Way(f"published, pandoc {pandoc_version_of(pandoc)}", convert, _ended_children_cpu_s)


def pandoc_version_of(pandoc: Path) -> str:
    """A pandoc's version; of one that this project would not use, too."""
    words = [str(pandoc), "--version"]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()[1]


def _published_options(pandoc: Path) -> list[str]:
    numbers = tuple(map(int, pandoc_version_of(pandoc).split(".")))
    headings = "--markdown-headings=atx" if numbers >= (2, 11, 2) else "--atx-headers"
    sandbox = ["--sandbox"] if numbers >= FIRST_WITH_SANDBOX else []
    return ["--from=html", "--to=gfm-raw_html", "--wrap=none", headings, *sandbox]


def own(name: str, pandoc: Path | None) -> Way:
    """This project's way: cleaned pages, by its own converter or by a call of pandoc."""

    def convert(body: bytes) -> str:
        return convert_page(decode(body, None).text, pandoc=pandoc)

    return Way(name, convert, _ended_children_cpu_s)


def _ended_children_cpu_s() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def cost(way: Way, body: bytes) -> Cost:
    """Convert one page."""
    others_before_s, before_s = way.others_cpu_s(), time.thread_time()
    try:
        markdown = way.convert(body)
    except (DocumentError, subprocess.SubprocessError):
        markdown = None
    own_s = time.thread_time() - before_s
    return Cost(own_s + way.others_cpu_s() - others_before_s, markdown)


def parsed(description: str) -> argparse.Namespace:
    """The options that all these benchmarks have."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--peer", type=Path, help="pandoc of the published way; the bundled one")
    parser.add_argument("--pages", type=Path, nargs="*", default=[], help="*.jsonl.gz")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--alone", default="", help=argparse.SUPPRESS)
    return parser.parse_args()


def ways(chosen: argparse.Namespace) -> dict[str, Way]:
    """All ways, ready to convert."""
    pandoc = find_pandoc()
    return {
        "published": published(chosen.peer or pandoc),
        "pandoc": own("pandoc", pandoc),
        "fast": own("fast", None),
    }


def compare(module: str, chosen: argparse.Namespace, names: Sequence[str]) -> list[list[Cost]]:
    """Measure some ways in turn and print a table; the first is the one the others are set against.

    Returns:
        For each page, the cost of each way.
    """
    pages = pages_of(chosen.pages, chosen.count)
    all_ways = ways(chosen)
    picked = [all_ways[name] for name in names]
    for way in picked:
        cost(way, pages[0])
    costs = [[cost(way, body) for way in picked] for body in pages]
    totals = [sum(page[at].cpu_s for page in costs) for at in range(len(names))]
    rows = []
    for at, way in enumerate(picked):
        each_ms = median(page[at].cpu_s for page in costs) * 1e3
        failed = sum(page[at].markdown is None for page in costs)
        mean_ms = totals[at] / len(costs) * 1e3
        figures = [mean_ms, each_ms, totals[0] / totals[at], median_ratio(costs, at), failed]
        rows.append([way.name, *figures, _peak_mb(module, chosen, names[at])])
    kilobytes = sum(map(len, pages)) / len(pages) / 1e3
    print(f"{len(pages)} pages, {kilobytes:.0f} kB of HTML on average; CPU of all processes\n")
    head = ["way", "mean ms", "median ms", "× in all", "× median page", "failed", "peak MB"]
    print_table(head, rows)
    return costs


def median_ratio(costs: Sequence[Sequence[Cost]], at: int) -> float:
    """How many times less CPU one way takes than the first, on the median page."""
    return median(page[0].cpu_s / page[at].cpu_s for page in costs)


def convert_alone(chosen: argparse.Namespace) -> None:
    """Convert all pages one way, so that the process's peak memory is that way's own."""
    way = ways(chosen)[chosen.alone]
    for body in pages_of(chosen.pages, chosen.count):
        cost(way, body)


def _peak_mb(module: str, chosen: argparse.Namespace, name: str) -> float:
    peer = ["--peer", str(chosen.peer)] if chosen.peer else []
    words = [sys.executable, "-m", module, *peer, "--count", str(chosen.count), "--alone", name]
    words += ["--pages", *(str(path.resolve()) for path in chosen.pages)] if chosen.pages else []
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        return measured(words, environment, Path(folder), name).peak_mb
