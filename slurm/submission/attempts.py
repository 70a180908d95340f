"""Attempts: numbered folders on the shared disk that say what one array was to do.

    {log_dir}/{Task}/{dump}/slurm/{phase}-{fingerprint}/attempt-001/
        manifest.json           groups of items, the task in words, what was asked for
        job.sh                  the batch script; a person can run it
        job.json                the job's id, once Slurm has taken it
        logs/7.out              what task 7 of the array printed, over all its restarts
        heartbeats/7.json       its own report
        queue/ leases/ journal/ of pilot jobs: see skord.slurm.pilot_jobs

Manifests are written before anything is submitted and never changed: an item that
starts a day later still finds the work it was queued for. A retry is a new attempt.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from skord.core.work_item import WorkItem
from skord.slurm.monitoring.heartbeat import Heartbeat, read_heartbeat
from skord.slurm.submission.sbatch import Needs

FOLDER = "attempt-"
HEARTBEATS = "heartbeats"
"""The folder of heartbeats in an attempt's."""
TAIL_BYTES = 8192


@dataclass(frozen=True)
class Manifest:
    """What one array is to do, in words.

    Args:
        params: the task's parameters as JSON of strings.
        options: settings that the driver's command line gave: section, name, value.
        groups: the items that each array task makes, in order; with pilot jobs, the buckets of
            their queue.
        needs_min: time limit as the needs have it, for `shards_per_array_task`.
        time_min: time limit of each array task, in minutes.
        alone: each group is an item that failed before.
        warn_s: seconds before the end at which Slurm warns.
        limit: array tasks that run at once; 0: all.
        exclude: nodes left out, besides those of the settings.
        failure_history: what went wrong with items in earlier attempts, by item.
        pilots: how many pilot jobs share the items; 0: each group has an array task of its own.
        idle_s: seconds that a pilot waits for the next attempt when there is nothing left to do.
        predecessor: folder of the attempt whose pilots these are; "" where they were submitted.
        ahead: tasks that each item is carried on through: name, parameters, fingerprint.
    """

    name: str
    family: str
    dump: str
    params: str
    phase: str
    fingerprint: str
    options: tuple[tuple[str, str, str], ...]
    groups: tuple[tuple[int, ...], ...]
    mem_gb: float
    needs_min: int
    time_min: int
    alone: bool
    warn_s: int
    limit: int
    exclude: tuple[str, ...] = ()
    failure_history: Mapping[int, Sequence[str]] = field(default_factory=dict)
    pilots: int = 0
    idle_s: int = 0
    predecessor: str = ""
    ahead: tuple[tuple[str, str, str], ...] = ()

    @property
    def array_tasks(self) -> int:
        """How many places its array has."""
        return self.pilots or len(self.groups)

    @property
    def needs(self) -> Needs:
        """What its items were to get."""
        return Needs(self.mem_gb, self.needs_min, self.alone)

    def spec(self, number: int) -> WorkItem:
        """One item in the words that every executor uses."""
        return WorkItem(
            self.family,
            self.params,
            self.phase,
            number,
            self.fingerprint,
            self.options,
            ahead=self.ahead,
        )


@dataclass(frozen=True)
class Attempt:
    """One such folder."""

    folder: Path

    @cached_property
    def manifest(self) -> Manifest:
        """What the array is to do; read once, as it never changes."""
        fields: dict[str, Any] = json.loads((self.folder / "manifest.json").read_text())
        fields["groups"] = tuple(tuple(group) for group in fields["groups"])
        fields["failure_history"] = {
            int(number): kinds for number, kinds in fields["failure_history"].items()
        }
        fields["exclude"] = tuple(fields["exclude"])
        for name in ("options", "ahead"):
            fields[name] = tuple(tuple(words) for words in fields[name])
        return Manifest(**fields)

    @property
    def number(self) -> int:
        """Its place among the attempts."""
        return int(self.folder.name.removeprefix(FOLDER))

    @property
    def job_id(self) -> str:
        """Slurm's number for the array; "" while it is not known to be submitted."""
        try:
            return str(json.loads((self.folder / "job.json").read_text())["job"])
        except FileNotFoundError:
            return ""

    def describe(self) -> str:
        """The array in a few words, for people."""
        asked = self.manifest
        items, array_tasks = sum(map(len, asked.groups)), asked.array_tasks
        what = "pilot job" if asked.pilots else "array task"
        return (
            f"job {self.job_id}, {items} item{'s' * (items != 1)} in "
            f"{array_tasks} {what}{'s' * (array_tasks != 1)}, "
            f"{asked.mem_gb:g} GB, {asked.time_min} min ({self.folder})"
        )

    def note_job(self, job_id: str) -> None:
        """Keep the array's number, for people and for the next driver."""
        write_json(self.folder / "job.json", {"job": job_id, "noted": round(time.time(), 3)})

    def log(self, index: int) -> Path:
        """What one array task printed."""
        return self.folder / "logs" / f"{index}.out"

    def heartbeat_path(self, index: int) -> Path:
        """Where one array task keeps its heartbeat."""
        return self.folder / HEARTBEATS / f"{index}.json"

    def spoken(self) -> frozenset[int]:
        """The array tasks that have a heartbeat: those that ever began."""
        paths = (self.folder / HEARTBEATS).glob("[0-9]*.json")
        return frozenset(int(path.stem) for path in paths)

    def heartbeat(self, index: int) -> Heartbeat | None:
        """The heartbeat of one array task."""
        return read_heartbeat(self.heartbeat_path(index))

    def log_tail(self, index: int) -> str:
        """The end of what one array task printed since it began, or a pilot its last item."""
        try:
            with self.log(index).open("rb") as file:
                file.seek(max(file.seek(0, os.SEEK_END) - TAIL_BYTES, 0))
                text = file.read().decode(errors="replace")
        except FileNotFoundError:
            return ""
        return text.rpartition("event=start" if self.manifest.pilots else "event=begin")[2]


def phase_folder(log_dir: Path, task: str, dump: str, phase: str, fingerprint: str) -> Path:
    """Where the attempts at one phase lie, for one state of the settings."""
    return log_dir.absolute() / task / dump / "slurm" / f"{phase}-{fingerprint}"


def attempts_in(folder: Path) -> Iterator[Attempt]:
    """The attempts made so far, oldest first; one that was never finished is passed over."""
    for attempt in sorted(folder.glob(f"{FOLDER}*")):
        if (attempt / "manifest.json").exists():
            yield Attempt(attempt)


def next_folder(folder: Path) -> Path:
    """Make the folder of the next attempt."""
    numbers = [int(path.name.removeprefix(FOLDER)) for path in folder.glob(f"{FOLDER}*")]
    made = folder / f"{FOLDER}{max(numbers, default=0) + 1:03d}"
    for inner in ("logs", HEARTBEATS):
        (made / inner).mkdir(parents=True)
    return made


def write_attempt(folder: Path, manifest: Manifest, script: str) -> Attempt:
    """Fill a new folder: the script, then the manifest that makes it an attempt."""
    (folder / "job.sh").write_text(script)
    write_json(folder / "manifest.json", asdict(manifest))
    return Attempt(folder)


def write_json(path: Path, value: Mapping[str, Any]) -> None:
    """Write a small file that is there as a whole or not at all."""
    partial = path.with_name(f".{path.name}")
    with partial.open("w") as file:
        file.write(json.dumps(value, sort_keys=True) + "\n")
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)
