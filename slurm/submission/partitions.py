"""Several partitions, and which one a submission goes to. Pure."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from skord.core.failures import ConfigError

FORM = "NAME mem_gb=NUMBER time_min=NUMBER gpus=NUMBER"

LIMITS = ("mem_gb", "time_min", "gpus")


@dataclass(frozen=True)
class Partition:
    """A partition, and what it holds for one job.

    Args:
        name: what `--partition` gets; may be several, with commas.
        mem_gb: memory of a node.
        time_min: longest time limit.
        gpus: of a node.
    """

    name: str
    mem_gb: float = math.inf
    time_min: float = math.inf
    gpus: int = 0

    def holds(self, mem_gb: float, time_min: float, gpus: int) -> bool:
        """Whether a job that needs so much can run there."""
        return mem_gb <= self.mem_gb and time_min <= self.time_min and gpus <= self.gpus


def parse_partition(line: str) -> Partition:
    """A line of the setting `partitions`; what is left out is without limit, and no GPU.

    >>> parse_partition("bigmem mem_gb=1000 time_min=2880")
    Partition(name='bigmem', mem_gb=1000.0, time_min=2880.0, gpus=0)

    Raises:
        ConfigError: it has another form.
    """
    name, *words = line.split()
    fields = [re.fullmatch(r"(\w+)=(\d+(?:\.\d+)?)", word) for word in words]
    limits = {match[1]: float(match[2]) for match in fields if match}
    if len(limits) < len(words) or "=" in name or set(limits) - set(LIMITS):
        raise ConfigError(f"[slurm] partitions: {line!r} is not {FORM} (those may be left out)")
    gpus = int(limits.pop("gpus", 0))
    return Partition(name, **limits, gpus=gpus)


def choose_partition(
    partitions: Sequence[Partition], mem_gb: float, time_min: int, gpus: int
) -> Partition | None:
    """The first that holds the job, one without GPUs if it needs none; None: there is no such.

    >>> some = [parse_partition(x) for x in ("gpu mem_gb=64 gpus=4", "small mem_gb=64", "big")]
    >>> [choose_partition(some, gb, 60, gpus).name for gb, gpus in ((8, 0), (100, 0), (8, 1))]
    ['small', 'big', 'gpu']
    """
    fitting = [p for p in partitions if p.holds(mem_gb, time_min, gpus)]
    return min(fitting, key=lambda p: bool(p.gpus) and not gpus, default=None)


def gpus_in(gres: str) -> int:
    """How many GPUs a job with these generic resources has.

    >>> [gpus_in(gres) for gres in ("", "gpu", "gpu:2", "gpu:a100:4,license:1", "shard:1")]
    [0, 1, 2, 4, 1]
    """
    counted = 0
    for part in filter(None, gres.split(",")):
        name, *rest = part.split(":")
        if name == "shard":
            counted += 1
        elif name == "gpu":
            counted += int(rest[-1]) if rest and rest[-1].isdigit() else 1
    return counted
