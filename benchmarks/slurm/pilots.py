"""What pilot jobs cost beside the work: very many items that have nothing to do.

    python -m benchmarks slurm-pilots [--items 100000] [--pilots 4]

Every item is a shard of FilterDocuments that is there already (links to a few files): a pilot
takes it from the queue, builds its task from words, reads the shard's footer, says so in its
journal and takes the next; the driver reads the journals and looks at every shard once more.
Store and work are simulated; queue, leases, journals, driver and Slurm (a private cluster of four
nodes on this machine) are real. Measured is the phase's wall time, from the executor's call until
the last report, the driver's filling of the queue and Slurm's starting of the pilots included.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import sys
import time
from pathlib import Path

from benchmarks.measuring import BenchmarkError, print_table
from benchmarks.slurm.runs import DUMP, Runs, in_own_folder
from benchmarks.slurm.simulated_store import SHARD_FILE
from skord.core.config import executor
from skord.core.driver import work_items
from skord.core.registry import task_class
from skord.core.work_item import Resources
from skord.slurm.executor import SlurmExecutor
from skord.slurm.submission.attempts import attempts_in, phase_folder
from skord.slurm.testbed.cluster import Testbed
from skord.slurm.testbed.configuration import Settings

TASK = "FilterDocuments"

LIMIT_MS = 5.0
"""Wall time of one item that has no work, at most."""

LINKS = 30_000
"""Of one file, at most: file systems allow some 65,000."""

SETTINGS = """\
mode = pilot_jobs
max_array = {pilots}
"""


def drive(items: int) -> None:
    """The driver's part, in a process of its own: prints what it took as JSON."""
    task = task_class(TASK)(dump=DUMP)
    work = work_items(task, "shard", range(items))
    began = time.monotonic()
    reports = list(SlurmExecutor.from_config().map(work, Resources(1.0)))
    wall_s = time.monotonic() - began
    folder = phase_folder(Path(executor().log_dir), TASK, DUMP, "shard", work.fingerprint)
    usage = resource.getrusage(resource.RUSAGE_SELF)
    facts = {
        "wall_s": wall_s,
        "cpu_s": usage.ru_utime + usage.ru_stime,
        "peak_mb": usage.ru_maxrss / 1024,
        "done": len({report.number for report in reports if not report.error}),
        "attempts": len(list(attempts_in(folder))),
    }
    print(json.dumps(facts))


def put(runs: Runs, items: int) -> None:
    """Put every shard in place."""
    root = Path(runs.store.storage.full(""))
    (root / runs.store.folder(TASK)).mkdir(parents=True)
    for number in range(items):
        if number % LINKS == 0:
            made = root / f"{number}-{SHARD_FILE}"
            shutil.copyfile(root / SHARD_FILE, made)
        (root / runs.store.path(TASK, number)).hardlink_to(made)


def measure(folder: Path, bed: Testbed, items: int, pilots: int) -> dict[str, float]:
    """One run of all items."""
    runs = Runs(folder, bed, items, more=SETTINGS.format(pilots=pilots))
    runs.start("seal", "benchmarks.slurm.simulated_store", TASK, str(items)).end()
    put(runs, items)
    words = ("benchmarks.slurm.pilots", "--drive", "--items", str(items))
    command = runs.start("driver", *words)
    command.end()
    facts: dict[str, float] = json.loads(command.output.read_text().splitlines()[-1])
    if facts["done"] != items:
        raise BenchmarkError(f"{facts['done']} of {items} items are done")
    return facts


def report(facts: dict[str, float], items: int) -> bool:
    """Print the table and the line; returns whether the limit was kept."""
    ms = 1000 * facts["wall_s"] / items
    rows = [
        ("wall time, s", facts["wall_s"]),
        ("wall time of an item, ms", ms),
        ("CPU of the driver, ms an item", 1000 * facts["cpu_s"] / items),
        ("driver's peak memory, MB", facts["peak_mb"]),
        ("submissions", facts["attempts"]),
    ]
    print_table(("", "figure"), rows)
    print(
        f"slurm-pilots: {ms:.2f} ms for an item of no work (at most {LIMIT_MS:g}; {items:,} items)"
    )
    return ms <= LIMIT_MS


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks slurm-pilots", description=__doc__)
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--pilots", type=int, default=4)
    parser.add_argument("--drive", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.drive:
        drive(options.items)
        return 0

    def measured(folder: Path) -> bool:
        with Testbed(folder / "bed", Settings(nodes=4, cpus=1)) as bed:
            facts = measure(folder, bed, options.items, options.pilots)
        return report(facts, options.items)

    return in_own_folder(measured)


if __name__ == "__main__":
    sys.exit(main())
