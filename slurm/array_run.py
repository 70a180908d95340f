"""One phase on the cluster, from its missing items to a report on each."""

from __future__ import annotations

import logging
import random
import time
from collections import Counter, defaultdict
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from skord.core.failures import ConfigError
from skord.core.tasks.phases import ShardReport
from skord.slurm.commands import FullError, RefusedError, cancel_jobs
from skord.slurm.monitoring.diagnosis import Diagnosis, Kind, diagnose_item
from skord.slurm.monitoring.queue import Seen
from skord.slurm.monitoring.watch import ArrayTask, Findings, end_of
from skord.slurm.pilot_jobs.handover import offer_pilots
from skord.slurm.pilot_jobs.item_queue import ItemQueue
from skord.slurm.pilot_jobs.watch import PilotWatch
from skord.slurm.settings import SlurmSettings
from skord.slurm.submission.attempts import Attempt
from skord.slurm.submission.sbatch import Needs
from skord.slurm.submission.submitter import Submitter

ERROR_TRIES = 2
"""An item that raises gets one more chance, alone."""

NODE_STRIKES = 2
"""After so many items were lost on a node it is left out."""

BLIND = 2
"""No more nodes than this are left out before others have made anything: the fault may be
the set-up lines', and is then the same everywhere."""


def next_needs(
    needs: Needs, failure_history: Sequence[Kind], settings: SlurmSettings
) -> Needs | None:
    """What an item gets in its next try; None when there is none.

    Args:
        failure_history: all that went wrong with it, the latest last.

    >>> settings = SlurmSettings(max_mem_gb=12)
    >>> next_needs(Needs(8.0, 60), [Kind.memory], settings)
    Needs(mem_gb=12, time_min=60, alone=True)
    >>> next_needs(Needs(12.0, 60), [Kind.memory] * 2, settings) is None
    True
    """
    kind = failure_history[-1]
    hopeless = kind in (Kind.cancelled, Kind.held, Kind.damaged)
    if hopeless or len(failure_history) > settings.retries:
        return None
    if kind == Kind.memory:
        most = settings.most_mem_gb(needs.time_min)
        return _raised_needs(needs, min(needs.mem_gb * settings.memory_factor, most), 0)
    if kind == Kind.time:
        most_min = settings.most_time_min(needs.mem_gb)
        minutes = min(round(needs.time_min * settings.time_factor), most_min)
        return _raised_needs(needs, 0, minutes)
    if kind == Kind.error:
        again = list(failure_history).count(Kind.error) < ERROR_TRIES
        return replace(needs, alone=True) if again else None
    return needs


def _raised_needs(needs: Needs, mem_gb: float, time_min: int) -> Needs | None:
    more = replace(
        needs,
        mem_gb=max(needs.mem_gb, mem_gb),
        time_min=max(needs.time_min, time_min),
        alone=True,
    )
    return None if replace(more, alone=needs.alone) == needs else more


@dataclass
class NodeRecord:
    """Which nodes lose items, and which make them."""

    lost: Counter[str] = field(default_factory=Counter)
    made: Counter[str] = field(default_factory=Counter)

    def note(self, node: str, kind: Kind) -> None:
        """An item was lost on a node, to something the node may be guilty of."""
        if node and kind in (Kind.node, Kind.launch, Kind.unknown):
            self.lost[node] += 1

    def excluded_nodes(self) -> tuple[str, ...]:
        """Nodes to leave out, the worst first.

        >>> NodeRecord(Counter(n1=2, n2=1)).excluded_nodes()
        ('n1',)
        >>> NodeRecord(Counter(n1=2, n2=3, n3=2)).excluded_nodes()
        ('n2', 'n1')
        >>> NodeRecord(Counter(n1=2, n2=3, n3=2), Counter(n4=1)).excluded_nodes()
        ('n2', 'n1', 'n3')
        """
        bad = [node for node, times in self.lost.most_common() if times >= NODE_STRIKES]
        proven = bool(set(self.made) - set(bad))
        return tuple(bad if proven else bad[:BLIND])


GROWTH = 1.3
"""How much longer the driver waits from one look at the queue to the next."""

LATENESS = 0.02
"""How late an item's end may be seen, as a share of the time since the last submission."""

LEAST_S = 1.0
"""Seconds between two polls at the files, at least."""

REST = 20
"""A poll is followed by a rest so many times as long: slow disks are asked less often."""


class Pace:
    """The driver's clock.

    Args:
        poll_s: between two looks at the queue at first.
        max_poll_s: between two looks later on.
    """

    def __init__(self, poll_s: float, max_poll_s: float) -> None:
        self.longest_s = max(max_poll_s, poll_s)
        self._poll_s = poll_s
        self.restart()

    def restart(self) -> None:
        """Something was submitted: look often again."""
        self._since = time.monotonic()
        self._pause_s = self._poll_s

    def polls(self) -> Iterator[None]:
        """Wait until the next look at the queue is due; yields when a poll at files is."""
        end = time.monotonic() + self._pause_s * random.uniform(0.9, 1.0)
        self._pause_s = min(self._pause_s * GROWTH, self.longest_s)
        took_s = 0.0
        while (now := time.monotonic()) < end:
            wait_s = rest_s(now - self._since, took_s)
            time.sleep(min(wait_s, end - now))
            began = time.monotonic()
            if began < end:
                yield
            took_s = time.monotonic() - began


def rest_s(gone_s: float, took_s: float) -> float:
    """Seconds from one poll to the next.

    Args:
        took_s: what the last poll took.

    >>> rest_s(10, 0.01), rest_s(600, 0.01), rest_s(10, 0.5)
    (1.0, 12.0, 10.0)
    """
    return max(LEAST_S, gone_s * LATENESS, took_s * REST)


logger = logging.getLogger("luigi-interface")


@dataclass(frozen=True)
class Waiting:
    """An item that is to be submitted; since when, by the monotonic clock."""

    number: int
    needs: Needs
    since: float


class ArrayRun:
    """The arrays of one phase, in one call of the executor."""

    def __init__(self, submitter: Submitter) -> None:
        work, settings = submitter.work, submitter.settings
        self.settings = settings
        self.title = work.title
        self._submitter = submitter
        self._watch = PilotWatch(work.is_carried_on, work.is_written, grace_s=settings.grace_s)
        self._pace = Pace(settings.poll_s, settings.max_poll_s)
        self._pool: list[Waiting] = []
        self._unsent: list[Attempt] = []
        self._failure_history: defaultdict[int, list[Kind]] = defaultdict(list)
        self._nodes = NodeRecord()
        self._taken = False

    def job_ids(self) -> list[str]:
        """The arrays that are in the queue, as far as is known."""
        return [attempt.job_id for attempt in self._watch.attempts() if attempt.job_id]

    def run_items(self, numbers: Sequence[int]) -> Iterator[ShardReport]:
        """Run the items; yields one report for each.

        Raises:
            ConfigError: sbatch refuses the first array, or a stranger is at work.
        """
        self._begin(numbers)
        while True:
            if (yield from self._submit()):
                self._pace.restart()
            yield from self._conclude(self._watch.look())
            if self._over():
                return
            for _ in self._pace.polls():
                yield from self._conclude(self._watch.poll())
                if self._over():
                    return

    def _over(self) -> bool:
        return not (self._pool or self._unsent or self._watch.is_busy())

    def _begin(self, numbers: Sequence[int]) -> None:
        """Take over what is alive; the rest is to be submitted."""
        left = list(numbers)
        for attempt in self._submitter.live():
            watched = set(self._adopt(attempt, left))
            left = [number for number in left if number not in watched]
        needs = Needs(
            self.settings.mem_gb or self._submitter.resources.mem_gb, self.settings.time_min
        )
        self._pool = [Waiting(number, needs, 0.0) for number in left]

    def _adopt(self, attempt: Attempt, numbers: Sequence[int]) -> Sequence[int]:
        mine = self._watch.add(attempt, numbers, began=True)
        for number in mine:
            kinds = attempt.manifest.failure_history.get(number, [])
            self._failure_history[number] = [Kind(kind) for kind in kinds]
        self._taken = True
        logger.info("%s: job %s goes on (%s)", self.title, attempt.job_id, attempt.folder)
        return mine

    # -- submitting ------------------------------------------------------------------------

    def _submit(self) -> Generator[ShardReport, None, bool]:
        """Write attempts for those who wait, and send what is written; returns whether any went."""
        self._write_attempts()
        sent = False
        for attempt in list(self._unsent):
            numbers = [number for group in attempt.manifest.groups for number in group]
            try:
                if not self._submitter.send(attempt):
                    continue
            except FullError as error:
                logger.warning("%s: a smaller array, since %s", self.title, error)
                self._wait_again(numbers, attempt.manifest.needs)
            except RefusedError as error:
                if not self._taken:
                    raise ConfigError(f"{error} ({attempt.folder}/sbatch.json)") from error
                yield from self._report_refused(attempt, numbers, str(error))
            else:
                self._note_sent(attempt, numbers)
                sent = True
            self._unsent.remove(attempt)
            if not attempt.job_id:
                ItemQueue(attempt.folder, len(attempt.manifest.groups)).remove()
        return sent

    def _note_sent(self, attempt: Attempt, numbers: Sequence[int]) -> None:
        self._taken = True
        self._watch.add(attempt, numbers)
        logger.info("%s: %s", self.title, attempt.describe())

    def _write_attempts(self) -> None:
        busy = self._watch.is_busy() or bool(self._unsent)
        for needs, _ in reversed(Counter(waiting.needs for waiting in self._pool).most_common()):
            together = [waiting for waiting in self._pool if waiting.needs == needs]
            long_s = time.monotonic() - min(waiting.since for waiting in together)
            room = self._room()
            if (busy and long_s < self._pace.longest_s) or room == 0:
                continue
            waiting_now = sorted(waiting.number for waiting in together)
            numbers = self._submitter.fitting(waiting_now, needs)
            going = set(numbers)
            self._pool = [waiting for waiting in self._pool if waiting.number not in going]
            exclude = self._nodes.excluded_nodes()
            self._unsent.append(
                self._submitter.write(numbers, needs, room or 0, exclude, self._failure_history)
            )

    def _room(self) -> int | None:
        """How many more array tasks may run at once; None when nobody counts."""
        most = self.settings.max_concurrent
        if self.settings.has_pilots:
            most = min(most or self._submitter.cap, self._submitter.cap)
        if not most:
            return None
        unsent = sum(a.manifest.limit or a.manifest.array_tasks for a in self._unsent)
        return max(most - self._watch.at_once() - unsent, 0)

    def _wait_again(self, numbers: Sequence[int], needs: Needs) -> None:
        now = time.monotonic()
        self._pool += [Waiting(number, needs, now) for number in numbers]

    def _report_refused(
        self, attempt: Attempt, numbers: Sequence[int], why: str
    ) -> Iterator[ShardReport]:
        for number in numbers:
            before = ", ".join(self._failure_history[number])
            yield ShardReport(
                number, error=f"{why} (after: {before})", log=str(attempt.folder / "sbatch.json")
            )

    # -- concluding ------------------------------------------------------------------------

    def _conclude(self, findings: Findings) -> Iterator[ShardReport]:
        for array_task, number in findings.done:
            yield self._report_done(array_task, number)
        for array_task, diagnosis in findings.held:
            if diagnosis.kind == Kind.launch:
                cancel_jobs([f"{array_task.attempt.job_id}_{array_task.index}"])
            yield from self._judge(array_task, dict.fromkeys(array_task.left, diagnosis), "")
        accounts: dict[str, dict[int, Seen]] = {}
        for array_task in findings.lost:
            yield from self._judge_lost(array_task, end_of(array_task, accounts))
        for array_task in findings.failed:
            yield from self._judge_lost(array_task, None)
        for array_task in findings.not_reached:
            logger.info("%s: a pilot job ended, %d items wait", self.title, len(array_task.left))
            self._wait_again(array_task.left, array_task.attempt.manifest.needs)
        for attempt in findings.idle:
            if attempt.manifest.idle_s:
                offer_pilots(attempt)
            else:
                cancel_jobs(["--state=PENDING", attempt.job_id])

    def _report_done(self, array_task: ArrayTask, number: int) -> ShardReport:
        heartbeat = array_task.heartbeat()
        outcome = heartbeat.outcomes.get(number) if heartbeat else None
        if heartbeat:
            self._nodes.made[heartbeat.host] += 1
        if not outcome:
            return ShardReport(number)
        return ShardReport(
            number,
            seconds=outcome.seconds,
            cpu_s=outcome.cpu_s,
            rss_mb=outcome.peak_mb,
            ready_s=outcome.ready_s,
            ahead=tuple(
                (family, ShardReport(number, None, seconds, cpu_s, outcome.peak_mb))
                for family, seconds, cpu_s in outcome.ahead
            ),
        )

    def _judge_lost(self, array_task: ArrayTask, end: Seen | None) -> Iterator[ShardReport]:
        heartbeat, tail = array_task.heartbeat(), array_task.attempt.log_tail(array_task.index)
        diagnoses = {
            n: diagnose_item(n, array_task.group, heartbeat, end, tail) for n in array_task.left
        }
        node = end.node if end and end.node else heartbeat.host if heartbeat else ""
        yield from self._judge(array_task, diagnoses, node)

    def _judge(
        self, array_task: ArrayTask, diagnoses: Mapping[int, Diagnosis], node: str
    ) -> Iterator[ShardReport]:
        """Submit what is left of a array task again, or report it."""
        for kind in {diagnosis.kind for diagnosis in diagnoses.values()}:
            self._nodes.note(node, kind)
        for number, diagnosis in diagnoses.items():
            needs: Needs | None = array_task.attempt.manifest.needs
            if diagnosis.kind != Kind.not_reached and needs:
                self._failure_history[number].append(diagnosis.kind)
                needs = next_needs(needs, self._failure_history[number], self.settings)
            if needs is None:
                yield self._report_failed(array_task, number, diagnosis)
                continue
            what = f"{diagnosis.sentence}; again with {needs.mem_gb:g} GB, {needs.time_min} min"
            log = array_task.attempt.log(array_task.index)
            logger.warning("%s %d: %s (%s)", self.title, number, what, log)
            self._wait_again([number], needs)

    def _report_failed(
        self, array_task: ArrayTask, number: int, diagnosis: Diagnosis
    ) -> ShardReport:
        tries = len(self._failure_history[number])
        times = f" ({tries} tries: {', '.join(self._failure_history[number])})" if tries > 1 else ""
        log = array_task.attempt.log(array_task.index)
        return ShardReport(
            number,
            error=f"{diagnosis.sentence}{times}",
            log=str(log) if log.exists() else str(array_task.attempt.folder),
        )
