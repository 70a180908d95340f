"""A pool of worker processes, each at the end of a pipe of its own.

Nothing is shared, no queue and no lock: a worker that is killed, at whatever moment, fails the
element it has and leaves nobody waiting, and another is started in its place.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import signal
from collections import deque
from collections.abc import Generator, Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait

from pipeline.core.elements import ElementSpec, report_element
from pipeline.core.phases import ShardReport

_SPAWN = get_context("spawn")


class Worker:
    """One process, the pipe to it, and the element that it is at."""

    def __init__(self, spec: ElementSpec, mem_gb: float) -> None:
        self.pipe, other_end = _SPAWN.Pipe()
        self.process = _SPAWN.Process(target=_work, args=[other_end, os.getpid(), mem_gb])
        self.process.start()
        other_end.close()
        self.give(spec)

    def give(self, spec: ElementSpec) -> None:
        """Have it make an element; if it is dead by now, `report` will say so."""
        self.spec = spec
        with contextlib.suppress(OSError):
            self.pipe.send(spec)

    def report(self) -> ShardReport:
        """What it says of its element, or that it died; waits for either."""
        try:
            report: ShardReport = self.pipe.recv()
        except (EOFError, OSError):
            self.process.join()
            return ShardReport(self.spec.number, error=self._death())
        return report

    def is_dead(self) -> bool:
        """Whether the process has ended."""
        return self.process.exitcode is not None

    def kill(self) -> None:
        """End it at once; what it has finished is on the disk."""
        self.process.kill()
        self.process.join()
        self.pipe.close()

    def _death(self) -> str:
        code = self.process.exitcode or 0
        how = f"was killed by signal {-code}" if code < 0 else f"died with exit status {code}"
        return (
            f"its worker {how}; if memory ran out, raise [{self.spec.family}] mem_gb to run fewer "
            "at a time"
        )


def reports_of_workers(
    specs: Sequence[ElementSpec], workers: int, mem_gb: float
) -> Generator[ShardReport, None, None]:
    """Make elements in worker processes; yield one report for each, as they come.

    Closed early, it kills the workers before it returns.

    Args:
        specs: the elements.
        workers: how many processes there are at most.
        mem_gb: memory that one may take.
    """
    waiting = deque(specs)
    at_work: list[Worker] = []
    try:
        while waiting or at_work:
            while waiting and len(at_work) < workers:
                at_work.append(Worker(waiting.popleft(), mem_gb))
            for worker in _heard(at_work):
                report = worker.report()
                if waiting and not worker.is_dead():
                    worker.give(waiting.popleft())
                else:
                    at_work.remove(worker)
                    worker.kill()
                yield report
    finally:
        for worker in at_work:
            worker.kill()


def _heard(workers: Sequence[Worker]) -> list[Worker]:
    """Those that have said something or ended; waits for the first."""
    ready = wait([end for worker in workers for end in (worker.pipe, worker.process.sentinel)])
    return [w for w in workers if w.pipe in ready or w.process.sentinel in ready]


def _work(pipe: Connection, driver: int, mem_gb: float) -> None:
    """Make what comes through the pipe, until the driver ends this process."""
    _begin(driver, mem_gb)
    while True:
        pipe.send(report_element(pipe.recv()))


def _begin(driver: int, mem_gb: float) -> None:
    """Die with the driver, leave Ctrl-C to it, and stay within the memory."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    die_with_parent = 1  # PR_SET_PDEATHSIG, prctl(2)
    ctypes.CDLL(None).prctl(die_with_parent, signal.SIGKILL)
    if os.getppid() != driver:
        os.kill(os.getpid(), signal.SIGKILL)
    limit = int(mem_gb * 2**30)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
