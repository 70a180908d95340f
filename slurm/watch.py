"""Watches the arrays of one phase: what is done, what is lost, what will never start.

An element is done when its file says so. It is lost when it is not done, squeue was asked
twice and showed it no longer active, and a shared disk has had time to show its file. An
answer that squeue did not give changes nothing. Between two looks at the queue the files
alone are glanced at: that shows what is done, and never what is lost.
"""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from slurm.attempts import Attempt
from slurm.diagnosis import Verdict, held
from slurm.heartbeat import LastWords, Reason
from slurm.queue import Seen, accounting, queue

logger = logging.getLogger("luigi-interface")

LOOKS = 2
"""Answers of squeue in a row that must agree before a place is given up."""

EXPLAINED = (Reason.time, Reason.stopped)
"""Last words after which no file is to be waited for."""


@dataclass
class Place:
    """One place of a live array.

    Attributes:
        attempt: whose array.
        index: in the array.
        left: elements whose files are not there yet, in the order of work.
        seen: what Slurm showed last.
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
        """All elements of the place."""
        return self.attempt.manifest.groups[self.index]

    def words(self) -> LastWords | None:
        """What the place said last."""
        return self.attempt.words(self.index)


@dataclass
class Findings:
    """One look: elements done with their place, places lost, places that wait for ever."""

    done: list[tuple[Place, int]] = field(default_factory=list)
    lost: list[Place] = field(default_factory=list)
    held: list[tuple[Place, Verdict]] = field(default_factory=list)
    answered: bool = True


class Watch:
    """The live arrays of one phase.

    Args:
        done: whether an element's own file says that nothing is left to do.
        written: whether its file is there, with the right stamp.
        grace_s: how long a file may stay unseen on a shared disk.
    """

    def __init__(
        self, done: Callable[[int], bool], written: Callable[[int], bool], grace_s: float
    ) -> None:
        self._done = done
        self._written = written
        self._grace_s = grace_s
        self._places: dict[tuple[str, int], Place] = {}
        self._silent = False

    def add(self, attempt: Attempt, numbers: Sequence[int], *, began: bool = False) -> None:
        """Watch an attempt for those of its elements that are among the numbers.

        Args:
            attempt: its array is in the queue.
            numbers: elements.
            began: the array may have been at work before.
        """
        wanted = set(numbers)
        for index, group in enumerate(attempt.manifest.groups):
            left = [number for number in group if number in wanted]
            if left:
                key = (attempt.manifest.name, index)
                self._places[key] = Place(attempt, index, left, began=began)

    def places(self) -> Iterator[Place]:
        """All places with elements left."""
        yield from self._places.values()

    def attempts(self) -> list[Attempt]:
        """The attempts that have such places, oldest first."""
        found = {place.attempt for place in self._places.values()}
        return sorted(found, key=lambda attempt: attempt.number)

    def at_once(self) -> int:
        """How many places of the live arrays may run at the same time."""
        left = Counter(place.attempt for place in self._places.values())
        return sum(min(a.manifest.limit or count, count) for a, count in left.items())

    def look(self) -> Findings:
        """Ask squeue once for all arrays, look at the files concerned, and say what changed."""
        findings = Findings()
        names = [attempt.manifest.name for attempt in self.attempts()]
        rows = queue(names) if names else []
        findings.answered = rows is not None
        self._note_silence(rows is None)
        if rows is not None:
            self._take(rows)
        for key, place in list(self._places.items()):
            self._judge(place, findings)
            if not place.left:
                del self._places[key]
        for place in [*findings.lost, *(place for place, _ in findings.held)]:
            self._places.pop((place.attempt.manifest.name, place.index), None)
        return findings

    def glance(self) -> Findings:
        """Between two looks: strike off what its place says is made and its file confirms.

        squeue is not asked, and only places that have spoken and are not finished are read,
        so this costs as much as places run at once, wherever the data lie.
        """
        findings = Findings()
        spoken = {attempt: attempt.spoken() for attempt in self.attempts()}
        for key, place in list(self._places.items()):
            words = place.words() if place.index in spoken[place.attempt] else None
            for number in _made(words, place.left):
                if self._is_done(number, words):
                    place.left.remove(number)
                    findings.done.append((place, number))
            if not place.left:
                del self._places[key]
        return findings

    def _note_silence(self, silent: bool) -> None:
        if silent and not self._silent:
            logger.warning("squeue does not answer; the jobs go on, and so does the waiting")
        self._silent = silent

    def _take(self, rows: Sequence[Seen]) -> None:
        """Bring what is known of every place up to date."""
        found: dict[tuple[str, int], Seen] = {}
        for shown in rows:
            key = (shown.name, shown.index)
            if key not in found or shown.active:
                found[key] = shown
        now = time.monotonic()
        for key, place in self._places.items():
            row = found.get(key)
            place.seen = row or place.seen
            place.began = place.began or row is None or row.state != "PENDING"
            if row and row.active:
                place.gone = 0
                place.stuck = place.stuck + 1 if held(row) else 0
            else:
                place.gone_since = place.gone_since if place.gone else now
                place.gone += 1

    def _judge(self, place: Place, findings: Findings) -> None:
        if place.began:
            self._take_done(place, findings)
        if not place.left:
            return
        if place.gone >= LOOKS and self._is_lost(place):
            findings.lost.append(place)
        elif place.stuck >= LOOKS and place.seen and (verdict := held(place.seen)):
            findings.held.append((place, verdict))

    def _take_done(self, place: Place, findings: Findings) -> None:
        """Strike off what is done; while the place is at work, only the next can be."""
        words = place.words() if place.gone else None
        for number in list(place.left):
            if not self._is_done(number, words):
                if not place.gone:
                    return
                continue
            place.left.remove(number)
            findings.done.append((place, number))

    def _is_done(self, number: int, words: LastWords | None) -> bool:
        """Done by its file; or written, and its maker says that this is all there is to do."""
        try:
            if self._done(number):
                return True
            outcome = words.outcomes.get(number) if words else None
            return outcome is not None and outcome.reason == Reason.done and self._written(number)
        except OSError:
            return False

    def _is_lost(self, place: Place) -> bool:
        words = place.words()
        explained = words is not None and all(
            (number in words.outcomes and words.outcomes[number].reason != Reason.done)
            or (number not in words.outcomes and words.reason in EXPLAINED)
            for number in place.left
        )
        return explained or time.monotonic() - place.gone_since >= self._grace_s


def _made(words: LastWords | None, left: Sequence[int]) -> list[int]:
    """Those left of which their place says that they are made."""
    outcomes = words.outcomes if words else {}
    return [n for n in left if n in outcomes and outcomes[n].reason == Reason.done]


def end_of(place: Place, accounts: dict[str, dict[int, Seen]]) -> Seen | None:
    """How Slurm says the place ended; accounts, if kept, are asked once for each array."""
    seen = place.seen
    if seen and not seen.active:
        return seen
    job_id = place.attempt.job_id
    if job_id and job_id not in accounts:
        accounts[job_id] = accounting(job_id)
    ended = accounts.get(job_id, {}).get(place.index)
    if ended and not ended.active:
        return ended
    return replace(seen, state="", reason="") if seen else None
