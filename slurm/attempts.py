"""Attempts: numbered folders on the shared disk that say what one array was to do.

    {log_dir}/{Task}/{dump}/slurm/{phase}-{stamp}/attempt-001/
        manifest.json           groups of elements, the task in words, what was asked for
        job.sh                  the batch script; a person can run it
        job.json                the job's id, once Slurm has taken it
        logs/7.out              what place 7 of the array printed, over all its restarts
        last-words/7.json       what it said of itself

Manifests are written before anything is submitted and never changed: an element that
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

from pipeline.core.work_item import ElementSpec
from slurm.heartbeat import LastWords, read_last_words
from slurm.sbatch import Needs

FOLDER = "attempt-"
TAIL_BYTES = 8192


@dataclass(frozen=True)
class Manifest:
    """What one array is to do, in words.

    Args:
        name: the job's name.
        family: the task's name.
        dump: for people; it is among the parameters.
        params: the task's parameters as JSON of strings.
        phase: the phase's name.
        stamp: of the task.
        options: the driver's command-line options for tasks of the graph.
        groups: the elements that each place of the array makes, in order.
        mem_gb: memory of each place.
        needs_min: time limit as the needs have it, for `shards_per_element`.
        time_min: time limit of each place, in minutes.
        alone: each group is an element that failed before.
        warn_s: seconds before the end at which Slurm warns.
        limit: places that run at once; 0: all.
        exclude: nodes left out, besides those of the settings.
        strikes: what went wrong with elements in earlier attempts, by element.
    """

    name: str
    family: str
    dump: str
    params: str
    phase: str
    stamp: str
    options: tuple[str, ...]
    groups: tuple[tuple[int, ...], ...]
    mem_gb: float
    needs_min: int
    time_min: int
    alone: bool
    warn_s: int
    limit: int
    exclude: tuple[str, ...] = ()
    strikes: Mapping[int, Sequence[str]] = field(default_factory=dict)

    @property
    def needs(self) -> Needs:
        """What its elements were to get."""
        return Needs(self.mem_gb, self.needs_min, self.alone)

    def spec(self, number: int) -> ElementSpec:
        """One element in the words that every executor uses."""
        return ElementSpec(
            self.family, self.params, self.phase, number, self.stamp, tuple(self.options)
        )


@dataclass(frozen=True)
class Attempt:
    """One such folder."""

    folder: Path

    @cached_property
    def manifest(self) -> Manifest:
        """What the array is to do; read once, as it never changes."""
        found: dict[str, Any] = json.loads((self.folder / "manifest.json").read_text())
        found["groups"] = tuple(tuple(group) for group in found["groups"])
        found["strikes"] = {int(number): kinds for number, kinds in found["strikes"].items()}
        for name in ("options", "exclude"):
            found[name] = tuple(found[name])
        return Manifest(**found)

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

    def described(self) -> str:
        """The array in a few words, for people."""
        asked = self.manifest
        elements = sum(map(len, asked.groups))
        return (
            f"job {self.job_id}, {elements} elements in {len(asked.groups)} places, "
            f"{asked.mem_gb:g} GB, {asked.time_min} min ({self.folder})"
        )

    def note_job(self, job_id: str) -> None:
        """Keep the array's number, for people and for the next driver."""
        _write(self.folder / "job.json", {"job": job_id, "noted": round(time.time(), 3)})

    def log(self, index: int) -> Path:
        """What one place of the array printed."""
        return self.folder / "logs" / f"{index}.out"

    def words_path(self, index: int) -> Path:
        """Where one place of the array keeps its last words."""
        return self.folder / "last-words" / f"{index}.json"

    def spoken(self) -> frozenset[int]:
        """The places of the array that have last words: those that ever began."""
        found = (self.folder / "last-words").glob("[0-9]*.json")
        return frozenset(int(path.stem) for path in found)

    def words(self, index: int) -> LastWords | None:
        """The last words of one place of the array."""
        return read_last_words(self.words_path(index))

    def log_tail(self, index: int) -> str:
        """The end of what one place printed, since its last start."""
        try:
            with self.log(index).open("rb") as file:
                file.seek(max(file.seek(0, os.SEEK_END) - TAIL_BYTES, 0))
                text = file.read().decode(errors="replace")
        except FileNotFoundError:
            return ""
        return text.rpartition("event=begin")[2]


def phase_folder(log_dir: Path, task: str, dump: str, phase: str, stamp: str) -> Path:
    """Where the attempts at one phase lie, for one state of the settings."""
    return log_dir.absolute() / task / dump / "slurm" / f"{phase}-{stamp}"


def attempts_in(folder: Path) -> Iterator[Attempt]:
    """The attempts made so far, oldest first; one that was never finished is passed over."""
    for found in sorted(folder.glob(f"{FOLDER}*")):
        if (found / "manifest.json").exists():
            yield Attempt(found)


def next_folder(folder: Path) -> Path:
    """Make the folder of the next attempt."""
    numbers = [int(path.name.removeprefix(FOLDER)) for path in folder.glob(f"{FOLDER}*")]
    made = folder / f"{FOLDER}{max(numbers, default=0) + 1:03d}"
    for inner in ("logs", "last-words"):
        (made / inner).mkdir(parents=True)
    return made


def write_attempt(folder: Path, manifest: Manifest, script: str) -> Attempt:
    """Fill a new folder: the script, then the manifest that makes it an attempt."""
    (folder / "job.sh").write_text(script)
    _write(folder / "manifest.json", asdict(manifest))
    return Attempt(folder)


def _write(path: Path, value: Mapping[str, Any]) -> None:
    partial = path.with_name(f".{path.name}")
    with partial.open("w") as file:
        file.write(json.dumps(value, sort_keys=True) + "\n")
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)
