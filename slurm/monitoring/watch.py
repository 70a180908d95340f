"""Watches the arrays of one phase: what is done, what is lost, what will never start.

An item is done when its file says so. It is lost when it is not done, squeue was asked
twice and showed it no longer active, and a shared disk has had time to show its file. An
answer that squeue did not give changes nothing. Between two looks at the queue the files
alone are polled: that shows what is done, and never what is lost.
"""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Self

from skord.slurm.monitoring.diagnosis import Diagnosis, diagnose_waiting
from skord.slurm.monitoring.heartbeat import Heartbeat, Reason
from skord.slurm.monitoring.queue import Seen, accounted_array_tasks, queued_array_tasks
from skord.slurm.submission.attempts import Attempt

logger = logging.getLogger("luigi-interface")

LOOKS = 2
"""Answers of squeue in a row that must agree before a array task is given up."""

EXPLAINED = (Reason.time, Reason.stopped)
"""Heartbeat after which no file is to be waited for."""


@dataclass
class ArrayTask:
    """One task of a live array.

    Attributes:
        left: items whose files are not there yet, in the order of work.
        gone: answers in a row that showed it no longer active.
        gone_since: when the first of them came.
        stuck: answers in a row that showed it waiting for ever.
        began: it may have run already, even if it is in the queue (again).
    """

    attempt: Attempt
    index: int
    left: list[int]
    seen: Seen | None = None
    gone: int = 0
    gone_since: float = 0.0
    stuck: int = 0
    began: bool = False

    @property
    def group(self) -> tuple[int, ...]:
        """All items of the array task."""
        return self.attempt.manifest.groups[self.index]

    def heartbeat(self) -> Heartbeat | None:
        """The array task's latest heartbeat."""
        return self.attempt.heartbeat(self.index)


@dataclass
class Findings:
    """One look: what is done and what is not to be waited for, each with its array task.

    Attributes:
        done: items.
        lost: array tasks that ended, with what they left.
        held: array tasks that wait for ever.
        failed: those that go on, with items that they gave up; pilot jobs only.
        not_reached: those that ended, with items that they never took; pilot jobs only.
        idle: attempts whose pilots find nothing to do any more.
        answered: squeue did.
    """

    done: list[tuple[ArrayTask, int]] = field(default_factory=list)
    lost: list[ArrayTask] = field(default_factory=list)
    held: list[tuple[ArrayTask, Diagnosis]] = field(default_factory=list)
    failed: list[ArrayTask] = field(default_factory=list)
    not_reached: list[ArrayTask] = field(default_factory=list)
    idle: list[Attempt] = field(default_factory=list)
    answered: bool = True

    def __iadd__(self, more: Findings) -> Self:
        """These and more."""
        for name in ("done", "lost", "held", "failed", "not_reached", "idle"):
            getattr(self, name).extend(getattr(more, name))
        self.answered = self.answered and more.answered
        return self


class Watch:
    """The live arrays of one phase.

    Args:
        done: whether an item's own file says that nothing is left to do.
        written: whether its file is there, with the right fingerprint.
        grace_s: how long a file may stay unseen on a shared disk.
    """

    def __init__(
        self, done: Callable[[int], bool], written: Callable[[int], bool], grace_s: float
    ) -> None:
        self._done = done
        self._written = written
        self._grace_s = grace_s
        self._array_tasks: dict[tuple[str, int], ArrayTask] = {}
        self._silent = False

    def add(
        self, attempt: Attempt, numbers: Sequence[int], *, began: bool = False
    ) -> Sequence[int]:
        """Watch an attempt for those of its items that are among the numbers; returns them.

        Args:
            attempt: its array is in the queue.
            began: the array may have been at work before.
        """
        held = {number for group in attempt.manifest.groups for number in group}
        wanted = held.intersection(numbers)
        for index, group in enumerate(attempt.manifest.groups):
            left = [number for number in group if number in wanted]
            if left:
                key = (attempt.manifest.name, index)
                self._array_tasks[key] = ArrayTask(attempt, index, left, began=began)
        return sorted(wanted)

    def known(self) -> Mapping[tuple[str, int], ArrayTask]:
        """All array tasks with items left, by the name of their array and their index."""
        return self._array_tasks

    def is_busy(self) -> bool:
        """Whether anything is left to wait for."""
        return bool(self.known())

    def attempts(self) -> list[Attempt]:
        """The attempts that have such array tasks, oldest first."""
        attempts = {array_task.attempt for array_task in self.known().values()}
        return sorted(attempts, key=lambda attempt: attempt.number)

    def at_once(self) -> int:
        """How many array tasks of the live arrays may run at the same time."""
        left = Counter(array_task.attempt for array_task in self._array_tasks.values())
        return sum(min(a.manifest.limit or count, count) for a, count in left.items())

    def look(self) -> Findings:
        """Ask squeue once for all arrays, look at the files concerned, and say what changed."""
        findings = Findings(answered=self._ask())
        for key, array_task in list(self._array_tasks.items()):
            self._judge(array_task, findings)
            if not array_task.left:
                del self._array_tasks[key]
        for array_task in [*findings.lost, *(array_task for array_task, _ in findings.held)]:
            self._array_tasks.pop((array_task.attempt.manifest.name, array_task.index), None)
        return findings

    def poll(self) -> Findings:
        """Between two looks: strike off what its array task reports as made and its file confirms.

        squeue is not asked, and only array tasks that have spoken and are not finished are read,
        so this costs as much as array tasks run at once, wherever the data lie.
        """
        findings = Findings()
        attempts = {array_task.attempt for array_task in self._array_tasks.values()}
        spoken = {attempt: attempt.spoken() for attempt in attempts}
        for key, array_task in list(self._array_tasks.items()):
            heartbeat = (
                array_task.heartbeat() if array_task.index in spoken[array_task.attempt] else None
            )
            for number in _items_made(heartbeat, array_task.left):
                if self._is_done(number, heartbeat):
                    array_task.left.remove(number)
                    findings.done.append((array_task, number))
            if not array_task.left:
                del self._array_tasks[key]
        return findings

    def _ask(self) -> bool:
        """Ask squeue how the array tasks are; returns whether it answered."""
        names = [attempt.manifest.name for attempt in self.attempts()]
        rows = queued_array_tasks(names) if names else []
        self._note_silence(rows is None)
        if rows is not None:
            self._take(rows)
        return rows is not None

    def _note_silence(self, silent: bool) -> None:
        if silent and not self._silent:
            logger.warning("squeue does not answer; the jobs go on, and so does the waiting")
        self._silent = silent

    def _take(self, shown_rows: Sequence[Seen]) -> None:
        """Bring what is known of every array task up to date."""
        rows: dict[tuple[str, int], Seen] = {}
        for shown in shown_rows:
            key = (shown.name, shown.index)
            if key not in rows or shown.active:
                rows[key] = shown
        now = time.monotonic()
        for key, array_task in self.known().items():
            row = rows.get(key)
            array_task.seen = row or array_task.seen
            # What is not shown may have begun and ended between two looks.
            array_task.began = array_task.began or row is None or row.state != "PENDING"
            if row and row.active:
                array_task.gone = 0
                array_task.stuck = array_task.stuck + 1 if diagnose_waiting(row) else 0
            else:
                array_task.gone_since = array_task.gone_since if array_task.gone else now
                array_task.gone += 1

    def _judge(self, array_task: ArrayTask, findings: Findings) -> None:
        if array_task.began:
            self._take_done(array_task, findings)
        if not array_task.left:
            return
        if array_task.gone >= LOOKS and self._is_lost(array_task):
            findings.lost.append(array_task)
        elif (
            array_task.stuck >= LOOKS
            and array_task.seen
            and (diagnosis := diagnose_waiting(array_task.seen))
        ):
            findings.held.append((array_task, diagnosis))

    def _take_done(self, array_task: ArrayTask, findings: Findings) -> None:
        """Strike off what is done; while the array task is at work, only the next can be."""
        # While it is at work its items' own files show enough; this would be one more to read.
        heartbeat = array_task.heartbeat() if array_task.gone else None
        for number in list(array_task.left):
            if not self._is_done(number, heartbeat):
                if not array_task.gone:
                    return
                continue
            array_task.left.remove(number)
            findings.done.append((array_task, number))

    def _is_done(self, number: int, heartbeat: Heartbeat | None) -> bool:
        """Done by its file; or written, and its maker reports that this is all there is to do."""
        try:
            if self._done(number):
                return True
            outcome = heartbeat.outcomes.get(number) if heartbeat else None
            return outcome is not None and outcome.reason == Reason.done and self._written(number)
        except OSError:
            return False

    def _is_lost(self, array_task: ArrayTask) -> bool:
        heartbeat = array_task.heartbeat()
        explained = heartbeat is not None and all(
            (number in heartbeat.outcomes and heartbeat.outcomes[number].reason != Reason.done)
            or (number not in heartbeat.outcomes and heartbeat.reason in EXPLAINED)
            for number in array_task.left
        )
        return explained or time.monotonic() - array_task.gone_since >= self._grace_s


def _items_made(heartbeat: Heartbeat | None, left: Sequence[int]) -> list[int]:
    """Those left that their array task reports as made."""
    outcomes = heartbeat.outcomes if heartbeat else {}
    return [n for n in left if n in outcomes and outcomes[n].reason == Reason.done]


def end_of(array_task: ArrayTask, accounts: dict[str, dict[int, Seen]]) -> Seen | None:
    """How the array task ended by Slurm's lists; accounts, if kept, are asked once for each array."""
    seen = array_task.seen
    if seen and not seen.active:
        return seen
    job_id = array_task.attempt.job_id
    if job_id and job_id not in accounts:
        accounts[job_id] = accounted_array_tasks(job_id)
    ended = accounts.get(job_id, {}).get(array_task.index)
    if ended and not ended.active:
        return ended
    return replace(seen, state="", reason="") if seen else None
