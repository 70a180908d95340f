"""`[executor] kind = local`: work items run in this process, or in a pool of processes."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from skord.core.config import executor
from skord.core.executor import Reports, with_progress_bar
from skord.core.failures import ConfigError
from skord.core.local.process_pool import reports_of_workers
from skord.core.work_item import Resources, WorkItem, WorkItems, report_item

THREADS = "OMP_NUM_THREADS"
"""Environment variable that OpenBLAS, OpenMP, torch and Arrow take their threads from."""


class LocalExecutor:
    """A pool of worker processes on this machine.

    Args:
        workers: at most this many processes; 0 runs in this process, where breakpoints work.
        memory_gb: workers times the task's `mem_gb` stays within it.
    """

    def __init__(self, workers: int, memory_gb: float, log_dir: Path, *, progress: bool) -> None:
        self.workers = workers
        self.memory_gb = memory_gb
        self.log_dir = log_dir
        self.progress = progress

    @classmethod
    def from_config(cls) -> LocalExecutor:
        """A pool as [executor] describes it."""
        chosen = executor()
        return cls(
            workers=len(os.sched_getaffinity(0)) if chosen.workers < 0 else chosen.workers,
            memory_gb=chosen.memory_gb or _available_gb(),
            log_dir=Path(chosen.log_dir),
            progress=chosen.progress,
        )

    @classmethod
    def check_config(cls, sections: Sequence[str]) -> None:
        """It has no section of its own.

        Raises:
            ConfigError: luigi.cfg gives it one.
        """
        raise ConfigError(
            f"luigi.cfg: the settings of [{sections[0]}] belong into the section [executor]"
        )

    def map(self, work: WorkItems, resources: Resources) -> Reports:
        """Run the items, as many at a time as cores and memory allow."""
        items = work.items(self.log_dir)
        mem_gb = max([resources.mem_gb, *(task.mem_gb for task in work.ahead)])
        with contextlib.closing(self._reports(items, mem_gb)) as reports:
            yield from with_progress_bar(reports, work, show=self.progress)

    def _reports(self, items: Sequence[WorkItem], mem_gb: float) -> Reports:
        workers = min(self.pool_size(mem_gb), len(items))
        if self.workers == 0 or not items:
            yield from map(report_item, items)
            return
        with threads_shared(workers):
            yield from reports_of_workers(items, workers, mem_gb)

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


def _available_gb() -> float:
    lines = Path("/proc/meminfo").read_text().splitlines()
    kilobytes = next(line.split()[1] for line in lines if line.startswith("MemAvailable"))
    return int(kilobytes) / 2**20
