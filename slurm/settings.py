"""The sections [slurm] and [slurm.TaskName] of luigi.cfg.

`[slurm]` holds for every task; `[slurm.CCNet]` overrides it for that one. Both know the
same keys, the fields of `SlurmSettings`.
"""

from __future__ import annotations

import difflib
import math
import re
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from luigi.configuration import get_config

from skord.core.failures import ConfigError
from skord.core.registry import task_classes

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


SECTION = "slurm"
ON_INTERRUPT = ("ask", "leave", "cancel")
MODES = ("array", "pilot_jobs")
NO_GRES = "none"


@dataclass(frozen=True)
class SlurmSettings:
    """What one task's arrays ask for, and how they are watched.

    Args:
        mode: `array`: each array task makes items that were settled when it was submitted.
            `pilot_jobs`: as many jobs as `max_array` and `max_concurrent` allow take item after
            item from a directory; for clusters that forbid large arrays, or start jobs slowly.
        pilot_job_min: time limit of a pilot job in minutes; 0: max_time_min. None begins an item
            with less than `time_min` left, which is then the time of one item.
        pilot_idle_s: seconds that a pilot job keeps its node when nothing is left to do, for the
            next phase of this task, or another, to give it more. Above 0, as many pilots are
            submitted as may be, however few items a phase has.
        partition: `--partition`; the cluster's default when empty, as with the next five.
        partitions: instead of one: several, a line each with what they hold, such as
            `bigmem mem_gb=1000 time_min=2880` (and `gpus=4`); a submission goes to the first that
            holds what it needs, so that a retry with more memory moves on to a larger one.
        account: the project that is charged.
        qos: quality of service.
        constraint: features a node must have.
        gres: such as `gpu:a100:1`; empty: `gpu:1` for a task that computes on one; `none`: no
            more than a CPU. The item uses what CUDA_VISIBLE_DEVICES then says.
        exclude: nodes never to use.
        nice: lowers the jobs' priority.
        cpus_per_task: cores of one array task.
        mem_gb: memory of one array task; 0: what the task's own `mem_gb` says.
        time_min: time limit for `shards_per_array_task` shards, in minutes.
        max_concurrent: items of one phase running at once; 0: as many as Slurm lets.
        shards_per_array_task: shards that one array task makes one after another, at least.
        max_array: array tasks of one array, or pilot jobs of one phase, at most; more shards
            make more for each.
        setup_lines: shell lines before Python starts, such as `module load`.
        launcher: what starts Python in a job, quoted as in a shell, such as
            `apptainer exec --bind /shared /shared/skord.sif`; empty: the shell itself.
        python: the interpreter that the launcher finds; empty: the driver's own path.
        extra_args: further arguments of sbatch, quoted as in a shell.
        warn_s: Slurm warns an item this long before its time is up.
        retries: how often an item that was lost, or needed more, is submitted again.
        memory_factor: what memory is multiplied by after an item ran out of it.
        time_factor: the same for the time limit.
        max_mem_gb: memory is never raised above this.
        max_time_min: nor the time limit above this.
        poll_s: between two looks at the queue at first.
        max_poll_s: between two looks later on.
        grace_s: how long a shared disk may take to show a finished file.
        on_interrupt: whether Ctrl-C leaves the jobs running (`leave`), cancels them
            (`cancel`), or asks where there is a terminal to ask at (`ask`).

    Raises:
        ConfigError: a number cannot work.
    """

    mode: str = "array"
    pilot_job_min: int = 0
    pilot_idle_s: int = 0
    partition: str = ""
    partitions: str = ""
    account: str = ""
    qos: str = ""
    constraint: str = ""
    gres: str = ""
    exclude: str = ""
    nice: int = 0
    cpus_per_task: int = 1
    mem_gb: float = 0.0
    time_min: int = 60
    max_concurrent: int = 0
    shards_per_array_task: int = 1
    max_array: int = 1000
    setup_lines: str = ""
    launcher: str = ""
    python: str = ""
    extra_args: str = ""
    warn_s: int = 120
    retries: int = 3
    memory_factor: float = 2.0
    time_factor: float = 2.0
    max_mem_gb: float = 64.0
    max_time_min: int = 1440
    poll_s: float = 5.0
    max_poll_s: float = 60.0
    grace_s: float = 60.0
    on_interrupt: str = "ask"

    def __post_init__(self) -> None:
        for names, least in _LEAST:
            for name in names:
                if getattr(self, name) < least:
                    value = getattr(self, name)
                    raise ConfigError(
                        f"[{SECTION}] {name} = {value:g}: set it to {least:g} or more"
                    )
        for name, words in (("on_interrupt", ON_INTERRUPT), ("mode", MODES)):
            if (value := getattr(self, name)) not in words:
                raise ConfigError(f"[{SECTION}] {name} = {value!r}: give one of {', '.join(words)}")
        if self.partition and self.partitions:
            raise ConfigError(f"[{SECTION}] has partition and partitions: keep one of them")
        self.parsed_partitions()
        self.extra_arguments()
        self.launcher_words()

    def most_mem_gb(self, time_min: float) -> float:
        """What memory is not raised above, for a job of so many minutes.

        >>> two = "a mem_gb=8 time_min=600\\nb mem_gb=32 time_min=60"
        >>> [SlurmSettings(partitions=two).most_mem_gb(minutes) for minutes in (60, 120)]
        [32.0, 8.0]
        """
        return min(self.max_mem_gb, self._most("mem_gb", time_min=time_min))

    def most_time_min(self, mem_gb: float) -> int:
        """What the time limit is not raised above, for a job of so much memory."""
        return int(min(self.max_time_min, self._most("time_min", mem_gb=mem_gb)))

    def _most(self, name: str, mem_gb: float = 0, time_min: float = 0) -> float:
        gpus = gpus_in(self.gres)
        fit = [p for p in self.parsed_partitions() if p.holds(mem_gb, time_min, gpus)]
        return max((getattr(partition, name) for partition in fit), default=math.inf)

    def parsed_partitions(self) -> tuple[Partition, ...]:
        """The partitions to choose from, in the order of preference.

        Raises:
            ConfigError: a line of `partitions` has another form.
        """
        lines = [line.strip() for line in self.partitions.splitlines()]
        return tuple(parse_partition(line) for line in lines if line)

    @property
    def has_pilots(self) -> bool:
        """Whether pilot jobs make the items."""
        return self.mode == "pilot_jobs"

    @property
    def pilot_time_min(self) -> int:
        """Time limit of a pilot job, in minutes."""
        return self.pilot_job_min or self.max_time_min

    def with_gpus(self, gpus: int) -> SlurmSettings:
        """What to ask for, given how many GPUs an item of the task computes on.

        >>> [SlurmSettings(gres=given).with_gpus(1).gres for given in ("", "gpu:a100:1", "none")]
        ['gpu:1', 'gpu:a100:1', '']
        """
        wanted = self.gres or (f"gpu:{gpus}" if gpus else "")
        return replace(self, gres="" if wanted == NO_GRES else wanted)

    def extra_arguments(self) -> list[str]:
        """`extra_args`, split as a shell would.

        Raises:
            ConfigError: a quote is not closed.
        """
        return self._shell_words("extra_args")

    def launcher_words(self) -> list[str]:
        """`launcher`, split as a shell would.

        Raises:
            ConfigError: a quote is not closed.
        """
        return self._shell_words("launcher")

    def _shell_words(self, name: str) -> list[str]:
        text = getattr(self, name)
        try:
            return shlex.split(text)
        except ValueError as error:
            raise ConfigError(f"[{SECTION}] {name} = {text!r}: {error}") from error


_LEAST: tuple[tuple[tuple[str, ...], float], ...] = (
    (("cpus_per_task", "time_min", "shards_per_array_task", "max_array", "max_time_min"), 1),
    (("memory_factor", "time_factor"), 1),
    (("mem_gb", "max_mem_gb", "max_concurrent", "warn_s", "retries", "grace_s"), 0),
    (("pilot_job_min", "pilot_idle_s"), 0),
    (("poll_s", "max_poll_s"), 0.05),
)

KINDS = {field.name: str(field.type) for field in fields(SlurmSettings)}
"""Each key's type, by its name."""


def settings_for(family: str) -> SlurmSettings:
    """What the sections say for one task, or, for "", for all.

    Raises:
        ConfigError: a value has the wrong form or cannot work.
    """
    own = _section_values(f"{SECTION}.{family}") if family else {}
    return SlurmSettings(**{**_section_values(SECTION), **own})


def check_sections(sections: Iterable[str]) -> None:
    """Raise ConfigError for the first section, key or value that cannot be meant."""
    tasks = task_classes()
    for section in sections:
        family = section.removeprefix(SECTION).removeprefix(".")
        if family and family not in tasks:
            raise ConfigError(
                _unknown_setting(f"section [{section}]", family, tasks, f"{SECTION}.")
            )
        settings_for(family)


def _section_values(section: str) -> dict[str, Any]:
    config: Any = get_config()  # type: ignore[no-untyped-call]
    if not config.has_section(section):
        return {}
    values = {}
    for key, text in config[section].items():
        name = key.replace("-", "_")
        if name not in KINDS:
            raise ConfigError(_unknown_setting(f"[{section}] {key}", name, KINDS))
        values[name] = _parsed_setting(section, name, text.strip())
    return values


def _parsed_setting(section: str, name: str, text: str) -> Any:
    kind = KINDS[name]
    try:
        if kind == "int":
            return int(text)
        return float(text) if kind == "float" else text
    except ValueError as error:
        wanted = {"int": "a whole number", "float": "a number"}[kind]
        raise ConfigError(f"[{section}] {name} = {text!r}: give {wanted}") from error


def _unknown_setting(what: str, word: str, known: Iterable[str], prefix: str = "") -> str:
    near = difflib.get_close_matches(word, list(known), n=1)
    hint = f"did you mean {prefix}{near[0]}?" if near else f"known are {', '.join(sorted(known))}"
    return f"luigi.cfg: {what} is not a setting of the Slurm executor; {hint}"
