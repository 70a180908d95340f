"""What Slurm lists: its queue, and its accounts where it keeps any.

An answer that did not come is never taken for an empty one: it is None, for "unknown".
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable
from dataclasses import dataclass

from skord.slurm.commands import call_program

ACTIVE = frozenset(
    [
        "PENDING", "RUNNING", "COMPLETING", "CONFIGURING", "SUSPENDED", "REQUEUED",
        "REQUEUE_FED", "REQUEUE_HOLD", "SPECIAL_EXIT", "RESIZING", "RESV_DEL_HOLD",
        "SIGNALING", "STAGE_OUT", "STOPPED",
    ]
)  # fmt: skip
"""States that may still lead to work."""


@dataclass(frozen=True)
class Seen:
    """One task of an array as Slurm shows it."""

    name: str
    job_id: str
    index: int
    state: str
    node: str = ""
    reason: str = ""

    @property
    def active(self) -> bool:
        """Whether it waits, runs, or may run again."""
        return self.state in ACTIVE


QUEUE_FORMAT = "%j|%F|%K|%T|%N|%r"


def queued_array_tasks(names: Iterable[str]) -> list[Seen] | None:
    """All array tasks of these names, ended ones for as long as Slurm keeps them.

    Returns:
        None when squeue failed: nothing is known.
    """
    command = ["squeue", "--me", "-r", "-h", "-t", "all", "-o", QUEUE_FORMAT]
    answer = call_program([*command, "-n", ",".join(names)])
    return None if answer.status else list(parse_queue(answer.output))


def own_arrays(prefixes: tuple[str, ...]) -> list[Seen] | None:
    """The user's live arrays whose name begins with one of these; None when unknown."""
    answer = call_program(["squeue", "--me", "-r", "-h", "-o", QUEUE_FORMAT])
    if answer.status:
        return None
    return [seen for seen in parse_queue(answer.output) if seen.name.startswith(prefixes)]


def parse_queue(output: str) -> Iterable[Seen]:
    """Lines of squeue in `QUEUE_FORMAT`; what is no task of an array is passed over.

    >>> list(parse_queue("a.b.001|12|3|RUNNING|n1|None\\nsingle|13|N/A|PENDING||Priority\\n"))
    [Seen(name='a.b.001', job_id='12', index=3, state='RUNNING', node='n1', reason='None')]
    """
    for line in output.splitlines():
        parts = line.split("|", 5)
        if len(parts) == 6 and parts[2].isdigit():
            name, job_id, index, state, node, reason = parts
            yield Seen(name, job_id, int(index), state, node, reason)


def accounted_array_tasks(job_id: str) -> dict[int, Seen]:
    """How the array tasks ended, by their index, where the cluster keeps accounts.

    Empty when nothing is known: no sacct, no accounts, or no answer from them. A task that was
    cancelled alone before it began has no entry either.
    """
    fields = ["-o", ACCOUNTING_FIELDS, "-n", "-P", "-X"]
    if shutil.which("sacct") is None:
        return {}
    answer = call_program(["sacct", "-j", job_id, *fields], timeout_s=30)
    if answer.status:
        return {}
    return {seen.index: seen for seen in parse_accounting(answer.output)}


ACCOUNTING_FIELDS = "JobID,State,NodeList,ExitCode"

_ACCOUNT = re.compile(r"(\d+)_(?:(\d+)|\[([\d,:-]+)(?:%\d+)?\])\|(\S+)[^|]*\|([^|]*)\|(\d+):(\d+)")


def parse_accounting(output: str) -> Iterable[Seen]:
    """Lines of sacct in `ACCOUNTING_FIELDS`: `12_3|CANCELLED by 1000|n1|0:15`.

    What never started is one line for all. It may still name tasks that began since and have a
    line of their own, so it comes first, wherever it stood: of two, the later is right.

    >>> lines = "12_5|FAILED|n1|0:9\\n12_[4-5,9%2]|CANCELLED by 0|None assigned|0:0\\n"
    >>> [(s.index, s.state, s.node, s.reason) for s in parse_accounting(lines)][1:]
    [(5, 'CANCELLED', '', ''), (9, 'CANCELLED', '', ''), (5, 'FAILED', 'n1', 'RaisedSignal:9')]
    """
    rows = [row.groups() for row in map(_ACCOUNT.fullmatch, output.splitlines()) if row]
    for job_id, one, many, state, node, code, signal in sorted(rows, key=lambda row: not row[2]):
        for index in _array_indices(one or many):
            began = "" if node == "None assigned" else node
            yield Seen("", job_id, index, state, began, _exit_reason(int(code), int(signal)))


def _exit_reason(code: int, signal: int) -> str:
    """squeue's word for a process that ended so."""
    if signal:
        return f"RaisedSignal:{signal}"
    return "NonZeroExitCode" if code else ""


def _array_indices(text: str) -> Iterable[int]:
    """The array tasks that a range names.

    >>> list(_array_indices("1,4-6,10-16:3"))
    [1, 4, 5, 6, 10, 13, 16]
    """
    for part in text.split(","):
        span, _, step = part.partition(":")
        first, _, last = span.partition("-")
        yield from range(int(first), int(last or first) + 1, int(step or 1))
