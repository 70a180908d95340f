"""From what an array needs to the words of its submission: pure, and tested as data.

The array of an attempt is dense, 0 to k-1, and index i makes the items of group i.
"""

from __future__ import annotations

import hashlib
import math
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from skord.core.failures import ConfigError
from skord.core.work_item import WorkItems
from skord.slurm.settings import SlurmSettings, choose_partition, gpus_in

STOPPED = 75
"""Exit status of an item that was asked to stop (EX_TEMPFAIL of sysexits.h)."""


@dataclass(frozen=True)
class Needs:
    """What an item must get.

    Args:
        time_min: time for `shards_per_array_task` items of the phase, in minutes.
        alone: it shares its array task with no other.
    """

    mem_gb: float
    time_min: int
    alone: bool = False


@dataclass(frozen=True)
class ArrayJob:
    """One array, ready to be submitted.

    Args:
        name: unique for each attempt.
        folder: of the attempt; absolute, and seen by every node.
        limit: how many run at once; 0: as many as Slurm lets.
        exclude: nodes not to use, besides those of the settings.
        module: what each runs.
    """

    name: str
    folder: Path
    size: int
    limit: int
    mem_gb: float
    time_min: int
    exclude: tuple[str, ...] = ()
    module: str = "skord.slurm.worker"


def name_prefix(work: WorkItems) -> str:
    """What the names of all arrays of one phase begin with, and no others.

    The fingerprint distinguishes settings, a few digits of the data folder's digest two runs with
    equal settings: `CCNet.2024-10.shard.0f1e2d3c4b5a6978.bd4741.`
    """
    data = hashlib.sha256(work.data_root.encode()).hexdigest()[:6]
    return f"{work.family}.{work.dump}.{work.phase}.{work.fingerprint}.{data}."


def group_size(count: int, wanted: int, max_array: int) -> int:
    """Items for each array task, so that it has at most `max_array` tasks.

    >>> group_size(100, 1, 1000), group_size(10_000, 1, 1001), group_size(10, 4, 1000)
    (1, 10, 4)
    """
    return max(wanted, math.ceil(count / max_array))


def grouped_numbers(numbers: Sequence[int], size: int) -> tuple[tuple[int, ...], ...]:
    """The numbers in order, `size` together.

    >>> grouped_numbers([1, 2, 5, 7, 8], 2)
    ((1, 2), (5, 7), (8,))
    """
    return tuple(tuple(numbers[at : at + size]) for at in range(0, len(numbers), size))


def time_limit_min(needs: Needs, group: int, settings: SlurmSettings) -> int:
    """Minutes for a group: more than asked for when the array's size made it larger.

    >>> settings = SlurmSettings(shards_per_array_task=2, max_time_min=100)
    >>> [time_limit_min(Needs(2.0, 30), group, settings) for group in (1, 2, 4, 20)]
    [30, 30, 60, 100]
    >>> time_limit_min(Needs(2.0, 30, alone=True), 1, settings)
    30
    """
    times = 1 if needs.alone else math.ceil(group / settings.shards_per_array_task)
    return max(needs.time_min, min(needs.time_min * times, settings.most_time_min(needs.mem_gb)))


def warning_s(time_min: int, settings: SlurmSettings) -> int:
    """Seconds before the end at which Slurm warns; never more than half of the time.

    >>> warning_s(60, SlurmSettings()), warning_s(1, SlurmSettings())
    (120, 30)
    """
    return min(settings.warn_s, time_min * 30)


def partition_for(mem_gb: float, time_min: int, settings: SlurmSettings) -> str:
    """The partition that a job goes to; "" for the cluster's default.

    Raises:
        ConfigError: none of those in the settings holds it.
    """
    partitions = settings.parsed_partitions()
    if not partitions:
        return settings.partition
    gpus = gpus_in(settings.gres)
    partition = choose_partition(partitions, mem_gb, time_min, gpus)
    if partition is None:
        raise ConfigError(
            f"none of [slurm] partitions ({', '.join(p.name for p in partitions)}) holds a job of "
            f"{mem_gb:g} GB, {time_min} min and {gpus} GPUs: ask for less, or name a larger one"
        )
    return partition.name


def sbatch_arguments(job: ArrayJob, settings: SlurmSettings) -> list[str]:
    """The whole command that submits the array; nothing is left to the environment."""
    limit = f"%{job.limit}" if job.limit else ""
    warn_s = warning_s(job.time_min, settings)
    exclude = ",".join([*filter(None, [settings.exclude]), *job.exclude])
    asked = {
        "partition": partition_for(job.mem_gb, job.time_min, settings),
        "account": settings.account,
        "qos": settings.qos,
        "constraint": settings.constraint,
        "gres": settings.gres,
        "exclude": exclude,
        "nice": str(settings.nice) if settings.nice else "",
    }
    return [
        "sbatch",
        "--parsable",
        f"--job-name={job.name}",
        f"--array=0-{job.size - 1}{limit}",
        "--nodes=1",
        "--ntasks=1",
        f"--cpus-per-task={settings.cpus_per_task}",
        f"--mem={math.ceil(job.mem_gb * 1024)}M",
        f"--time={job.time_min}",
        *([f"--signal=B:USR1@{warn_s}"] if warn_s else []),
        "--requeue",
        "--open-mode=append",
        f"--output={job.folder}/logs/%a.out",
        *(f"--{name}={value}" for name, value in asked.items() if value),
        *settings.extra_arguments(),
        f"{job.folder}/job.sh",
    ]


def job_script(
    job: ArrayJob,
    settings: SlurmSettings,
    python: str,
    folder: str,
    config: str,
    *,
    safe_path: bool = False,
) -> str:
    """What each array task runs.

    Args:
        settings: for its set-up lines, launcher and cores.
        folder: where the driver was started; `luigi.cfg` is looked for there.
        config: LUIGI_CONFIG_PATH, absolute, or "".
        safe_path: whether no module is to be imported from that folder, as `python -P` does.
    """
    start = shlex.join([*settings.launcher_words(), settings.python or python])
    lines = [
        "#!/bin/bash",
        f"# ArrayTask N of the array {job.name}; by hand: SLURM_ARRAY_TASK_ID=N bash job.sh",
        f"cd {shlex.quote(folder)} || exit 1",
        *([f"export LUIGI_CONFIG_PATH={shlex.quote(config)}"] if config else []),
        f"export OMP_NUM_THREADS={settings.cpus_per_task}",
        *filter(None, [settings.setup_lines]),
        f"exec {start} {'-P ' if safe_path else ''}-m {job.module} "
        f'{shlex.quote(str(job.folder))} "$SLURM_ARRAY_TASK_ID"',
    ]
    return "\n".join(lines) + "\n"
