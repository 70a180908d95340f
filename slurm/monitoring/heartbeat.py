"""An item's own report, kept up to date while it runs, which explains its end if it dies.

One small JSON file per array task, replaced as a whole at each event. They explain;
whether an item is done, its own file decides alone.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any


class Reason(StrEnum):
    """How far an item's process got."""

    running = "running"
    """It was at work when it last wrote."""

    done = "done"
    """It went through its whole group; single items may have failed."""

    time = "time"
    """It was warned that its time is nearly up."""

    stopped = "stopped"
    """It was asked to stop (SIGTERM) without having been warned."""

    memory = "memory"
    """As an outcome: it asked for more memory than it may have."""

    error = "error"
    """As an outcome: it raised."""

    damaged = "damaged"
    """As an outcome: what it reads is damaged, and was put out of the way to be made again."""


@dataclass(frozen=True)
class Outcome:
    """What became of one item: `done`, `memory`, `error` or `damaged`.

    `cpu_s` are the CPU seconds it took, `ready_s` those that its process took to get ready, given
    with its first item; `ahead` the tasks that it was carried on through, each with its seconds and
    CPU seconds.
    """

    reason: Reason
    seconds: float = 0.0
    peak_mb: float = 0.0
    error: str = ""
    ready_s: float = 0.0
    ahead: tuple[tuple[str, float, float], ...] = ()
    cpu_s: float = 0.0


def read_outcome(fields: Mapping[str, Any]) -> Outcome:
    """An outcome out of what JSON has made of it.

    Raises:
        ValueError, TypeError, KeyError: it is none.
    """
    ahead = tuple((family, seconds, cpu_s) for family, seconds, cpu_s in fields.get("ahead", ()))
    return Outcome(**{**fields, "reason": Reason(fields["reason"]), "ahead": ahead})


@dataclass
class Heartbeat:
    """Attributes: host (the node's name in Slurm), job_id, restarts (times Slurm requeued
    it), pid, seconds since it began, peak_mb (most memory held), reason, item (the one
    under way, or None), outcomes (by item).
    """

    host: str
    job_id: str
    restarts: int
    pid: int
    seconds: float = 0.0
    peak_mb: float = 0.0
    reason: Reason = Reason.running
    item: int | None = None
    outcomes: dict[int, Outcome] = field(default_factory=dict)

    def write(self, path: Path) -> None:
        """Replace the file as a whole."""
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_name(f".{path.name}.{self.host}.{self.pid}")
        partial.write_text(json.dumps(asdict(self), sort_keys=True) + "\n")
        partial.replace(path)


def read_heartbeat(path: Path) -> Heartbeat | None:
    """The item's heartbeat, or None when it never began or the file cannot be read."""
    try:
        fields = json.loads(path.read_text())
        outcomes = {
            int(number): read_outcome(outcome) for number, outcome in fields.pop("outcomes").items()
        }
        return Heartbeat(**{**fields, "reason": Reason(fields["reason"])}, outcomes=outcomes)
    except (OSError, ValueError, TypeError, KeyError):
        return None
