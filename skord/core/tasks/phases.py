"""A phase: an array of items that can run anywhere, in any order, any number of times.

And how what a phase works on is cut into its items: the same answer everywhere, for ever.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
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


def fixed_size_groups(items: int, at_once: int) -> list[range]:
    """Runs of so many items, the last maybe shorter.

    >>> fixed_size_groups(5, 2), fixed_size_groups(0, 2)
    ([range(0, 2), range(2, 4), range(4, 5)], [])
    """
    return [range(first, min(first + at_once, items)) for first in range(0, items, at_once)]


def contiguous_groups(items: int, groups: int) -> list[int]:
    """The group of each item: contiguous groups whose sizes differ by at most one.

    There are never more groups than items, so none is empty. Group g begins with item
    g * items // groups, as cc_net's shards do, so that both mean the same files.

    >>> contiguous_groups(7, 3)
    [0, 0, 1, 1, 2, 2, 2]
    >>> contiguous_groups(2, 1000)
    [0, 1]
    """
    groups = min(groups, items)
    return [((item + 1) * groups - 1) // items for item in range(items)]


def evenly_spaced_paths(paths: Sequence[str], share: float) -> list[str]:
    """A share of the paths, evenly spaced and at least one; all of them for 1.

    >>> evenly_spaced_paths(["a", "b", "c", "d"], 0.5)
    ['a', 'c']
    >>> evenly_spaced_paths(["a", "b", "c"], 0.01)
    ['a']

    Raises:
        ValueError: the share is not above 0 and at most 1.
    """
    if not 0 < share <= 1:
        raise ValueError(f"a share is above 0 and at most 1, not {share:g}")
    number = max(1, round(len(paths) * share)) if paths else 0
    return [paths[n * len(paths) // number] for n in range(number)]
