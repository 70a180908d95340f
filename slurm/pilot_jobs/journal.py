"""Pilots' reports on their items: files that only grow, one for each life of each pilot.

    journal/5-0-n2-4711.jsonl    pilot 5, before any restart, process 4711 on n2

A heartbeat is replaced as a whole at each event, which is right for an array task with its few
items; a pilot may make thousands. A journal has one writer, so that it needs no lock, and its
reader goes on where it stopped. It explains; whether an item is done, its own file decides.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from skord.slurm.monitoring.heartbeat import Heartbeat, Outcome, Reason, read_outcome

FOLDER = "journal"

SYNC_S = 1.0
"""So often, at most, a journal is forced out to where others can read it."""


class Journal:
    """The journal that this process writes."""

    def __init__(self, attempt: Path, pilot: int, heartbeat: Heartbeat) -> None:
        name = f"{pilot}-{heartbeat.restarts}-{heartbeat.host}-{heartbeat.pid}.jsonl"
        flags = os.O_CREAT | os.O_WRONLY | os.O_APPEND
        (attempt / FOLDER).mkdir(exist_ok=True)
        self._file = os.open(attempt / FOLDER / name, flags, 0o644)
        self._synced = 0.0
        self._write(begin={**asdict(heartbeat), "outcomes": {}})

    def start(self, number: int) -> None:
        """An item is begun."""
        self._write(start=number)

    def finish(self, number: int, outcome: Outcome) -> None:
        """An item is over."""
        self._write(finish=number, **asdict(outcome))

    def end(self, reason: Reason) -> None:
        """The pilot takes nothing more."""
        self._write(end=reason)
        os.fsync(self._file)

    def _write(self, **fields: object) -> None:
        os.write(self._file, (json.dumps(fields) + "\n").encode())
        if time.monotonic() > self._synced + SYNC_S:
            os.fsync(self._file)
            self._synced = time.monotonic()


@dataclass
class Life:
    """What is known of one life of one pilot.

    Attributes:
        pilot: its index in the array.
        read: bytes that are known.
        words: as if it had a heartbeat, without outcomes.
        began: it has begun an item.
    """

    path: Path
    pilot: int
    read: int = 0
    words: Heartbeat | None = None
    began: bool = False

    def news(self) -> Iterator[tuple[int, Outcome]]:
        """Read on: the items that are over since."""
        try:
            with self.path.open("rb") as file:
                file.seek(self.read)
                text = file.read()
        except FileNotFoundError:
            return
        # The last line may be half written: it is read next time, once its end is there.
        whole = text[: text.rfind(b"\n") + 1]
        self.read += len(whole)
        for line in whole.splitlines():  # garbled where a process of the same id wrote, too
            with contextlib.suppress(ValueError, TypeError, KeyError, AttributeError):
                yield from self._take(json.loads(line))

    def _take(self, line: dict[str, Any]) -> Iterator[tuple[int, Outcome]]:
        if begin := line.get("begin"):
            self.words = Heartbeat(**{**begin, "reason": Reason(begin["reason"]), "outcomes": {}})
        elif self.words and "start" in line:
            self.began = True
            self.words = replace(self.words, item=int(line["start"]))
        elif self.words and "end" in line:
            self.words = replace(self.words, reason=Reason(line["end"]))
        elif self.words and "finish" in line:
            number = int(line.pop("finish"))
            self.words = replace(self.words, item=None)
            yield number, read_outcome(line)


class Journals:
    """All journals of one attempt, for the driver."""

    def __init__(self, attempt: Path) -> None:
        self._folder = attempt / FOLDER
        self._lives: dict[str, Life] = {}

    def news(self) -> Iterator[tuple[Life, int, Outcome]]:
        """Read on in all of them: the items that are over since, and who made them."""
        for path in sorted(self._folder.glob("[0-9]*.jsonl")):
            if path.name not in self._lives:
                self._lives[path.name] = Life(path, int(path.name.partition("-")[0]))
        for life in self._lives.values():
            for number, outcome in life.news():
                yield life, number, outcome

    def last_life(self, pilot: int) -> Life | None:
        """The newest life of a pilot, or None where it never spoke."""
        lives = [life for life in self._lives.values() if life.pilot == pilot and life.words]
        return max(lives, key=lambda life: life.words.restarts if life.words else 0, default=None)
