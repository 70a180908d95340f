"""What the runs of one item left behind: tracebacks, and logs of array jobs."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from skord.cli.json_output import print_asked
from skord.core.config import executor
from skord.core.preflight import check_settings
from skord.core.registry import task_class
from skord.core.run_log import noted_runs, runs_path, traceback_path
from skord.core.storage.column_store import SHARD
from skord.slurm.submission.attempts import Attempt, attempts_in


def run(options: argparse.Namespace) -> None:
    """Print it."""
    check_settings()
    log_dir = Path(executor().log_dir)
    words = (options.task, options.dump, options.shard, options.phase)
    print_asked(options, list(log_entries(log_dir, *words)), log_lines(log_dir, *words))


def log_lines(
    log_dir: Path, family: str, dump: str, number: int, phase: str = SHARD
) -> Iterator[str]:
    """Everything that was noted of one item, oldest first, for people."""
    any_lines = False
    for entry in log_entries(log_dir, family, dump, number, phase):
        any_lines = True
        yield from _lines_of(entry)
    if not any_lines:
        yield f"nothing was noted of {family} {dump} {phase} {number} in {log_dir}"


def log_entries(
    log_dir: Path, family: str, dump: str, number: int, phase: str = SHARD
) -> Iterator[dict[str, Any]]:
    """The same, for programs: failed runs, the last traceback, array tasks; `kind` is which."""
    task_class(family)
    for run in noted_runs(runs_path(log_dir, family, dump)):
        if run.phase == phase and str(number) in run.errors:
            yield {"kind": "run", "ended": run.ended, "error": run.errors[str(number)]}
    traceback = traceback_path(log_dir, family, dump, phase, number)
    if traceback.exists():
        yield {"kind": "traceback", "file": traceback, "text": traceback.read_text()}
    for attempt, index in array_tasks_of(log_dir, family, dump, phase, number):
        yield _array_task(attempt, index, number)


def _lines_of(entry: Mapping[str, Any]) -> Iterator[str]:
    if entry["kind"] == "run":
        yield f"failed in a run that ended {entry['ended']}: {entry['error']}"
        return
    if entry["kind"] == "traceback":
        yield f"last traceback, {entry['file']}:"
        yield from entry["text"].splitlines()
        return
    yield (
        f"job {entry['job_id'] or '(not submitted)'}_{entry['index']}, {entry['mem_gb']:g} GB, "
        f"{entry['time_min']} min, {entry['file']}:"
    )
    if words := entry["heartbeat"]:
        yield (
            f"  heartbeat: {words['reason']} on {words['host']} after {words['seconds']:.0f} s, "
            f"{words['peak_mb']:.0f} MB at most"
        )
    yield from (f"  {line}" for line in (entry["text"] or "").splitlines())


def array_tasks_of(
    log_dir: Path, family: str, dump: str, phase: str, number: int
) -> Iterator[tuple[Attempt, int]]:
    """The array tasks of array jobs that were to make the item, or the pilots that took it."""
    for folder in sorted((log_dir / family / dump / "slurm").glob(f"{phase}-*")):
        for attempt in attempts_in(folder):
            for index, group in enumerate(attempt.manifest.groups):
                if number in group and attempt.manifest.phase == phase:
                    if attempt.manifest.pilots:
                        yield from ((attempt, pilot) for pilot in pilots_of(attempt, number))
                    else:
                        yield attempt, index


def pilots_of(attempt: Attempt, number: int) -> list[int]:
    """The pilots of an attempt that began an item."""
    pilots = range(attempt.manifest.pilots)
    return [pilot for pilot in pilots if any(_lines_of_item(attempt, pilot, number))]


def _lines_of_item(attempt: Attempt, pilot: int, number: int) -> Iterator[str]:
    """What a pilot printed while it made one item."""
    if not attempt.log(pilot).exists():
        return
    within = False
    with attempt.log(pilot).open() as file:
        for line in file:
            if " event=" in line:
                began = " event=begin" in line or " event=start" in line
                within = line.rstrip().endswith(f" item={number}") if began else within
            if within:
                yield line.rstrip("\n")


def _array_task(attempt: Attempt, index: int, number: int) -> dict[str, Any]:
    manifest, log, words = attempt.manifest, attempt.log(index), attempt.heartbeat(index)
    names = ("reason", "host", "seconds", "peak_mb")
    text = log.read_text() if log.exists() else None
    if manifest.pilots:
        text = "\n".join(_lines_of_item(attempt, index, number))
    return {
        "kind": "array_task",
        "job_id": attempt.job_id,
        "index": index,
        "mem_gb": manifest.mem_gb,
        "time_min": manifest.time_min,
        "file": log,
        "heartbeat": {name: getattr(words, name) for name in names} if words else None,
        "text": text,
    }
