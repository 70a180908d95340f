"""Why an item is missing: a judgement from what is left of its process, and pure.

Slurm's states mislead (a process killed for memory may read COMPLETED, FAILED or
OUT_OF_MEMORY, one out of time ends with exit code 0), so the item's own heartbeat count
first, then Slurm's state, then what stands at the end of the log.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from skord.slurm.monitoring.heartbeat import Heartbeat, Reason
from skord.slurm.monitoring.queue import Seen


class Kind(StrEnum):
    """Kinds of failure; `next_needs` has a remedy for each."""

    memory = "memory"
    """It needed more memory than it was given."""

    time = "time"
    """Its time was up."""

    node = "node"
    """The node failed, or another job took its place."""

    launch = "launch"
    """Its process ended before it could say a word: a node, or the set-up lines."""

    error = "error"
    """It raised; the same will happen again unless its surroundings were to blame."""

    damaged = "damaged"
    """What it reads is damaged: the task before has to make that again first."""

    cancelled = "cancelled"
    """A person cancelled it."""

    held = "held"
    """It waits for something that never comes by itself."""

    not_reached = "not_reached"
    """Nothing is wrong with it: the process ended before it was its turn."""

    unknown = "unknown"
    """Nobody can say."""


@dataclass(frozen=True)
class Diagnosis:
    """A kind, and the sentence that a person reads."""

    kind: Kind
    sentence: str


TIME_SENTENCE = "its time limit was reached"
MEMORY_SENTENCE = "it was killed for using more memory than it may"
CANCELLED_SENTENCE = "it was cancelled (scancel)"
TIME_STATES = ("TIMEOUT", "DEADLINE")
MEMORY_TEXT = re.compile(r"exceeded .{0,20}memory|oom[-_ ]kill|out[ _]of[ _]memory", re.IGNORECASE)
NODE_STATES = ("NODE_FAIL", "BOOT_FAIL", "PREEMPTED", "REVOKED")
NODE_TEXT = re.compile("DUE TO (NODE FAILURE|PREEMPTION|JOB REQUEUE)")
KILLED = ("RaisedSignal:9", "JobLaunchFailure")

LAUNCH_FAILED = re.compile("launch.failed", re.IGNORECASE)
NEVER_ENDING = re.compile(
    r"DependencyNeverSatisfied|JobHeld(Admin|User)|BadConstraints|"
    r"launch.failed|PartitionTimeLimit|PartitionNodeLimit|Invalid(Account|QOS)|AccountNotAllowed|"
    r"QOSNotAllowed|ReservationDeleted|held state",
    re.IGNORECASE,
)
"""squeue's reasons to wait that no waiting ends."""


def diagnose_item(
    number: int, group: tuple[int, ...], heartbeat: Heartbeat | None, seen: Seen | None, tail: str
) -> Diagnosis:
    """Why item `number` of a array task's group is not there.

    Args:
        group: all items of the array task, in the order of work.
        heartbeat: the array task's heartbeat, or None when it never spoke.
        seen: what Slurm knew of it last, or None.
        tail: the end of what it printed in its last run.
    """
    outcome = heartbeat.outcomes.get(number) if heartbeat else None
    if outcome and outcome.reason in (Reason.memory, Reason.error, Reason.damaged):
        return Diagnosis(Kind(outcome.reason.value), outcome.error)
    if outcome:
        return Diagnosis(Kind.unknown, "it says it is done, but its file cannot be seen")
    death = _diagnose_end(heartbeat, seen, tail)
    its_own = death.kind in (Kind.memory, Kind.time)
    if its_own and number != _under_way(group, heartbeat):
        return Diagnosis(Kind.not_reached, "it was not yet its turn")
    return death


def _under_way(group: tuple[int, ...], heartbeat: Heartbeat | None) -> int:
    """Whom the process was at work on when it ended; the next in line if between two."""
    if heartbeat is None:
        return group[0]
    if heartbeat.item is not None:
        return heartbeat.item
    return next((number for number in group if number not in heartbeat.outcomes), group[0])


def _diagnose_end(heartbeat: Heartbeat | None, seen: Seen | None, tail: str) -> Diagnosis:
    """How the process ended."""
    state, reason = (seen.state, seen.reason) if seen else ("", "")
    node = (seen.node if seen else "") or (heartbeat.host if heartbeat else "")
    shown = f"{state} {reason}".strip() or "no longer known to Slurm"
    at = f"on {node}: {shown}" if node else shown
    last = heartbeat.reason if heartbeat else None
    killed = last == Reason.running and reason.startswith(KILLED)
    for applies, kind, sentence in (
        (last == Reason.time or state in TIME_STATES, Kind.time, TIME_SENTENCE),
        (state == "OUT_OF_MEMORY" or reason == "OutOfMemory", Kind.memory, MEMORY_SENTENCE),
        (MEMORY_TEXT.search(tail), Kind.memory, MEMORY_SENTENCE),
        ("DUE TO TIME LIMIT" in tail, Kind.time, TIME_SENTENCE),
        (state in NODE_STATES, Kind.node, f"the node failed or was taken away ({at})"),
        (NODE_TEXT.search(tail), Kind.node, f"the node failed or was taken away ({at})"),
        (state == "CANCELLED" or "CANCELLED AT" in tail, Kind.cancelled, CANCELLED_SENTENCE),
        (last is None and state, Kind.launch, f"its process never got to work ({at})"),
        (killed, Kind.memory, f"it was killed without a word, as when memory runs out ({at})"),
    ):
        if applies:
            return Diagnosis(kind, sentence)
    return Diagnosis(Kind.unknown, f"it ended without telling why ({at})")


def diagnose_waiting(seen: Seen) -> Diagnosis | None:
    """The diagnosis on a array task that waits for ever, or None for any other.

    What Slurm holds since it could not start it is tried again; what a person, or a limit,
    holds is for people to see to.
    """
    if seen.state not in ("PENDING", "REQUEUE_HOLD", "SPECIAL_EXIT"):
        return None
    if not NEVER_ENDING.search(seen.reason) and seen.state == "PENDING":
        return None
    array_task = f"{seen.job_id}_{seen.index}"
    if LAUNCH_FAILED.search(seen.reason):
        return Diagnosis(Kind.launch, f"Slurm could not start it ({array_task}: {seen.reason})")
    return Diagnosis(
        Kind.held,
        f"{array_task} waits in the queue for what will not come ({seen.reason}): "
        f"`scontrol release {array_task}` or `scancel {array_task}`, and run again",
    )
