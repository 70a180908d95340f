"""The driver's view of pilot jobs beside arrays: which items are done, and which lost their pilot.

As with array tasks, an item is done when its own file says so, and a pilot is gone when squeue
was asked twice and showed it no longer active. What a gone pilot was at work on is diagnosed; of
what nobody has taken yet, a share is withdrawn for new pilots, so that those who live keep their
nodes. A pilot that ended before it took anything has its share blamed on it, for else one that
cannot start would be replaced for ever.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from skord.slurm.monitoring.diagnosis import diagnose_waiting
from skord.slurm.monitoring.heartbeat import Heartbeat, Outcome, Reason
from skord.slurm.monitoring.watch import EXPLAINED, LOOKS, ArrayTask, Findings, Watch
from skord.slurm.pilot_jobs.item_queue import ItemQueue
from skord.slurm.pilot_jobs.journal import Journals, Life
from skord.slurm.submission.attempts import Attempt


@dataclass
class Share(ArrayTask):
    """Some items of a pilot, as those see them who diagnose."""

    words: Heartbeat | None = None

    @property
    def group(self) -> tuple[int, ...]:
        """The items."""
        return tuple(self.left)

    def heartbeat(self) -> Heartbeat | None:
        """The pilot's latest report."""
        return self.words


@dataclass
class Crew:
    """The pilots of one attempt, and what they share.

    Attributes:
        left: items of which nothing is known yet.
        reported_made: those of them that a pilot reports as made; their files are not seen yet.
    """

    attempt: Attempt
    left: set[int]
    queue: ItemQueue
    journals: Journals
    reported_made: dict[int, Share] = field(default_factory=dict)


class PilotWatch(Watch):
    """The live arrays and pilot jobs of one phase."""

    def __init__(
        self, done: Callable[[int], bool], written: Callable[[int], bool], grace_s: float
    ) -> None:
        super().__init__(done, written, grace_s)
        self._crews: dict[str, Crew] = {}
        self._pilots: dict[tuple[str, int], ArrayTask] = {}

    def add(
        self, attempt: Attempt, numbers: Sequence[int], *, began: bool = False
    ) -> Sequence[int]:
        """Watch an attempt for those of the numbers that are still its to make; returns them."""
        manifest = attempt.manifest
        if not manifest.pilots:
            return super().add(attempt, numbers, began=began)
        queue = ItemQueue(attempt.folder, len(manifest.groups))
        crew = Crew(attempt, set(), queue, Journals(attempt.folder))
        held = {number for group in manifest.groups for number in group}
        crew.left = held.intersection(numbers)
        if began and queue.is_removed():  # its pilots are others' now
            return []
        if began:  # an item goes from the queue to a lease to a journal: asked for in this order
            waiting, pilots = queue.waiting(), range(manifest.pilots)
            theirs = waiting.union(*map(queue.held, pilots))
            crew.left &= theirs | {number for _, number, _ in Journals(attempt.folder).news()}
        if crew.left:
            self._crews[manifest.name] = crew
            for index in range(manifest.pilots):
                self._pilots[manifest.name, index] = ArrayTask(attempt, index, [], began=began)
        return sorted(crew.left)

    def known(self) -> Mapping[tuple[str, int], ArrayTask]:
        """Array tasks with items left, and pilots, by the name of their array and their index."""
        return {**super().known(), **self._pilots}

    def at_once(self) -> int:
        """How many array tasks may run at the same time, and pilots that hold a node or wait."""
        return super().at_once() + sum(not pilot.gone for pilot in self._pilots.values())

    def poll(self) -> Findings:
        """Between two looks: read what array tasks and pilots say; squeue is not asked."""
        findings = super().poll()
        findings += self._read_journals()
        return findings

    def _read_journals(self) -> Findings:
        findings = Findings()
        for crew in list(self._crews.values()):
            for life, number, outcome in crew.journals.news():
                if number in crew.left:
                    self._take_outcome(crew, life, number, outcome, findings)
            self._confirm(crew, findings)
            if not crew.left:
                self._dismiss(crew, findings)
        return findings

    def look(self) -> Findings:
        """Ask squeue for all of them, read what they say, and settle what the gone have left."""
        findings = super().look()
        findings += self._read_journals()
        for crew in list(self._crews.values()):
            self._settle(crew, findings)
            if not crew.left:
                self._dismiss(crew, findings)
        return findings

    # -- what they say -------------------------------------------------------------------

    def _take_outcome(
        self, crew: Crew, life: Life, number: int, outcome: Outcome, findings: Findings
    ) -> None:
        words = replace(life.words, outcomes={number: outcome}) if life.words else None
        share = Share(crew.attempt, life.pilot, [number], words=words)
        if outcome.reason == Reason.done:
            crew.reported_made[number] = share
        else:
            crew.left.discard(number)
            findings.failed.append(share)

    def _confirm(self, crew: Crew, findings: Findings) -> None:
        """Strike off what is reported as made and has its file."""
        for number, share in list(crew.reported_made.items()):
            if self._is_done(number, share.words):
                del crew.reported_made[number]
                crew.left.discard(number)
                findings.done.append((share, number))

    def _dismiss(self, crew: Crew, findings: Findings) -> None:
        """The items are concluded: pilots at work end by themselves, the others are cancelled."""
        pilots = self._pilots_of(crew)
        if crew.attempt.job_id and any(not pilot.gone for pilot in pilots):
            findings.idle.append(crew.attempt)
        for pilot in pilots:
            self._forget(pilot)
        del self._crews[crew.attempt.manifest.name]
        crew.queue.remove()

    # -- what the gone have left -----------------------------------------------------------

    def _settle(self, crew: Crew, findings: Findings) -> None:
        pilots = self._pilots_of(crew)
        gone = [pilot for pilot in pilots if pilot.gone >= LOOKS]
        live = len(pilots) - len(gone)
        for pilot in gone:
            if self._settle_own(crew, pilot, findings) and (live or len(pilots) > 1):
                self._replace(crew, pilot, live, findings)
                self._forget(pilot)
                pilots.remove(pilot)
        if gone and not live and len(pilots) == 1:
            self._settle_last(crew, pilots[0], gone, findings)
        elif all(pilot.stuck >= LOOKS for pilot in pilots):
            self._give_up(crew, pilots, findings)

    def _settle_own(self, crew: Crew, pilot: ArrayTask, findings: Findings) -> bool:
        """Find or give up what a gone pilot was at work on; False while that has to wait."""
        words = self._words(crew, pilot)
        held = [number for number in crew.queue.held(pilot.index) if number in crew.left]
        for number in list(held):
            if self._is_done(number, words):
                held.remove(number)
                self._conclude(crew, pilot, [number], findings)
        explained = words is not None and words.reason in EXPLAINED
        if held and not explained and not self._grace_is_over(pilot):
            return False
        if held:
            findings.lost.append(self._share(crew, pilot, held))
        return True

    def _conclude(
        self, crew: Crew, pilot: ArrayTask, numbers: list[int], findings: Findings
    ) -> None:
        share = self._share(crew, pilot, numbers)
        findings.done += [(share, number) for number in numbers]

    def _replace(self, crew: Crew, pilot: ArrayTask, live: int, findings: Findings) -> None:
        """Take a gone pilot's share of what waits away from the others, for one in its place."""
        if pilot.seen and pilot.seen.state == "CANCELLED":
            return
        numbers = crew.queue.withdraw(1 / (live + 1)) if live else []
        self._hand_back(crew, pilot, [n for n in numbers if n in crew.left], findings)

    def _settle_last(
        self, crew: Crew, pilot: ArrayTask, gone: Sequence[ArrayTask], findings: Findings
    ) -> None:
        """No pilot is left: nothing will come that is not there once disks have shown it."""
        if crew.reported_made and not self._grace_is_over(pilot):
            return
        if not self._settle_own(crew, pilot, findings):
            return
        there = [number for number in crew.left if self._is_done(number, None)]
        self._conclude(crew, pilot, there, findings)
        cancelled = any(p.seen and p.seen.state == "CANCELLED" for p in gone)
        if cancelled:
            findings.lost.append(self._share(crew, pilot, sorted(crew.left)))
        self._hand_back(crew, pilot, sorted(crew.left), findings)

    def _hand_back(
        self, crew: Crew, pilot: ArrayTask, numbers: list[int], findings: Findings
    ) -> None:
        life = crew.journals.last_life(pilot.index)
        innocent = (life and life.began) or crew.attempt.manifest.predecessor
        where = findings.not_reached if innocent else findings.lost
        if numbers:
            where.append(self._share(crew, pilot, numbers))

    def _give_up(self, crew: Crew, stuck: Sequence[ArrayTask], findings: Findings) -> None:
        """Every pilot that is left waits for what will not come."""
        pilot = stuck[0]
        if pilot.seen and (diagnosis := diagnose_waiting(pilot.seen)):
            share = self._share(crew, pilot, sorted(crew.left))
            findings.held.append((share, diagnosis))

    # -- small things ------------------------------------------------------------------------

    def _share(self, crew: Crew, pilot: ArrayTask, numbers: list[int]) -> Share:
        """These items are judged with what is known of the pilot, and left no more."""
        crew.left.difference_update(numbers)
        for number in numbers:
            crew.reported_made.pop(number, None)
        words = self._words(crew, pilot)
        return Share(crew.attempt, pilot.index, numbers, seen=pilot.seen, words=words)

    def _words(self, crew: Crew, pilot: ArrayTask) -> Heartbeat | None:
        life = crew.journals.last_life(pilot.index)
        return life.words if life else None

    def _pilots_of(self, crew: Crew) -> list[ArrayTask]:
        return [pilot for pilot in self._pilots.values() if pilot.attempt == crew.attempt]

    def _forget(self, pilot: ArrayTask) -> None:
        del self._pilots[pilot.attempt.manifest.name, pilot.index]

    def _grace_is_over(self, pilot: ArrayTask) -> bool:
        return time.monotonic() - pilot.gone_since >= self._grace_s
