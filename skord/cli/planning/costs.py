"""What a dump will take, estimated from what a part of it took.

Nearly everything grows with the bytes of WET text that a task has to do with; what reads the
crawl's index grows with the bytes of that. Starting a process costs the same whatever it does, and
memory is that of a row group and of a model, however much there is. What a shard costs beside its
bytes is separated from them by a part with shards as large as those of the whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class PhaseSeen:
    """One phase, as it ran.

    Attributes:
        name: of the phase, without the number of its parts.
        items: how many ran.
        seconds: of CPU over all of them.
        first_s: of that, over the items that their processes made first.
        first_share: what share of all that the items had to do was in those.
        ready_s: CPU seconds in which a process starts, before its first item.
        processes: how many made the items.
        wall_s: wall time of the items, added up.
        peak_mb: the most that a process held.
    """

    name: str
    items: int
    seconds: float
    first_s: float = 0.0
    first_share: float = 0.0
    ready_s: float = 0.0
    processes: int = 1
    wall_s: float = 0.0
    peak_mb: float = 0.0

    @property
    def has_repeats(self) -> bool:
        """Whether some process made more than one item, so that the first can be compared."""
        return self.first_share < 1

    def each_s(self, usual_once_s: float = 0.0) -> float:
        """Seconds of an item in a process that has made others before.

        `usual_once_s`, what the first item of a process takes beyond later ones in other phases,
        counts where no process made a second.
        """
        mean_s = self.seconds / max(self.items, 1)
        if not self.has_repeats:
            return max(mean_s - usual_once_s * self.processes / max(self.items, 1), 0.0)
        later_s = (self.seconds - self.first_s) / (1 - self.first_share)
        return min(later_s / max(self.items, 1), mean_s)

    def beyond_s(self, usual_once_s: float = 0.0) -> float:
        """Seconds that the first item of a process takes beyond later ones: loading a model, say."""
        return (self.seconds - self.items * self.each_s(usual_once_s)) / max(self.processes, 1)


@dataclass(frozen=True)
class PhaseCost:
    """One phase as it was measured, and how much more of it there will be.

    Attributes:
        scale: how many times the amount they had to do with the whole has.
        whole_items: how many items the whole has.
        on_gpu: whether an item computes on a GPU.
        waits: whether items wait for an endpoint or a GPU.
    """

    task: str
    seen: PhaseSeen
    scale: float
    whole_items: int
    on_gpu: bool = False
    waits: bool = False


@dataclass(frozen=True)
class TaskSpace:
    """What one task's files take in the end, and at most while it runs, in bytes."""

    task: str
    kept_bytes: float
    held_bytes: float


@dataclass(frozen=True)
class PhaseForecast:
    """What one phase will take.

    Attributes:
        wall_s: seconds from its start to its end, all cores at work on it, and on nothing else.
        peak_mb: the most that a process holds.
    """

    task: str
    phase: str
    items: int
    core_s: float
    wall_s: float
    on_gpu: bool
    peak_mb: float = 0.0


def forecast_phases(costs: Sequence[PhaseCost], cores: int) -> list[PhaseForecast]:
    """What each phase of the whole will take, with so many items at once.

    >>> cost = PhaseCost("A", PhaseSeen("shard", items=2, seconds=20.0), scale=10, whole_items=20)
    >>> [(f.core_s, f.wall_s) for f in forecast_phases([cost], cores=4)]
    [(200.0, 50.0)]

    A model that each process loads is counted once for each core, and so is the start of Python:

    >>> seen = PhaseSeen("shard", 2, 20.0, first_s=16.0, first_share=0.5, ready_s=1.0)
    >>> [(f.core_s, f.wall_s) for f in forecast_phases([PhaseCost("A", seen, 10, 20)], cores=4)]
    [(132.0, 33.0)]
    """
    beyond = sorted(c.seen.beyond_s() for c in costs if c.seen.has_repeats and c.seen.first_s)
    usual_s = beyond[(len(beyond) - 1) // 2] if beyond else 0.0  # the lower median
    start_s = min((c.seen.each_s(usual_s) for c in costs if c.seen.items), default=0.0)
    return [_forecast(cost, start_s, usual_s, cores) for cost in costs]


def _forecast(cost: PhaseCost, start_s: float, usual_s: float, cores: int) -> PhaseForecast:
    """One phase.

    `start_s` is what an item takes before it does anything: what the quickest phase takes for one;
    `usual_s` is what first items usually take beyond later ones.
    """
    seen, processes = cost.seen, max(min(cores, cost.whole_items), 1)
    moving_s = seen.items * max(seen.each_s(usual_s) - start_s, 0.0)
    once_s = seen.ready_s + seen.beyond_s(usual_s)
    core_s = cost.whole_items * start_s + moving_s * cost.scale + processes * once_s
    waited = max(seen.wall_s / seen.seconds, 1.0) if cost.waits and seen.seconds else 1.0
    return PhaseForecast(
        cost.task,
        seen.name,
        cost.whole_items,
        core_s,
        core_s * waited / processes,
        cost.on_gpu,
        seen.peak_mb,
    )


def peak_bytes(spaces: Sequence[TaskSpace]) -> float:
    """The most that the disk holds at once, when tasks run one after another and all is kept.

    >>> peak_bytes([TaskSpace("A", 10, 30), TaskSpace("B", 5, 15)])
    30.0
    >>> peak_bytes([TaskSpace("A", 10, 10), TaskSpace("B", 5, 25)])
    35.0
    """
    before, peak = 0.0, 0.0
    for space in spaces:
        peak = max(peak, before + max(space.held_bytes, space.kept_bytes))
        before += space.kept_bytes
    return peak
