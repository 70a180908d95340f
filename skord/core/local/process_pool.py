"""A pool of worker processes, each at the end of a pipe of its own.

Nothing is shared, no queue and no lock: a worker that is killed, at whatever moment, fails the
item it has and leaves nobody waiting, and another is started in its place. All are forked from a
server (`multiprocessing`'s "forkserver") that has imported the graph once.
"""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Generator, Mapping, Sequence
from multiprocessing import forkserver, get_context, parent_process
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkServerContext, SpawnContext
from types import FrameType

from luigi.configuration import LuigiConfigParser, add_config_path

from skord.core.cancellation import is_cancellable, request_checkpoint
from skord.core.tasks.phases import ShardReport
from skord.core.work_item import WorkItem, limit_memory, report_item

logger = logging.getLogger("luigi-interface")

CHECKPOINT_S = 20.0
"""Interrupted, workers have so long to finish the row group that they are at."""

_SERVER = get_context("forkserver")
_SERVER.set_forkserver_preload(["skord.core.local.preloaded"])


class Worker:
    """One process, the pipe to it, and the item that it is at."""

    def __init__(self, spec: WorkItem, mem_gb: float) -> None:
        context = _context()
        self.pipe, other_end = context.Pipe()
        self.process = context.Process(
            target=_work_loop, args=[other_end, dict(os.environ), mem_gb]
        )
        self.process.start()
        other_end.close()
        self.give(spec)

    def give(self, spec: WorkItem) -> None:
        """Have it make an item; if it is dead by now, `report` will say so."""
        self.spec = spec
        with contextlib.suppress(OSError):
            self.pipe.send(spec)

    def report(self) -> ShardReport:
        """Its report on its item, or that it died; waits for either."""
        try:
            report: ShardReport = self.pipe.recv()
        except (EOFError, OSError):
            self.process.join()
            return ShardReport(self.spec.number, error=self._death())
        return report

    def is_dead(self) -> bool:
        """Whether the process has ended."""
        return self.process.exitcode is not None

    def request_checkpoint(self) -> None:
        """Have it leave its shard off, or end at once where nothing of it can be kept."""
        if not self.is_dead() and self.process.pid:
            os.kill(self.process.pid, signal.SIGUSR1)

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


def _context() -> ForkServerContext | SpawnContext:
    """Where processes come from: the server, which is started unless it runs.

    By its environment it knows that it is one. A process that was itself forked from one with a
    server (Luigi's `--workers 2`) can neither use that server nor start another.
    """
    os.environ["SKORD_FORK_SERVER"] = "1"
    try:
        forkserver.ensure_running()
    except ChildProcessError:
        return get_context("spawn")
    finally:
        del os.environ["SKORD_FORK_SERVER"]
    return _SERVER


def reports_of_workers(
    specs: Sequence[WorkItem], workers: int, mem_gb: float
) -> Generator[ShardReport, None, None]:
    """Make items in worker processes; yield one report for each, as they come.

    Closed early, as by Ctrl-C, it has the workers leave their shards off, and ends them before it
    returns; interrupted once more, it ends them at once.

    Args:
        workers: how many processes there are at most.
        mem_gb: memory that one may take.
    """
    waiting = deque(specs)
    at_work: list[Worker] = []
    try:
        while waiting or at_work:
            while waiting and len(at_work) < workers:
                at_work.append(Worker(waiting.popleft(), mem_gb))
            for worker in _wait_for_workers(at_work):
                report = worker.report()
                if waiting and not worker.is_dead():
                    worker.give(waiting.popleft())
                else:
                    at_work.remove(worker)
                    worker.kill()
                yield report
    finally:
        try:
            _request_checkpoints(at_work)
        finally:
            for worker in at_work:
                worker.kill()


def _request_checkpoints(at_work: Sequence[Worker]) -> None:
    """Ask workers to keep what they have made of their shards, and give them time to."""
    if at_work:
        logger.warning(
            "stopping: workers leave their shards off after this row group, which may take up to "
            "%.0f s; Ctrl-C ends them at once",
            CHECKPOINT_S,
        )
    for worker in at_work:
        worker.request_checkpoint()
    end = time.monotonic() + CHECKPOINT_S
    busy = list(at_work)
    while busy and (left_s := end - time.monotonic()) > 0:
        heard = _wait_for_workers(busy, left_s)
        busy = [worker for worker in busy if worker not in heard]


def _wait_for_workers(workers: Sequence[Worker], timeout_s: float | None = None) -> list[Worker]:
    """Those that have reported or ended; waits for the first."""
    ends = [end for worker in workers for end in (worker.pipe, worker.process.sentinel)]
    ready = wait(ends, timeout_s)
    return [w for w in workers if w.pipe in ready or w.process.sentinel in ready]


def _work_loop(pipe: Connection, environment: Mapping[str, str], mem_gb: float) -> None:
    """Make what comes through the pipe, until the driver ends this process."""
    _set_up_worker(environment, mem_gb)
    while True:
        pipe.send(report_item(pipe.recv()))


def _set_up_worker(environment: Mapping[str, str], mem_gb: float) -> None:
    """Die with the driver, leave Ctrl-C to it, take its settings, and stay within the memory."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGUSR1, _checkpoint_or_end)
    threading.Thread(target=_die_with_driver, daemon=True).start()
    os.environ.clear()
    os.environ.update(environment)
    if path := environment.get("LUIGI_CONFIG_PATH"):
        add_config_path(path)
    else:
        LuigiConfigParser.reload()
    limit_memory(mem_gb)


def _die_with_driver() -> None:
    """Wait for the driver's end; the server, this process's parent, lives while a worker does."""
    driver = parent_process()
    if driver:
        driver.join()
    os.kill(os.getpid(), signal.SIGKILL)


def _checkpoint_or_end(number: int, frame: FrameType | None) -> None:
    del number, frame
    if not is_cancellable():
        os.kill(os.getpid(), signal.SIGKILL)
    request_checkpoint()
