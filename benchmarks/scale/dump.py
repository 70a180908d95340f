"""The whole graph over crawls of growing size: CPU, wall time, memory, bytes and files by task.

    make bench-dump
    make bench-dump ARGS="--pages 10000 100000 1000000 --folder /big/disk"
    make bench-dump PEERS="cc_net=path/to/cc_net sweb=path/to/SWEb"

Crawls are those of `skord sample build --pages N`, 2 % of the pages in Nordic languages. One task
after another is a command of its own, its items in the same process unless `--workers` says
otherwise, so that its CPU and peak memory are all there is; what it takes to start is measured by
giving a complete task's command again, and taken off (what workers take to start is not). Growth
is the exponent e of cost ~ pages^e between one size and the next. The crawl's server runs beside
and is not counted.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import gettempdir

from benchmarks.measuring import measured, print_table
from benchmarks.scale.published import print_comparison, published_costs
from benchmarks.settings import local_run
from skord.native import vector_width
from skord.sample_crawl.at_scale.build import build_part
from skord.sample_crawl.at_scale.mixture import Mixture
from skord.sample_crawl.faults import NO_FAULTS
from skord.sample_crawl.server import CrawlServer

DUMP = "2024-10"
TASKS = {
    "DownloadWET": "cc_net", "HashParagraphs": "cc_net", "CCNet": "cc_net",
    "CCIndex": "warc_processing", "WARCIndex": "warc_processing",
    "FetchHTMLDocuments": "warc_processing", "ConvertToMarkdown": "warc_processing",
    "ProcessMarkdown": "markdown_processing", "FilterDocuments": "quality_filtering",
    "ComputeSignatures": "dedup", "Deduplicate": "dedup",
}  # fmt: skip
"""In the order of the graph, and the module of each."""

PAGES_A_SHARD = 5_000
PARTITIONS = 20
"""As a user has them: as many, however large the dump; each reads a slice of every shard."""

PAGES_A_FILE = 1_000
STEEP = 1.1
"""A larger exponent is said to be one."""

DUMP_PAGES, DUMPS = 3.16e9, 98
"""Pages of CC-MAIN-2024-10, and dumps that SWEb was made of."""

SETTINGS = """\
[DownloadWET]
num_shards_wanted = {shards}
[CCNet]
num_partitions = {partitions}
[Deduplicate]
num_partitions = {partitions}
"""


@dataclass(frozen=True)
class Cost:
    """What one task took of one crawl, its start left out; MB of memory and of results, files."""

    cpu_s: float
    wall_s: float
    peak_mb: float
    result_mb: float
    files: int


def parsed() -> argparse.Namespace:
    """The command line."""
    made = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    made.add_argument("--pages", type=int, nargs="+", default=[10_000, 100_000])
    made.add_argument("--share", type=float, default=0.02)
    made.add_argument("--workers", type=int, default=0, help="of each task; 0: the driver itself")
    made.add_argument("--folder", type=Path, default=Path(gettempdir(), "skord-bench-dump"))
    made.add_argument("--peers", nargs="*", default=[], help="cc_net=PATH sweb=PATH, checkouts")
    made.add_argument("--peer-packages", default="", help="a folder of what cc_net imports")
    made.add_argument("--keep", action="store_true", help="leave crawls and results where they are")
    return made.parse_args()


def run_crawl(pages: int, share: float, folder: Path, workers: int) -> dict[str, Cost]:
    """Every task over a crawl of so many pages; what was measured before is not measured again."""
    done = folder / "costs.json"
    if done.exists():
        return {task: Cost(**cost) for task, cost in json.loads(done.read_text()).items()}
    mix = Mixture(pages, share, "bench", PAGES_A_FILE)
    build_part(mix, folder / "crawl", DUMP)
    with CrawlServer(folder / "crawl", NO_FAULTS) as server:
        shards = max(2, pages // PAGES_A_SHARD)
        more = SETTINGS.format(shards=shards, partitions=PARTITIONS)
        environment = local_run(folder, more, server.url, workers)
        costs = {task: _cost(task, folder, environment) for task in TASKS}
    done.write_text(json.dumps({task: asdict(cost) for task, cost in costs.items()}, indent=1))
    return costs


def _cost(task: str, folder: Path, environment: Mapping[str, str]) -> Cost:
    module = f"pipeline.{TASKS[task]}"
    which = ["--dumps", DUMP] if task == "Deduplicate" else ["--dump", DUMP]
    words = [sys.executable, "-m", "luigi", "--module", module, task, *which]
    spent = measured(words, environment, folder, task)
    again = measured(words, environment, folder, f"{task}-again")
    made = [path for path in (folder / "data" / task).rglob("*") if path.is_file()]
    return Cost(
        max(spent.cpu_s - again.cpu_s, 0.01),
        max(spent.wall_s - again.wall_s, 0.01),
        spent.peak_mb,
        sum(path.stat().st_size for path in made) / 1e6,
        len(made),
    )


def growth(small: float, large: float, ratio: float) -> float:
    """The exponent by which a cost grows with the pages.

    >>> growth(2.0, 20.0, 10.0), round(growth(1.0, 32.0, 10.0), 1)
    (1.0, 1.5)
    """
    return math.log(large / small) / math.log(ratio)


def fetched(folder: Path) -> int:
    """Pages that were selected, and so fetched."""
    manifest = json.loads((folder / f"data/CCNet/{DUMP}/_manifest.json").read_text())
    return int(manifest["rows"])


def print_costs(pages: int, selected: int, costs: Mapping[str, Cost]) -> None:
    """One crawl's table."""
    width, load = vector_width(), os.getloadavg()[0]
    print(f"\n{pages:,} pages, {selected:,} fetched, vectors {width}, load {load:.1f}")
    head = ["task", "CPU s", "wall s", "ms of CPU a page", "peak MB", "result MB", "files"]
    rows = [
        [task, c.cpu_s, c.wall_s, 1000 * c.cpu_s / pages, round(c.peak_mb), c.result_mb, c.files]
        for task, c in costs.items()
    ]
    cpu, wall = (sum(getattr(c, name) for c in costs.values()) for name in ("cpu_s", "wall_s"))
    size, files = sum(c.result_mb for c in costs.values()), sum(c.files for c in costs.values())
    print_table(head, [*rows, ["all", cpu, wall, 1000 * cpu / pages, "", size, files]])


def print_growth(sizes: Sequence[int], costs: Sequence[Mapping[str, Cost]]) -> None:
    """The exponents between each size and the next."""
    for small, large, before, after in zip(sizes, sizes[1:], costs, costs[1:], strict=False):
        print(f"\ngrowth from {small:,} to {large:,} pages: exponents")
        rows = []
        for task in TASKS:
            pairs = [(getattr(before[task], f), getattr(after[task], f)) for f in
                     ("cpu_s", "peak_mb", "result_mb", "files")]  # fmt: skip
            results = [growth(max(a, 1e-6), max(b, 1e-6), large / small) for a, b in pairs]
            rows.append([task, *results, "steep" if results[0] > STEEP else ""])
        print_table(["task", "CPU", "memory", "bytes", "files", ""], rows)


def print_whole_dump(pages: int, costs: Mapping[str, Cost]) -> None:
    """What a dump would take at this rate; measured and assumed apart."""
    hours = sum(c.cpu_s for c in costs.values()) / pages * DUMP_PAGES / 3600
    size = sum(c.result_mb for c in costs.values()) / pages * DUMP_PAGES / 1e6
    print(f"\nmeasured: CPU and bytes a page over {pages:,} pages")
    print(f"assumed: the same a page in {DUMP_PAGES:,.0f} pages, cost in proportion, {DUMPS} dumps")
    print(
        f"one dump: {hours:,.0f} core hours, {size:,.1f} TB; all: {DUMPS * hours:,.0f} core hours"
    )


def compare(chosen: argparse.Namespace, pages: int, costs: Mapping[str, Cost]) -> None:
    """The published way over some pages of the largest crawl."""
    folder = chosen.folder.absolute() / f"{pages}-{chosen.share}"
    peers = {name: Path(path) for name, _, path in (one.partition("=") for one in chosen.peers)}
    theirs = published_costs(folder, DUMP, PAGES_A_FILE, peers, chosen.peer_packages)
    cpu_s = {task: cost.cpu_s for task, cost in costs.items()}
    print_comparison(theirs, cpu_s, pages, fetched(folder))


def main() -> None:
    """Measure and print."""
    chosen = parsed()
    sizes = sorted(chosen.pages)
    costs = []
    for pages in sizes:
        folder = chosen.folder.absolute() / f"{pages}-{chosen.share}"
        folder.mkdir(parents=True, exist_ok=True)
        costs.append(run_crawl(pages, chosen.share, folder, chosen.workers))
        print_costs(pages, fetched(folder), costs[-1])
    print_growth(sizes, costs)
    print_whole_dump(sizes[-1], costs[-1])
    if chosen.peers:
        compare(chosen, sizes[-1], costs[-1])
    if not chosen.keep:
        shutil.rmtree(chosen.folder)


if __name__ == "__main__":
    main()
