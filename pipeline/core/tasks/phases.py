"""A phase: an array of items that can run anywhere, in any order, any number of times.

And how what a phase works on is cut into its items: the same answer everywhere, for ever.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Phase:
    """One array of a task's work; item *n* writes one file.

    Args:
        name: the last phase of every task is `shard`; earlier ones name their folder.
        size: how many items there are; asked only when the phases before are done.
        run: makes item *n*, overwriting what is there.
        transient: only later phases of the same task read it; removed when the task is
            complete.
    """

    name: str
    size: Callable[[], int]
    run: Callable[[int], None]
    transient: bool = False


@dataclass(frozen=True)
class ShardReport:
    """What became of one item.

    Args:
        number: the item.
        error: None, or one sentence for people.
        seconds: wall time it took, once its process was ready.
        cpu_s: CPU time of it, of its process and of what that started and waited for.
        rss_mb: peak memory of the process that ran it, so far.
        log: where the whole traceback lies, when there was one.
        ready_s: CPU time that its process took until it was ready; 0 when it had made another
            one before, or makes everything itself.
        ahead: what became of the same shard of the tasks that come next, by their names, where
            it was carried on.
    """

    number: int
    error: str | None = None
    seconds: float = 0.0
    cpu_s: float = 0.0
    rss_mb: float = 0.0
    log: str | None = None
    ready_s: float = 0.0
    ahead: tuple[tuple[str, ShardReport], ...] = ()


KEYS = 1 << 64
"""How many keys of 64 bits there are."""


def share_of(part: int, parts: int, size: int) -> tuple[int, int]:
    """The half-open range of numbers below `size` that belongs to one of equal parts.

    >>> share_of(1, 4, 2048), share_of(2, 3000, 2048), share_of(1, 2, KEYS) == (2**63, 2**64)
    ((512, 1024), (1, 2), True)
    """
    return part * size // parts, (part + 1) * size // parts


def grouped(items: int, at_once: int) -> list[range]:
    """Runs of so many items, the last maybe shorter.

    >>> grouped(5, 2), grouped(0, 2)
    ([range(0, 2), range(2, 4), range(4, 5)], [])
    """
    return [range(first, min(first + at_once, items)) for first in range(0, items, at_once)]
