"""What a task of 10,000 shards costs its driver, and the person who asks how it stands.

    python -m benchmarks slurm-10000 [--runs 3]

Simulated are the store and the work; the commands, the files and Slurm are real. The tasks
above FilterDocuments, whose fingerprint takes the longest to work out, are complete by manifests
alone. Its 10,000 items are submitted to a private cluster that allows arrays of 1001
places, so each array task gets ten. The cluster's nodes are drained, so no place ever starts;
instead the benchmark puts the shards in place, as links to one file, and cancels the array.
Measured, each as the whole command that a person types:

    submission   from the start of `python -m luigi` until sbatch has accepted the array,
                 with no shard in place, and with every second one
    status       `python -m pipeline status` while the array is queued, with no shard in
                 place, and with all but one
    memory       the most that the driver held from its start to the task's seal
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import time
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from statistics import median

from benchmarks.measuring import BenchmarkError, Command, Spent, print_table
from benchmarks.slurm.runs import DUMP, Runs, in_own_folder
from benchmarks.slurm.simulated_store import SHARD_FILE
from skord.slurm.testbed.cluster import Testbed
from skord.slurm.testbed.configuration import Settings

SHARDS = 10_000
MODULE, TASK = "pipeline.quality_filtering", "FilterDocuments"

LIMITS = {
    "submission, no shard in place, s": 5.0,
    "submission, every second in place, s": 5.0,
    "status, no shard in place, s": 2.0,
    "status, all but one in place, s": 2.0,
    "driver's peak memory, MB": 200.0,
}

STATUS_CPU = "CPU, all but one in place, s"
"""Of the same command; on a machine that others use, the wall time is theirs too."""

Figures = defaultdict[str, list[float]]


def put(runs: Runs, numbers: Iterable[int]) -> None:
    """Put shards in place, as if items had made them."""
    made = Path(runs.store.storage.full(SHARD_FILE))
    for number in numbers:
        path = Path(runs.store.storage.full(runs.store.path(TASK, number)))
        if not path.exists():
            path.hardlink_to(made)


def empty(runs: Runs) -> None:
    """Remove the task's shards and its seal."""
    folder = Path(runs.store.storage.full(runs.store.folder(TASK)))
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)


def submission(runs: Runs, name: str) -> tuple[Command, float]:
    """Start a driver; returns it, and the seconds until sbatch had accepted its array."""
    before = runs.last_attempt(TASK)
    started = time.time()
    driver = runs.luigi(name, MODULE, TASK)
    while (attempt := runs.last_attempt(TASK)) == before or not attempt or not attempt.job_id:
        if driver.over():
            driver.end()
            raise BenchmarkError(f"nothing was submitted:\n{driver.output.read_text()}")
        time.sleep(0.05)
    noted = json.loads((attempt.folder / "job.json").read_text())["noted"]
    array_tasks = len(attempt.manifest.groups)
    if array_tasks > 1001:
        raise BenchmarkError(f"an array of {array_tasks} places")
    return driver, noted - started


def finish(runs: Runs, driver: Command) -> float:
    """Have the driver see all shards in place and its array gone; returns its memory."""
    attempt = runs.last_attempt(TASK)
    put(runs, range(SHARDS))
    runs.bed.run("scancel", attempt.job_id if attempt else "")
    spent = driver.end()
    if runs.store.manifest(TASK) is None:
        raise BenchmarkError(f"the driver did not seal:\n{driver.output.read_text()}")
    return spent.peak_mb


def status(runs: Runs, done: int) -> Spent:
    """Ask how things stand; checks that the answer is right."""
    command = runs.start("status", "pipeline", "status", "--dump", DUMP)
    spent = command.end()
    (line,) = [x for x in command.output.read_text().splitlines() if x.startswith(TASK)]
    if line.split()[2] != f"{done:,}" or "pending" not in command.output.read_text():
        raise BenchmarkError(f"status is wrong:\n{command.output.read_text()}")
    return spent


def cycle(runs: Runs, turn: int, figures: Figures) -> None:
    """Two drivers, the one with nothing in place and the other with half of the shards."""
    none, half, status_none, status_most, memory = (figures[name] for name in LIMITS)
    empty(runs)
    driver, seconds = submission(runs, f"driver-{turn}")
    none.append(seconds)
    status_none.append(status(runs, 0).wall_s)
    put(runs, range(1, SHARDS))
    spent = status(runs, SHARDS - 1)
    status_most.append(spent.wall_s)
    figures[STATUS_CPU].append(spent.cpu_s)
    memory.append(finish(runs, driver))

    empty(runs)
    put(runs, range(0, SHARDS, 2))
    driver, seconds = submission(runs, f"driver-{turn}-half")
    half.append(seconds)
    memory.append(finish(runs, driver))


def measure(runs: Runs, number: int) -> Figures:
    """All figures of all runs, by name."""
    figures: Figures = defaultdict(list)
    runs.start("seal", "benchmarks.slurm.simulated_store", TASK, str(SHARDS)).end()
    for turn in range(number):
        cycle(runs, turn, figures)
        print(f"{turn + 1}:", {name: round(results[-1], 1) for name, results in figures.items()})
    return figures


def report(figures: Figures) -> bool:
    """Print the table and the line; returns whether every limit was kept."""
    results = {name: median(figures[name]) for name in LIMITS}
    cpu_s = figures[STATUS_CPU]
    over = [name for name, limit in LIMITS.items() if results[name] > limit]
    print_table(
        ("10,000 shards, 1,000 places", "at most", "median", "worst"),
        [
            *((name, limit, results[name], max(figures[name])) for name, limit in LIMITS.items()),
            (f"status, {STATUS_CPU}", "", median(cpu_s), max(cpu_s)),
        ],
    )
    first, half, none, all_but_one, memory = results.values()
    print(
        f"slurm-10000: submission {max(first, half):.1f} s, status {max(none, all_but_one):.1f} s, "
        f"driver {memory:.0f} MB; " + (f"OVER: {', '.join(over)}" if over else "all limits kept")
    )
    return not over


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks slurm-10000", description=__doc__)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args(arguments)

    def measured(folder: Path) -> bool:
        with Testbed(folder / "bed", Settings(nodes=4)) as bed:
            names = ",".join(bed.nodes)
            bed.run("scontrol", "update", f"NodeName={names}", "State=DRAIN", "Reason=benchmark")
            figures = measure(Runs(folder, bed, SHARDS), options.runs)
        return report(figures)

    return in_own_folder(measured)


if __name__ == "__main__":
    sys.exit(main())
