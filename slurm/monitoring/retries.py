"""Whether a missing item is tried again, with how much memory and time, and on which nodes.

Values in, values out: who submits and who waits is elsewhere (`array_run`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from skord.slurm.monitoring.diagnosis import Kind
from skord.slurm.settings import SlurmSettings
from skord.slurm.submission.sbatch import Needs

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
        needs: what it had.
        failure_history: all that went wrong with it, the latest last.
        settings: factors, limits and tries.

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
