"""What happened in each run of a phase: history for people, beside the results.

One JSON line per run of a phase in `{log_dir}/{task}/{dump}/runs.jsonl`. Nothing that is
computed depends on it; removing it loses rates and past errors in `status`, no more.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from skord.core.tasks.phases import ShardReport

LISTED = 100
"""So many first items are listed by number; where there are more, one is much like another."""


@dataclass(frozen=True)
class PhaseRun:
    """One run of one phase.

    Args:
        started: seconds since the epoch.
        seconds: wall time.
        work_seconds: wall time of the items, added up, once their processes were ready.
        peak_rss_mb: the most that one worker held.
        held_bytes: of all files of the task when the phase ended.
        cpu_seconds: CPU time of the items, added up.
        ready_cpu_seconds: CPU time in which processes started and imported, added up.
        processes: how many made the items; each made one of them first.
        first_cpu_s: CPU time of those first items, added up, so that what a process does once,
            such as loading a model, is kept apart from what each item takes.
        first_items: their numbers; empty where there are more than `LISTED`.
    """

    phase: str
    fingerprint: str
    started: float
    seconds: float
    work_seconds: float
    items: int
    peak_rss_mb: float
    errors: dict[str, str] = field(default_factory=dict)
    held_bytes: int = 0
    cpu_seconds: float = 0.0
    ready_cpu_seconds: float = 0.0
    processes: int = 0
    first_cpu_s: float = 0.0
    first_items: list[int] = field(default_factory=list)

    @property
    def ended(self) -> str:
        """When it ended, in UTC."""
        end = datetime.fromtimestamp(self.started + self.seconds, UTC)
        return end.isoformat(sep=" ", timespec="seconds")


def runs_path(log_dir: Path, task: str, dump: str) -> Path:
    """Where the runs of one task and dump are noted."""
    return log_dir / task / dump / "runs.jsonl"


def traceback_path(log_dir: Path, task: str, dump: str, phase: str, number: int) -> Path:
    """Where the last traceback of one item lies."""
    return log_dir / task / dump / f"{phase}-{number:05d}.log"


def note_run(
    path: Path,
    phase: str,
    fingerprint: str,
    started: float,
    reports: Sequence[ShardReport],
    held_bytes: int = 0,
) -> None:
    """Append one line."""
    # The driver, where it makes all itself, began with the first.
    firsts = [report for report in reports if report.ready_s > 0] or reports[:1]
    run = PhaseRun(
        phase=phase,
        fingerprint=fingerprint,
        started=round(started, 3),
        seconds=round(time.time() - started, 3),
        work_seconds=round(sum(report.seconds for report in reports), 3),
        items=len(reports),
        peak_rss_mb=round(max((report.rss_mb for report in reports), default=0.0), 1),
        errors={str(report.number): report.error for report in reports if report.error},
        held_bytes=held_bytes,
        cpu_seconds=round(sum(report.cpu_s for report in reports), 3),
        ready_cpu_seconds=round(sum(report.ready_s for report in reports), 3),
        processes=len(firsts),
        first_cpu_s=round(sum(report.cpu_s for report in firsts), 3),
        first_items=[report.number for report in firsts] if len(firsts) <= LISTED else [],
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        file.write(json.dumps(asdict(run), sort_keys=True) + "\n")


def noted_runs(path: Path) -> Iterator[PhaseRun]:
    """The runs noted so far, oldest first; a line that is cut or has other fields is not one."""
    if not path.exists():
        return
    for line in path.read_text().splitlines():
        try:
            yield PhaseRun(**json.loads(line))
        except (TypeError, ValueError):
            continue
