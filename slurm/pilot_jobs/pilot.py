"""One pilot job: takes items from its attempt's queue, and the next one's, until its time is up.

    python -m skord.slurm.pilot_jobs.pilot {log_dir}/CCNet/2024-10/slurm/shard-…/attempt-001 5

An item is begun only while there is the time that one may need (`time_min` of the settings), so
one that the pilot's end cuts off has had that time, and gets more. What makes the items, and how
it is asked to stop, is as in `skord.slurm.worker`.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from skord.core.failures import PipelineError
from skord.slurm.monitoring.heartbeat import Reason
from skord.slurm.pilot_jobs.handover import next_of
from skord.slurm.pilot_jobs.item_queue import ItemQueue
from skord.slurm.pilot_jobs.journal import Journal
from skord.slurm.submission.attempts import Attempt
from skord.slurm.submission.sbatch import STOPPED
from skord.slurm.worker import Item

USAGE = "usage: python -m skord.slurm.pilot_jobs.pilot ATTEMPT_FOLDER INDEX"


LOOK_S = 1.0
"""Between two looks for what an idle pilot goes on at."""


class Pilot(Item):
    """The work of one pilot, and its reports meanwhile."""

    def __init__(self, attempt: Attempt, index: int, environment: Mapping[str, str]) -> None:
        super().__init__(attempt, index, environment, group=())
        self._work_at(attempt)

    def _work_at(self, attempt: Attempt) -> None:
        self._attempt = attempt
        self._queue = ItemQueue(attempt.folder, len(self.manifest.groups))
        self._journal = Journal(attempt.folder, self.index, self.heartbeat)

    def numbers(self) -> Iterator[int]:
        """Items as they are taken, of one attempt after another."""
        yield from self._taken()
        while self._has_time() and not self.warned and (attempt := self._next()):
            self._go_on_at(attempt)
            yield from self._taken()

    def _next(self) -> Attempt | None:
        """The attempt to go on at, waited for as long as it may be."""
        end = time.monotonic() + self.manifest.idle_s
        while not (attempt := next_of(self._attempt)):
            if self.warned or time.monotonic() >= end:
                return None
            time.sleep(LOOK_S)
        return attempt

    def _go_on_at(self, attempt: Attempt) -> None:
        """Work for another attempt: its items, its journal, its log."""
        self._journal.end(Reason.done)
        self.manifest = attempt.manifest
        self.path = attempt.heartbeat_path(self.index)
        log = os.open(attempt.log(self.index), os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o644)
        for stream in (sys.stdout, sys.stderr):
            os.dup2(log, stream.fileno())
        os.close(log)
        self._work_at(attempt)
        self._say("begin")

    def _taken(self) -> Iterator[int]:
        """Items as they are taken, while there is time for one more."""
        taken = self._queue.taken(self.index, self.manifest.pilots)
        first = not self.manifest.predecessor
        while (first or self._has_time()) and not self.warned:
            number = next(taken, None)
            if number is None:
                return
            first = False
            yield number
            if number in self.heartbeat.outcomes:
                self._journal.finish(number, self.heartbeat.outcomes.pop(number))
                self._queue.release(self.index, number)

    def _has_time(self) -> bool:
        gone_s = time.monotonic() - self.began
        return self.manifest.time_min * 60 - gone_s >= self.manifest.needs_min * 60

    def status(self) -> int:
        """What became of items is in the journal; a pilot fails only if it cannot work."""
        return STOPPED if self.warned else 0

    def keep_heartbeat(self, event: str) -> None:
        """Items go to the journal; the heartbeat has when the pilot began and ended."""
        if event == "start" and self.heartbeat.item is not None:
            self._journal.start(self.heartbeat.item)
        elif event != "finish":
            super().keep_heartbeat(event)
            if event in ("end", "stop"):
                self._journal.end(self.heartbeat.reason)


def main(arguments: list[str]) -> int:
    """Run the command line; returns the exit status."""
    if len(arguments) != 2 or not arguments[1].isdigit():
        print(USAGE, file=sys.stderr)
        return 2
    try:
        return Pilot(Attempt(Path(arguments[0])), int(arguments[1]), os.environ).run()
    except PipelineError as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
