"""Rows per CPU second of a worker, task by task, in a real run over real pages; and its memory.

    make bench-tasks ARGS="--pages FOLDER"

A miniature crawl is made of the pages and the whole graph run over it, as `skord sample run`
does. Then every shard of each task is made once more by a process of its own, the one that an
array job starts (`pipeline.core.run_shard`). CPU is that of the whole process; what it takes to
start one without work is told beside, for a real shard has thousands of rows.
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
    "CCNet",
    "ConvertToMarkdown",
    "ProcessMarkdown",
    "FilterDocuments",
    "ComputeSignatures",
    "Deduplicate",
)
START = "from pipeline.core.registry import task_class; task_class({!r}).get_params()"


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
    start_s = statistics.median(
        cost_of([sys.executable, "-c", START.format(task)], settings).cpu_s for _ in range(runs)
    )
    words = [sys.executable, "-m", "pipeline.core.run_shard", task, f'{{"dump": "{DUMP}"}}']
    made = [
        [cost_of([*words, "shard", str(number)], settings) for number in range(len(shards))]
        for _ in range(runs)
    ]
    cpu_s = statistics.median(sum(cost.cpu_s for cost in run) for run in made)
    work_s = max(cpu_s - start_s * len(shards), 1e-3)
    peak_mb = max(cost.peak_mb for run in made for cost in run)
    return (
        f"{task}: {rows / work_s:,.0f} rows/s of CPU at work, {rows / cpu_s:,.0f} with "
        f"the start of a process for each of {len(shards)} shards of "
        f"{rows // max(len(shards), 1)} rows "
        f"({start_s:.2f} s), peak {peak_mb:.0f} MB"
    )


if __name__ == "__main__":
    main()
