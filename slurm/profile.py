"""`skord study slurm profile > cluster.cfg`: starting settings for the cluster it stands on.

Reads Slurm's description of itself (`scontrol show config`, `scontrol show partition`, `sinfo`) and
writes a commented luigi.cfg: which partitions there are to choose from, how much memory and time
each gives, how large an array may be. It submits nothing, and what only people know, the account
and the shared folder, is left to them. From the answers to the text everything is pure.
"""

from __future__ import annotations

import argparse
import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from skord.core.failures import ConfigError
from skord.slurm.commands import NO_SLURM, call_program, complaint_of

CONFIG = ("scontrol", "show", "config")
PARTITIONS = ("scontrol", "show", "partition", "--oneliner")
NODES = ("sinfo", "--noheader", "--exact", "--format=%R|%c|%m|%G|%D")

SHORTEST_MIN = 60
"""Partitions with a shorter limit are for trying things out, and left out."""

FEW_PLACES = 100
"""Arrays of fewer places than this are for pilot jobs."""

MOST_PLACES = 1000
USUAL_MEM_GB = 2.0
"""What most tasks ask for."""

UNLIMITED = ("UNLIMITED", "INFINITE", "NONE")


@dataclass(frozen=True)
class Described:
    """A partition as Slurm describes it.

    Args:
        name: its name.
        is_default: jobs that name none go there.
        time_min: its longest time limit; infinite where there is none.
        mem_gb: memory that a job can have on its largest node.
        cpus: of that node.
        gpus: of the node with the most.
        gres: that node's, such as `gpu:a100:4`.
        nodes: how many there are.
        whole_nodes: a job gets a node to itself.
        left_out: why it is; "" where it is not.
    """

    name: str
    is_default: bool
    time_min: float
    mem_gb: float
    cpus: int
    gpus: int
    gres: str
    nodes: int
    whole_nodes: bool
    left_out: str = ""

    @property
    def limits(self) -> str:
        """A line of the setting `partitions`."""
        words = [self.name, f"mem_gb={self.mem_gb:g}"]
        if self.time_min < math.inf:
            words.append(f"time_min={self.time_min:g}")
        return " ".join([*words, f"gpus={self.gpus}"] if self.gpus else words)


@dataclass(frozen=True)
class NodeKind:
    """Equal nodes of a partition: their memory in MB, cores, generic resources and number."""

    mem_mb: int
    cpus: int
    gres: str
    count: int

    @property
    def gpus(self) -> int:
        """GPUs of one of them.

        >>> [NodeKind(1, 1, gres, 1).gpus for gres in ("gpu:a100:4(S:0-1)", "gpu:2,nvme:1", "")]
        [4, 2, 0]
        """
        gpu_counts = re.findall(r"(?:^|,)gpu(?::[\w.-]*[A-Za-z_][\w.-]*)?:(\d+)", self.gres)
        return sum(map(int, gpu_counts))


def time_limit_min(text: str) -> float:
    """A time limit as Slurm writes it, in minutes.

    >>> [time_limit_min(text) for text in ("infinite", "2-00:00:00", "01:30:00", "30:00")]
    [inf, 2880.0, 90.0, 30.0]
    """
    if text.upper() in UNLIMITED:
        return math.inf
    days, _, clock = text.rpartition("-")
    parts = [int(part) for part in clock.split(":")]
    hours, mins, secs = [*[0] * (3 - len(parts)), *parts]
    return int(days or 0) * 1440.0 + hours * 60 + mins + secs / 60


def partitions_of(described: str, listed: str) -> list[Described]:
    """The partitions, the default first, then by memory, those with GPUs last.

    Args:
        described: the answer to `PARTITIONS`.
        listed: the answer to `NODES`.
    """
    nodes = _read_nodes(listed)
    lines = [line for line in described.splitlines() if line.startswith("PartitionName=")]
    fields = [dict(re.findall(r"(\w+)=(\S*)", line)) for line in lines]
    partitions = [_described_by(field, nodes.get(field["PartitionName"], ())) for field in fields]
    return sorted(partitions, key=lambda p: (p.gpus > 0, not p.is_default, p.mem_gb, p.name))


def _read_nodes(listed: str) -> Mapping[str, Sequence[NodeKind]]:
    kinds: defaultdict[str, list[NodeKind]] = defaultdict(list)
    for line in listed.splitlines():
        parts = [part.strip() for part in line.split("|")]
        if len(parts) == 5:
            name, cpus, mem_mb, gres, count = parts
            numbers = [int(re.match(r"\d*", text)[0] or 0) for text in (mem_mb, cpus, count)]  # type: ignore[index]
            gres = "" if gres == "(null)" else gres
            kinds[name].append(NodeKind(numbers[0], numbers[1], gres, numbers[2]))
    return kinds


def _described_by(fields: Mapping[str, str], kinds: Sequence[NodeKind]) -> Described:
    largest = max(kinds, key=lambda kind: kind.mem_mb, default=NodeKind(0, 0, "", 0))
    richest = max(kinds, key=lambda kind: kind.gpus, default=largest)
    most_mb = fields.get("MaxMemPerNode", "UNLIMITED")
    mem_mb = min(largest.mem_mb, int(most_mb) if most_mb.isdigit() else largest.mem_mb)
    time_min = time_limit_min(fields.get("MaxTime", "UNLIMITED"))
    return Described(
        name=fields["PartitionName"],
        is_default=fields.get("Default") == "YES",
        time_min=math.floor(time_min) if time_min < math.inf else time_min,
        mem_gb=shown_gb(mem_mb),
        cpus=largest.cpus,
        gpus=richest.gpus,
        gres=richest.gres if richest.gpus else "",
        nodes=sum(kind.count for kind in kinds),
        whole_nodes=fields.get("OverSubscribe", "").startswith("EXCLUSIVE"),
        left_out=_reason_left_out(fields, time_min, mem_mb),
    )


def _reason_left_out(fields: Mapping[str, str], time_min: float, mem_mb: int) -> str:
    if fields.get("State", "UP") != "UP":
        return f"State={fields['State']}"
    if fields.get("RootOnly") == "YES":
        return "RootOnly"
    if not mem_mb:
        return "it has no nodes"
    return f"at most {time_min:g} min" if time_min < SHORTEST_MIN else ""


def shown_gb(mem_mb: int) -> float:
    """Gigabytes that are there for sure: whole ones, of a small node tenths.

    >>> shown_gb(257_000), shown_gb(2000)
    (250.0, 1.9)
    """
    gb = mem_mb / 1024
    return float(math.floor(gb)) if gb >= USUAL_MEM_GB * 4 else math.floor(gb * 10) / 10


def setting_of(config: str, name: str) -> str:
    """A line of the answer to `CONFIG`.

    >>> setting_of("ClusterName             = testbed\\n", "ClusterName")
    'testbed'
    """
    match = re.search(rf"^{name}\s*=\s*(\S+)", config, re.MULTILINE)
    return match[1] if match else ""


# -- the text --------------------------------------------------------------------------------


def profile_text(config: str, described: str, listed: str) -> str:
    """The settings as text.

    Args:
        config: the answer to `CONFIG`.
        described: the answer to `PARTITIONS`.
        listed: the answer to `NODES`.

    Raises:
        ConfigError: nothing can run there.
    """
    every = partitions_of(described, listed)
    usable = [partition for partition in every if not partition.left_out]
    if not usable:
        raise ConfigError(
            "no partition takes jobs of an hour or more: "
            + (", ".join(f"{p.name} ({p.left_out})" for p in every) or "none was listed")
        )
    places = int(setting_of(config, "MaxArraySize") or 0)
    if not places:
        raise ConfigError(
            "this cluster takes no job arrays (MaxArraySize = 0), and everything is submitted so"
        )
    lines = [
        *_profile_head(setting_of(config, "ClusterName") or "this cluster"),
        *_slurm_section(every, usable),
        *_size_of_cluster(places),
        *_gpu_section(usable),
    ]
    return "\n".join(lines) + "\n"


def _profile_head(cluster: str) -> Iterator[str]:
    yield from f"""\
# A start for {cluster}, from what its Slurm says of itself (skord study slurm profile). Read it
# through, fill in what is yours, and name this file in LUIGI_CONFIG_PATH: it is read on top of
# luigi.cfg. What each key means, slurm/settings.py says.

[executor]
kind = slurm
# A folder that every node sees.
# log_dir = /shared/folder/logs

[pipeline]
# Such a folder too.
# data_dir = /shared/folder/data

[slurm]
# The project that is charged, where jobs are.
# account =
# Lines that make Python 3.11 or later and this environment usable on a node.
# setup_lines =
#     module load python""".splitlines()


def _slurm_section(every: Sequence[Described], usable: Sequence[Described]) -> Iterator[str]:
    yield "# A job goes to the first of these that holds what it needs:"
    for partition in usable:
        yield f"#   {_described_partitions(partition)}"
    if left_out := [f"{p.name} ({p.left_out})" for p in every if p.left_out]:
        yield f"# Left out: {', '.join(left_out)}."
    yield "partitions ="
    yield from (f"    {partition.limits}" for partition in usable)
    if usable[0].whole_nodes:
        yield f"# Jobs in {usable[0].name} get whole nodes, of which one item uses little: a shared"
        yield "# partition, if there is one, is better put first."
    without_gpus = [partition for partition in usable if not partition.gpus] or usable
    largest_gb = max(partition.mem_gb for partition in without_gpus)
    if largest_gb < USUAL_MEM_GB:
        yield f"# Tasks ask for {USUAL_MEM_GB:g} GB otherwise, which no node has."
        yield f"mem_gb = {largest_gb / 2:.1f}"
    yield "# Memory of an item that ran out of it is doubled up to this."
    yield f"max_mem_gb = {largest_gb:g}"
    longest = max(partition.time_min for partition in without_gpus)
    yield "# Minutes for an item, and what is doubled up to."
    yield "time_min = 60"
    yield f"max_time_min = {min(longest, 10080):g}"


def _described_partitions(lines: Described) -> str:
    what = [f"{lines.nodes} node{'s' * (lines.nodes != 1)} of up to {lines.cpus} cores"]
    what.append(f"{lines.mem_gb:g} GB")
    what.append(f"{lines.time_min:g} min" if lines.time_min < math.inf else "no time limit")
    what += [lines.gres] if lines.gres else []
    what += ["the default"] if lines.is_default else []
    return f"{lines.name}: {', '.join(what)}"


def _size_of_cluster(places: int) -> Iterator[str]:
    yield f"# MaxArraySize of the cluster is {places}."
    if places < FEW_PLACES:
        yield "# Few jobs, each of which takes one item after another until its time is up."
        yield "mode = pilot_jobs"
    yield f"max_array = {min(places, MOST_PLACES)}"


def _gpu_section(usable: Sequence[Described]) -> Iterator[str]:
    with_gpus = [partition for partition in usable if partition.gpus]
    if not with_gpus:
        return
    kinds = re.findall(r"gpu:([\w.-]*[A-Za-z_][\w.-]*):\d", ",".join(p.gres for p in with_gpus))
    yield ""
    yield "[slurm.ProcessMarkdown]"
    yield "# A transformers model asks for one GPU by itself. Of a certain kind, or none:"
    for kind in [f"gpu:{kind}:1" for kind in dict.fromkeys(kinds)] or ["gpu:1"]:
        yield f"# gres = {kind}"
    yield "# gres = none"


def ask_slurm(command: Sequence[str]) -> str:
    """What one of Slurm's programs answers.

    Raises:
        ConfigError: there is none, or it does not answer.
    """
    answer = call_program(command)
    if answer.status:
        reason = complaint_of(answer.complaint) if answer.complaint else NO_SLURM
        raise ConfigError(f"`{' '.join(command)}` does not answer: {reason}")
    return answer.output


def run(options: argparse.Namespace) -> None:
    """Print settings for the cluster that this machine belongs to."""
    del options
    print(profile_text(ask_slurm(CONFIG), ask_slurm(PARTITIONS), ask_slurm(NODES)), end="")
