"""What the runs of one item left behind: tracebacks, and logs of array jobs."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from pipeline.core.column_store import SHARD
from pipeline.core.config import executor
from pipeline.core.registry import task_class
from pipeline.core.run_log import noted_runs, runs_path, traceback_path
from pipeline.core.start.preflight import check_settings
from slurm.attempts import Attempt, attempts_in


def run(options: argparse.Namespace) -> None:
    """Print it."""
    check_settings()
    words = (options.task, options.dump, options.shard, options.phase)
    print("\n".join(log_lines(Path(executor().log_dir), *words)))


def log_lines(
    log_dir: Path, family: str, dump: str, number: int, phase: str = SHARD
) -> Iterator[str]:
    """Everything that was noted of one item, oldest first.

    Raises:
        ConfigError: there is no such task.
    """
    task_class(family)
    found = False
    for run in noted_runs(runs_path(log_dir, family, dump)):
        if run.phase == phase and str(number) in run.errors:
            found = True
            yield f"failed in a run that ended {run.ended}: {run.errors[str(number)]}"
    traceback = traceback_path(log_dir, family, dump, phase, number)
    if traceback.exists():
        found = True
        yield f"last traceback, {traceback}:"
        yield from traceback.read_text().splitlines()
    for attempt, index in array_tasks_of(log_dir, family, dump, phase, number):
        found = True
        yield from _attempt_lines(attempt, index)
    if not found:
        yield f"nothing was noted of {family} {dump} {phase} {number} in {log_dir}"


def array_tasks_of(
    log_dir: Path, family: str, dump: str, phase: str, number: int
) -> Iterator[tuple[Attempt, int]]:
    """The array tasks of array jobs that were to make the item."""
    for folder in sorted((log_dir / family / dump / "slurm").glob(f"{phase}-*")):
        for attempt in attempts_in(folder):
            for index, group in enumerate(attempt.manifest.groups):
                if number in group and attempt.manifest.phase == phase:
                    yield attempt, index


def _attempt_lines(attempt: Attempt, index: int) -> Iterator[str]:
    manifest = attempt.manifest
    yield (
        f"job {attempt.job_id or '(not submitted)'}_{index}, {manifest.mem_gb:g} GB, "
        f"{manifest.time_min} min, {attempt.log(index)}:"
    )
    words = attempt.heartbeat(index)
    if words:
        yield (
            f"  heartbeat: {words.reason} on {words.host} after {words.seconds:.0f} s, "
            f"{words.peak_mb:.0f} MB at most"
        )
    if attempt.log(index).exists():
        yield from (f"  {line}" for line in attempt.log(index).read_text().splitlines())
