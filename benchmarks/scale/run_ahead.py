"""What it gains to carry a shard on to the next tasks before the other shards are there.

    python -m benchmarks run-ahead [--runs 3] [--shards 4]

FilterDocuments and all before it over the bundled sample crawl, with `[executor] run_ahead` off
and on, in turns: by the pool of processes of this machine, and as job arrays of a private cluster
of four nodes on it. Wall time of the whole command, as people wait for it; the files of both sides
are compared byte by byte. A local run's CPU is that of the driver and its workers; what Slurm's
array tasks take is not in the driver's.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections import defaultdict
from pathlib import Path
from statistics import median

from benchmarks.measuring import BenchmarkError, digests, print_table
from benchmarks.slurm.runs import DUMP, Runs, in_own_folder
from skord.cli.sample import build
from skord.sample_crawl.server import CrawlServer
from skord.slurm.testbed.cluster import Testbed
from skord.slurm.testbed.configuration import Settings

MODULE, TASK = "pipeline.quality_filtering", "FilterDocuments"
EXECUTORS = ("local", "slurm")
SETTINGS = "[CCNet]\nnum_partitions = 4\n"


def measure(runs: Runs, number: int) -> dict[tuple[str, bool], list[tuple[float, float]]]:
    """Wall and CPU seconds of every run, by executor and setting."""
    results: defaultdict[tuple[str, bool], list[tuple[float, float]]] = defaultdict(list)
    made: dict[str, str] = {}
    for turn in range(number):
        for kind in EXECUTORS:
            for ahead in (False, True) if turn % 2 == 0 else (True, False):
                for name in ("data", "logs"):
                    shutil.rmtree(runs.folder / name, ignore_errors=True)
                words = ("--executor-kind", kind, "--executor-run-ahead", str(ahead).lower())
                spent = runs.luigi(f"{kind}-{ahead}-{turn}", MODULE, TASK, *words).end()
                results[kind, ahead].append((spent.wall_s, spent.cpu_s))
                made = made or digests(runs.folder / "data")
                if digests(runs.folder / "data") != made:
                    raise BenchmarkError(f"{kind}, run_ahead = {ahead}: other files")
                print(f"{kind}, run_ahead = {ahead}: {spent.wall_s:.1f} s", flush=True)
    return results


def report(results: dict[tuple[str, bool], list[tuple[float, float]]]) -> None:
    """Print the table and the line."""
    rows = []
    ratios = []
    for kind in EXECUTORS:
        off, on = (median(wall for wall, _ in results[kind, ahead]) for ahead in (False, True))
        rows.append((f"{kind}, wall s", off, on, on / off))
        ratios.append(f"{kind} {on / off:.2f}×")
    off, on = (median(cpu for _, cpu in results["local", ahead]) for ahead in (False, True))
    rows.append(("local, CPU s", off, on, on / off))
    print_table(("", "off", "on", "ratio"), rows)
    runs = len(results["local", True])
    print(f"run-ahead: wall time {', '.join(ratios)} (medians of {runs} runs, equal bytes)")


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks run-ahead", description=__doc__)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--shards", type=int, default=4)
    options = parser.parse_args(arguments)

    def measured(folder: Path) -> bool:
        build(folder / "crawl", [], DUMP)
        with (
            CrawlServer(folder / "crawl") as server,
            Testbed(folder / "bed", Settings(nodes=4, cpus=1)) as bed,
        ):
            runs = Runs(folder, bed, options.shards, url=server.url, more=SETTINGS)
            report(measure(runs, options.runs))
        return True

    return in_own_folder(measured)


if __name__ == "__main__":
    sys.exit(main())
