"""What Slurm lists: its queue, and its accounts where it keeps any.

An answer that did not come is never taken for an empty one: it is None, for "unknown".
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable
from dataclasses import dataclass

from slurm.commands import call

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
    """One place of an array as Slurm shows it."""

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


def queue(names: Iterable[str]) -> list[Seen] | None:
    """All places of the arrays of these names, ended ones for as long as Slurm keeps them.

    Returns:
        None when squeue failed: nothing is known.
    """
    command = ["squeue", "--me", "-r", "-h", "-t", "all", "-o", QUEUE_FORMAT]
    answer = call([*command, "-n", ",".join(names)])
    return None if answer.status else list(parse_queue(answer.output))


def own_arrays(prefix: str) -> list[Seen] | None:
    """The user's live arrays whose name begins with the prefix; None when unknown."""
    answer = call(["squeue", "--me", "-r", "-h", "-o", QUEUE_FORMAT])
    if answer.status:
        return None
    return [seen for seen in parse_queue(answer.output) if seen.name.startswith(prefix)]


def parse_queue(output: str) -> Iterable[Seen]:
    """Lines of squeue in `QUEUE_FORMAT`; what is no place of an array is passed over.

    >>> list(parse_queue("a.b.001|12|3|RUNNING|n1|None\\nsingle|13|N/A|PENDING||Priority\\n"))
    [Seen(name='a.b.001', job_id='12', index=3, state='RUNNING', node='n1', reason='None')]
    """
    for line in output.splitlines():
        parts = line.split("|", 5)
        if len(parts) == 6 and parts[2].isdigit():
            name, job_id, index, state, node, reason = parts
            yield Seen(name, job_id, int(index), state, node, reason)


def accounting(job_id: str) -> dict[int, Seen]:
    """How the places of an array ended, by their index, where the cluster keeps accounts."""
    fields = ["-o", "JobID,State,NodeList", "-n", "-P", "-X"]
    answer = call(["sacct", "-j", job_id, *fields], timeout_s=30) if _has_sacct() else None
    if answer is None or answer.status:
        return {}
    return {seen.index: seen for seen in parse_accounting(answer.output)}


def _has_sacct() -> bool:
    return shutil.which("sacct") is not None


def parse_accounting(output: str) -> Iterable[Seen]:
    """Lines of sacct: `12_3|CANCELLED by 1000|n1`; a range never started is one line.

    >>> [(s.index, s.state) for s in parse_accounting("12_[4-5,9%2]|CANCELLED by 0|None\\n")]
    [(4, 'CANCELLED'), (5, 'CANCELLED'), (9, 'CANCELLED')]
    """
    for line in output.splitlines():
        found = re.fullmatch(r"(\d+)_(?:(\d+)|\[([\d,-]+)(?:%\d+)?\])\|(\S+)[^|]*\|(.*)", line)
        if found:
            job_id, one, many, state, node = found.groups()
            for index in _indices(one or many):
                yield Seen("", job_id, index, state, node)


def _indices(text: str) -> Iterable[int]:
    for part in text.split(","):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)
