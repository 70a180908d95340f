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

from pipeline.core.tasks.phases import ShardReport

OLD_NAMES = {"stamp": "fingerprint"}
"""What fields of a line were called in version 0.1."""

GONE = ("typical_s", "ready_seconds")
"""Fields of earlier lines: wall time, which other programs of the machine make longer."""


@dataclass(frozen=True)
class PhaseRun:
    """One run of one phase.

    Args:
        phase: its name.
        fingerprint: of the task then.
        started: seconds since the epoch.
        seconds: wall time.
        work_seconds: wall time of the items, added up, once their processes were ready.
        items: how many ran.
        peak_rss_mb: the most that one worker held.
        errors: what went wrong, by item.
        held_bytes: of all files of the task when the phase ended.
        cpu_seconds: CPU time of the items, added up; 0 in lines of earlier versions.
        typical_cpu_s: CPU time of an item that is neither quick nor slow (the lower median), so
            that what a process does once, such as loading a model, is told from what each does.
        ready_cpu_seconds: CPU time in which processes started and imported, added up.
        processes: how many did.
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
    typical_cpu_s: float = 0.0
    ready_cpu_seconds: float = 0.0
    processes: int = 0

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
    cpu_s = sorted(report.cpu_s for report in reports) or [0.0]
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
        cpu_seconds=round(sum(cpu_s), 3),
        typical_cpu_s=round(cpu_s[(len(cpu_s) - 1) // 2], 3),
        ready_cpu_seconds=round(sum(report.ready_s for report in reports), 3),
        processes=sum(report.ready_s > 0 for report in reports),
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        file.write(json.dumps(asdict(run), sort_keys=True) + "\n")


def noted_runs(path: Path) -> Iterator[PhaseRun]:
    """The runs noted so far, oldest first; a line cut by a kill is passed over."""
    if not path.exists():
        return
    for line in path.read_text().splitlines():
        try:
            told = {OLD_NAMES.get(name, name): value for name, value in json.loads(line).items()}
            yield PhaseRun(**{name: value for name, value in told.items() if name not in GONE})
        except ValueError:
            continue
