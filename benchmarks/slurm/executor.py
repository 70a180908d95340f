"""What the Slurm executor costs: a task's shards by it, and by the bare array of the same work.

    python -m benchmarks slurm [--items 200] [--runs 3]

Both sides run `python -m skord.slurm.worker ATTEMPT i` for each of 200 items of HashParagraphs
over equal WET files, on a private cluster of four nodes on this machine. The bare side hands
the very job.sh of an attempt to plain sbatch; it has ended when the last file is there.
`sbatch --wait` notices that 2 to 10 seconds later, and is shown beside. Our side is the whole
command from its start to its exit: looking for what is missing, submission, the watching with
the poll settings of luigi.cfg, completing. Sides take turns; wall time, as people wait for it.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from benchmarks.measuring import BenchmarkError, Command, print_table
from benchmarks.slurm.runs import DUMP, Runs, in_own_folder
from skord.core.run_log import noted_runs, runs_path
from skord.sample_crawl.builder import build_crawl, bundled_pages
from skord.sample_crawl.index_files import write_paths
from skord.sample_crawl.server import CrawlServer
from skord.slurm.submission.attempts import Attempt
from skord.slurm.testbed.cluster import Testbed
from skord.slurm.testbed.configuration import Settings

LIMIT = 1.10
"""Wall time of the executor, as a multiple of the bare array's."""

MODULE, TASK = "pipeline.cc_net", "HashParagraphs"


@dataclass(frozen=True)
class Executor:
    """One run by the executor, in seconds.

    Attributes:
        wall_s: of the whole command.
        phase_s: of the call of the executor alone.
        cpu_s: CPU of the driver.
        before_s: from the command's start until sbatch had accepted the array.
        after_s: from the last file until the command's exit.
    """

    wall_s: float
    phase_s: float
    cpu_s: float
    before_s: float
    after_s: float


@dataclass(frozen=True)
class Bare:
    """One bare array: seconds to the last file, and until `sbatch --wait` came back."""

    wall_s: float
    wait_s: float


def build(folder: Path, files: int) -> None:
    """A crawl whose WET files all hold the same pages."""
    build_crawl(bundled_pages(), folder, dump=DUMP, files=1)
    (made,) = (folder / "crawl-data").rglob("*.warc.wet.gz")
    names = [made.name.replace("-00000.", f"-{number:05d}.") for number in range(files)]
    for name in names[1:]:
        shutil.copyfile(made, made.with_name(name))
    write_paths(
        folder, DUMP, "wet", [str((made.parent / name).relative_to(folder)) for name in names]
    )


def by_executor(runs: Runs, turn: int) -> Executor:
    """The whole command, with no shard in place."""
    forget(runs)
    started = time.time()
    spent = runs.luigi(f"executor-{turn}", MODULE, TASK).end()
    ended = time.time()
    *_, noted = noted_runs(runs_path(runs.folder / "logs", TASK, DUMP))
    accepted = json.loads((last_attempt(runs).folder / "job.json").read_text())["noted"]
    last = max(path.stat().st_mtime for path in shards(runs))
    return Executor(spent.wall_s, noted.seconds, spent.cpu_s, accepted - started, ended - last)


def by_hand(runs: Runs, turn: int) -> Bare:
    """The array of the last attempt, handed in once more, with no shard in place."""
    forget(runs)
    attempt = last_attempt(runs)
    for path in (attempt.folder / "heartbeats").glob("*"):
        path.unlink()
    sbatch, *words = json.loads((attempt.folder / "sbatch.json").read_text())
    command = Command([sbatch, "--wait", *words], runs.environment, runs.folder, f"bare-{turn}")
    while len(shards(runs)) < runs.shards and not command.over():
        time.sleep(0.05)
    wall_s = time.monotonic() - command.started
    return Bare(wall_s, command.end().wall_s)


def forget(runs: Runs) -> None:
    """Remove what the task made."""
    shutil.rmtree(runs.folder / "data" / TASK, ignore_errors=True)


def shards(runs: Runs) -> list[Path]:
    """The shards that are in place."""
    return list((runs.folder / "data" / TASK / DUMP).glob("*.parquet"))


def last_attempt(runs: Runs) -> Attempt:
    """What the executor submitted last."""
    attempt = runs.last_attempt(TASK)
    if attempt is None:
        raise BenchmarkError("the executor left no attempt")
    return attempt


def measure(runs: Runs, number: int) -> tuple[list[Executor], list[Bare]]:
    """Both sides, first the one and then the other to begin."""
    executor: list[Executor] = []
    bare: list[Bare] = []
    runs.luigi("download", MODULE, "DownloadWET", "--executor-kind", "local").end()
    for turn in range(number):
        for side in ("executor", "bare") if turn % 2 == 0 else ("bare", "executor"):
            if side == "executor":
                executor.append(by_executor(runs, turn))
            else:
                bare.append(by_hand(runs, turn))
        ours, theirs = executor[-1], bare[-1]
        print(
            f"run {turn + 1}: executor {ours.wall_s:.1f} s, bare {theirs.wall_s:.1f} s", flush=True
        )
    return executor, bare


def report(executor: list[Executor], bare: list[Bare], items: int) -> float:
    """Print the table and the line; returns the ratio."""
    ours = median(run.wall_s for run in executor)
    theirs = median(run.wall_s for run in bare)
    rows = [
        ("bare array, to its last file", theirs, 1.0),
        ("bare array, by sbatch --wait", *_against(theirs, [run.wait_s for run in bare])),
        ("executor, the phase alone", *_against(theirs, [run.phase_s for run in executor])),
        ("executor, the whole command", ours, ours / theirs),
        ("  of which before sbatch took it", *_against(theirs, [run.before_s for run in executor])),
        ("  of which after the last file", *_against(theirs, [run.after_s for run in executor])),
        ("CPU of its driver", *_against(theirs, [run.cpu_s for run in executor])),
    ]
    print_table(("", "seconds", "ratio"), rows)
    print(
        f"slurm: {ours / theirs:.2f}× the wall time of a bare array (at most {LIMIT:.2f}×; "
        f"{items} items, medians of {len(bare)} runs)"
    )
    return ours / theirs


def _against(theirs: float, ours: list[float]) -> tuple[float, float]:
    return median(ours), median(ours) / theirs


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks slurm", description=__doc__)
    parser.add_argument("--items", type=int, default=200)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args(arguments)

    def measured(folder: Path) -> bool:
        build(folder / "crawl", options.items)
        with (
            CrawlServer(folder / "crawl") as server,
            Testbed(folder / "bed", Settings(nodes=4, cpus=1, mem_mb=2000)) as bed,
        ):
            runs = Runs(folder, bed, options.items, url=server.url)
            executor, bare = measure(runs, options.runs)
        return report(executor, bare, options.items) <= LIMIT

    return in_own_folder(measured)


if __name__ == "__main__":
    sys.exit(main())
