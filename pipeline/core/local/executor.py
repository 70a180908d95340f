"""Where the elements of a phase run: in this process, or in a pool of processes.

An executor gets a task, a phase's name and numbers, and reports on each number once.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sys
from collections.abc import Generator, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from tqdm import tqdm

from pipeline.core.config import executor
from pipeline.core.failures import ConfigError
from pipeline.core.local.process_pool import reports_of_workers
from pipeline.core.phases import ShardReport
from pipeline.core.work_item import ElementSpec, element_specs, report_element

if TYPE_CHECKING:
    from pipeline.core.sharded_task import ShardedTask

logger = logging.getLogger("luigi-interface")


THREADS = "OMP_NUM_THREADS"
"""Environment variable that OpenBLAS, OpenMP, torch and Arrow take their threads from."""

Reports = Generator[ShardReport, None, None]
"""One report for each element, as it comes."""


class Executor(Protocol):
    """Runs elements and reports each one."""

    def map(self, task: ShardedTask, phase: str, numbers: Sequence[int]) -> Reports:
        """Run the elements; yield one report for each, in any order.

        Closed early, it stops what runs on this machine before it returns.
        """
        ...


class LocalExecutor:
    """A pool of worker processes on this machine.

    Args:
        workers: at most this many processes; 0 runs in this process, where breakpoints work.
        memory_gb: workers times the task's `mem_gb` stays within it.
        log_dir: tracebacks of failed elements.
        progress: draw a bar.
    """

    def __init__(self, workers: int, memory_gb: float, log_dir: Path, *, progress: bool) -> None:
        self.workers = workers
        self.memory_gb = memory_gb
        self.log_dir = log_dir
        self.progress = progress

    def map(self, task: ShardedTask, phase: str, numbers: Sequence[int]) -> Reports:
        """Run the elements, as many at a time as cores and memory allow."""
        specs = element_specs(task, phase, numbers, self.log_dir)
        show = self.progress and bool(specs)
        with contextlib.closing(self._reports(task, specs)) as reports:
            yield from shown(reports, task, phase, len(specs), show=show)

    def _reports(self, task: ShardedTask, specs: Sequence[ElementSpec]) -> Reports:
        workers = min(self.pool_size(task.mem_gb), len(specs))
        if self.workers == 0 or not specs:
            yield from map(report_element, specs)
            return
        with threads_shared(workers):
            yield from reports_of_workers(specs, workers, task.mem_gb)

    def pool_size(self, mem_gb: float) -> int:
        """Workers that memory allows, at least one."""
        return max(1, min(self.workers, int(self.memory_gb // max(mem_gb, 0.001))))


@contextlib.contextmanager
def threads_shared(workers: int) -> Iterator[None]:
    """Share the cores among the processes started meanwhile, unless OMP_NUM_THREADS says how.

    Libraries of linear algebra take every core in each process otherwise, and wait for one
    another at full load.
    """
    given = os.environ.get(THREADS)
    os.environ[THREADS] = given or str(max(1, len(os.sched_getaffinity(0)) // workers))
    try:
        yield
    finally:
        if given is None:
            del os.environ[THREADS]


def shown(
    reports: Iterable[ShardReport], task: ShardedTask, phase: str, total: int, *, show: bool
) -> Iterator[ShardReport]:
    """The reports as they come, with a progress bar if wanted, and errors in the log."""
    bar = tqdm(
        total=total,
        desc=f"{task.task_family} {task.dump} {phase}",
        unit="element",
        disable=not show,
        mininterval=0.5 if sys.stderr.isatty() else 10,
    )
    with bar:
        for report in reports:
            bar.update()
            if report.error:
                logger.error("%s %s: %s", task.task_family, report.number, report.error)
            yield report


def executor_from_config() -> Executor:
    """The executor that [executor] names.

    Raises:
        ConfigError: there is no such executor, or no Slurm to be reached.
    """
    chosen = executor()
    if chosen.kind == "slurm":
        from slurm.executor import slurm_executor  # noqa: PLC0415 - only who names it needs it

        return slurm_executor(Path(chosen.log_dir), progress=chosen.progress)
    if chosen.kind != "local":
        raise ConfigError(f"[executor] kind = {chosen.kind!r} is unknown: set it to local or slurm")
    return LocalExecutor(
        workers=len(os.sched_getaffinity(0)) if chosen.workers < 0 else chosen.workers,
        memory_gb=chosen.memory_gb or _available_gb(),
        log_dir=Path(chosen.log_dir),
        progress=chosen.progress,
    )


def _available_gb() -> float:
    lines = Path("/proc/meminfo").read_text().splitlines()
    kilobytes = next(line.split()[1] for line in lines if line.startswith("MemAvailable"))
    return int(kilobytes) / 2**20
