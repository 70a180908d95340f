"""Rows per CPU second of a worker, task by task, in a real run over real pages; and its memory.

    make bench-tasks ARGS="--pages FOLDER"

A miniature crawl is made of the pages and the whole graph run over it, as `skord sample run`
does. Then a process makes the shards of one task again, over and over, as a worker goes from
one to the next, and another makes one shard only: the difference is what rows take once models
are loaded. Tasks with phases before their shards are left out.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import pyarrow.parquet as pq

DUMP = "2024-10"
TASKS = (
    "HashParagraphs",
    "ConvertToMarkdown",
    "ProcessMarkdown",
    "FilterDocuments",
    "ComputeSignatures",
)
ROUNDS = 3
WORKER = """
import sys
from skord.core.work_item import WorkItem, run_item
for number in sys.argv[2:]:
    run_item(WorkItem(sys.argv[1], '{"dump": "%s"}', "shard", int(number)))
"""


class Cost(NamedTuple):
    """Of one process: seconds of CPU, and most memory in MB."""

    cpu_s: float
    peak_mb: float


def cost_of(command: list[str], settings: Path) -> Cost:
    """Run it to its end, which must be a good one."""
    environment = {**os.environ, "LUIGI_CONFIG_PATH": str(settings), "OMP_NUM_THREADS": "1"}
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) as process:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
    return Cost(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--pages", type=Path, help="a folder of HTML pages; the bundled ones")
    parser.add_argument("--sample", type=Path, help="where `skord sample run` has run already")
    parser.add_argument("--languages", default="", help="of the pages, such as en,de")
    parser.add_argument("--runs", type=int, default=3)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bench-tasks-") as work:
        sample = args.sample or Path(work, "sample")
        if not args.sample:
            source = ["--source", str(args.pages.absolute())] if args.pages else []
            wanted = ["--languages", args.languages] if args.languages else []
            command = [sys.executable, "-m", "pipeline", "sample", "run", str(sample)]
            command += [*source, *wanted]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        for task in TASKS:
            print(line_of(task, sample, args.runs))


def line_of(task: str, sample: Path, runs: int) -> str:
    """What one task took: medians over the runs."""
    settings = sample / "luigi.cfg"
    shards = sorted((sample / "data" / task / DUMP).glob("[0-9]*.parquet"))
    rows = sum(pq.read_metadata(path).num_rows for path in shards)
    words = [sys.executable, "-c", WORKER % DUMP, task]
    numbers = list(map(str, range(len(shards))))
    ends = {"start": numbers[:0], "one": numbers[:1], "all": numbers[:1] + numbers * ROUNDS}
    costs = {
        name: [cost_of([*words, *some], settings) for _ in range(runs)]
        for name, some in ends.items()
    }
    start_s, one_s, all_s = (statistics.median(c.cpu_s for c in made) for made in costs.values())
    peak_mb = max(cost.peak_mb for cost in costs["all"])
    return (
        f"{task}: {rows * ROUNDS / (all_s - one_s):,.0f} rows/s of CPU; a process {start_s:.2f} s, "
        f"its first shard, of {rows // len(shards)} rows, {one_s - start_s:.2f} s; "
        f"peak {peak_mb:.0f} MB"
    )


if __name__ == "__main__":
    main()
