"""`[executor] kind = slurm`: each phase of a task is one job array.

The driver submits, watches and mends; it holds nothing that cannot be found again in the
attempts' folders and in squeue, so it may be killed and started again at any moment.
"""

from __future__ import annotations

import fcntl
import logging
import os
import socket
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from itertools import chain
from pathlib import Path

from skord.core.config import executor
from skord.core.executor import Reports, with_progress_bar
from skord.core.failures import ConfigError
from skord.core.tasks.phases import ShardReport
from skord.core.work_item import Resources, WorkItems
from skord.slurm.array_run import ArrayRun
from skord.slurm.commands import cancel_jobs, max_array_size
from skord.slurm.settings import SlurmSettings, check_sections, settings_for
from skord.slurm.submission.attempts import phase_folder
from skord.slurm.submission.submitter import Submitter

PATIENCE_S = 5.0
"""A driver that was killed a moment ago may have left an sbatch behind that still holds it."""


@contextmanager
def held_lock(path: Path) -> Iterator[tuple[int, bool]]:
    """Hold the lock file; gives its descriptor, and whether it had to be waited for.

    Raises:
        ConfigError: another driver holds it; the message says which.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+") as file:
        waited = _take_lock(file.fileno(), path)
        file.truncate(0)
        file.write(f"process {os.getpid()} on {socket.gethostname()}, since {time.ctime()}\n")
        file.flush()
        yield file.fileno(), waited


def _take_lock(descriptor: int, path: Path) -> bool:
    start = time.monotonic()
    waited = False
    while not _is_locked(descriptor, path):
        waited = True
        if time.monotonic() > start + PATIENCE_S:
            raise ConfigError(
                f"another driver is at work on this phase ({path.read_text().strip()}): wait for "
                f"it or end it; its jobs are kept (lock: {path})"
            )
        time.sleep(0.1)
    return waited


def _is_locked(descriptor: int, path: Path) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        raise ConfigError(
            f"{path.parent} is on a file system without locks ({error.strerror}): set [executor] "
            "log_dir to a folder on one that has flock and that every node sees"
        ) from error
    return True


logger = logging.getLogger("luigi-interface")


@cache
def cluster_max_array() -> int:
    """The cluster's MaxArraySize, asked for once; later silence is waited out.

    Raises:
        ConfigError: there is no Slurm, or it does not answer.
    """
    return max_array_size()


class SlurmExecutor:
    """Job arrays on a cluster.

    Args:
        log_dir: where attempts are kept; every node must see it.
        max_array: the most array tasks that the cluster allows in an array.
    """

    def __init__(self, log_dir: Path, max_array: int, *, progress: bool) -> None:
        self.log_dir = log_dir
        self.max_array = max_array
        self.progress = progress

    @classmethod
    def from_config(cls) -> SlurmExecutor:
        """The executor for the cluster that sbatch here submits to.

        Raises:
            ConfigError: there is no Slurm here, or it does not answer.
        """
        chosen = executor()
        return cls(Path(chosen.log_dir), cluster_max_array(), progress=chosen.progress)

    @classmethod
    def check_config(cls, sections: Sequence[str]) -> None:
        """Check [slurm] and [slurm.Task].

        Raises:
            ConfigError: a section, key or value cannot be meant.
        """
        check_sections(sections)

    def map(self, work: WorkItems, resources: Resources) -> Reports:
        """Run the items; adopts what an earlier driver submitted.

        Raises:
            ConfigError: another driver is at work on the phase, or sbatch refuses what the
                settings ask for.
        """
        work, settings, resources = carried_on(work, resources)
        folder = phase_folder(self.log_dir, work.family, work.dump, work.phase, work.fingerprint)
        with held_lock(folder.parent / f"{work.phase}.lock") as (lock, waited):
            submitter = Submitter(work, resources, folder, settings, self.max_array, lock)
            run = ArrayRun(submitter)
            made = [number for number in work.numbers if waited and work.is_done(number)]
            left = [number for number in work.numbers if number not in made]
            reports = chain(map(ShardReport, made), run.run_items(left))
            try:
                yield from with_progress_bar(reports, work, show=self.progress)
            except KeyboardInterrupt:
                _settle_interrupted_jobs(run.job_ids(), settings.on_interrupt)
                raise


def carried_on(work: WorkItems, resources: Resources) -> tuple[WorkItems, SlurmSettings, Resources]:
    """The tasks that the items are carried on through in the same jobs, and what those ask for.

    They are those whose sections ask for the same but for memory and time: of memory a job gets
    the most that one asks for, of time what all ask for together.
    """
    settings = settings_for(work.family)
    mem_gb, time_min = settings.mem_gb or resources.mem_gb, settings.time_min
    ahead = []
    for task in work.ahead:
        theirs = settings_for(task.family)
        if replace(theirs, mem_gb=settings.mem_gb, time_min=settings.time_min) != settings:
            break
        ahead.append(task)
        mem_gb = max(mem_gb, theirs.mem_gb or task.mem_gb)
        time_min += theirs.time_min
    settings = replace(settings, mem_gb=0, time_min=time_min).with_gpus(resources.gpus)
    return replace(work, ahead=tuple(ahead)), settings, replace(resources, mem_gb=mem_gb)


def _settle_interrupted_jobs(job_ids: Sequence[str], on_interrupt: str) -> None:
    """Settle what becomes of the jobs after Ctrl-C, and say so."""
    if not job_ids:
        return
    words = " ".join(job_ids)
    if on_interrupt == "cancel" or (on_interrupt == "ask" and _wants_cancelled(words)):
        cancel_jobs(job_ids)
        logger.warning("interrupted: cancelled job %s", words)
        return
    logger.warning(
        "interrupted: job %s goes on; run the same command again to go on watching it, or "
        "cancel it: scancel %s",
        words,
        words,
    )


def _wants_cancelled(words: str) -> bool:
    """Ask, where somebody can answer; no answer, or another Ctrl-C, leaves the jobs alone."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    print(f"\njob {words} is in the queue: leave it, or cancel it? [L/c] ", end="", file=sys.stderr)
    try:
        return sys.stdin.readline().strip().lower() in ("c", "cancel")
    except KeyboardInterrupt:
        return False
