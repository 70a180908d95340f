"""Where the elements of a phase run: in this process, or in a pool of processes.

An executor gets a task, a phase's name and numbers, and reports on each number once.
Nothing is pickled but words: a worker builds the task from its name and parameters, so
a worker on another machine does the same.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import json
import logging
import os
import resource
import signal
import sys
import time
import traceback
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, as_completed
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import pebble
from luigi.cmdline_parser import CmdlineParser
from luigi.task_register import Register
from tqdm import tqdm

from pipeline.core.failures import ConfigError, PipelineError, ShardError
from pipeline.core.graph_modules import load_graph, task_class
from pipeline.core.phases import ShardReport
from pipeline.core.run_log import traceback_path
from pipeline.core.settings import executor

if TYPE_CHECKING:
    from pipeline.core.sharded_task import ShardedTask

logger = logging.getLogger("luigi-interface")


@dataclass(frozen=True)
class ElementSpec:
    """One element in words; all that travels to a worker.

    Args:
        family: the task's name.
        params: its parameters as JSON of strings.
        phase: the phase's name.
        number: the element.
        stamp: what the driver expects, or "" for no check; a worker that computes
            another one was started with other settings and refuses.
        options: what the driver's command line set for tasks anywhere in the graph, such
            as `--CCNet-rule top`, so that it counts in the worker too.
        log: file for a traceback.
    """

    family: str
    params: str
    phase: str
    number: int
    stamp: str = ""
    options: tuple[str, ...] = ()
    log: str = ""


class Executor(Protocol):
    """Runs elements and reports each one."""

    def map(self, task: ShardedTask, phase: str, numbers: Sequence[int]) -> Iterator[ShardReport]:
        """Run the elements; yield one report for each, in any order."""
        ...


def run_element(spec: ElementSpec) -> None:
    """Build the task that the words describe and make one element.

    Raises:
        ShardError: the settings here are not those of whoever submitted the element.
    """
    with _built(spec) as task:
        task.run_element(spec.phase, spec.number)


def element_done(spec: ElementSpec) -> bool:
    """Whether the element that the words describe is in place already.

    Raises:
        ShardError: the settings here are not those of whoever submitted the element.
    """
    with _built(spec) as task:
        return task.done(spec.phase, spec.number)


@contextlib.contextmanager
def _built(spec: ElementSpec) -> Iterator[ShardedTask]:
    load_graph()
    with _options(spec.family, spec.options):
        task = task_class(spec.family).from_str_params(json.loads(spec.params))
        if spec.stamp and task.stamp != spec.stamp:
            raise ShardError(
                "the settings changed between submission and start: run the task again"
            )
        yield task


def report_element(spec: ElementSpec) -> ShardReport:
    """Make one element; whatever goes wrong becomes the report."""
    start = time.monotonic()
    report = ShardReport(spec.number)
    try:
        run_element(spec)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - an element's error is its report
        report = replace(report, error=sentence_of(error), log=_write_log(spec))
    peak_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return replace(report, seconds=time.monotonic() - start, rss_mb=peak_kb / 1024)


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

    def map(self, task: ShardedTask, phase: str, numbers: Sequence[int]) -> Iterator[ShardReport]:
        """Run the elements, as many at a time as cores and memory allow."""
        specs = element_specs(task, phase, numbers, self.log_dir)
        show = self.progress and bool(specs)
        yield from shown(self._reports(task, specs), task, phase, len(specs), show=show)

    def _reports(self, task: ShardedTask, specs: Sequence[ElementSpec]) -> Iterator[ShardReport]:
        workers = min(self.pool_size(task.mem_gb), len(specs))
        if self.workers == 0 or not specs:
            yield from map(report_element, specs)
            return
        with _pool(workers, task.mem_gb) as pool:
            futures: dict[Future[ShardReport], ElementSpec] = {
                pool.schedule(report_element, args=[spec]): spec for spec in specs
            }
            for future in as_completed(futures):
                try:
                    yield future.result()
                except pebble.ProcessExpired as death:
                    yield ShardReport(
                        futures[future].number,
                        error=f"its worker died (exit code {death.exitcode}): killed, or out of "
                        f"memory; raise [{task.task_family}] mem_gb to run fewer at a time",
                    )

    def pool_size(self, mem_gb: float) -> int:
        """Workers that memory allows, at least one."""
        return max(1, min(self.workers, int(self.memory_gb // max(mem_gb, 0.001))))


@contextlib.contextmanager
def _pool(workers: int, mem_gb: float) -> Iterator[pebble.ProcessPool]:
    pool = pebble.ProcessPool(
        max_workers=workers,
        context=get_context("spawn"),
        initializer=_begin_worker,
        initargs=[os.getpid(), mem_gb],
    )
    try:
        yield pool
        pool.close()
    finally:
        pool.stop()
        pool.join()


def _begin_worker(driver: int, mem_gb: float) -> None:
    """Die with the driver, leave Ctrl-C to it, and stay within the memory."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    die_with_parent = 1  # PR_SET_PDEATHSIG, prctl(2)
    ctypes.CDLL(None).prctl(die_with_parent, signal.SIGKILL)
    if os.getppid() != driver:
        os.kill(os.getpid(), signal.SIGKILL)
    limit = int(mem_gb * 2**30)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))


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


def element_specs(
    task: ShardedTask, phase: str, numbers: Sequence[int], log_dir: Path
) -> list[ElementSpec]:
    """The elements in words."""
    params = json.dumps(task.to_str_params(), sort_keys=True)
    options = tuple(_options_given())
    folder = log_dir.absolute()
    return [
        ElementSpec(
            family=task.task_family,
            params=params,
            phase=phase,
            number=number,
            stamp=task.stamp,
            options=options,
            log=str(traceback_path(folder, task.task_family, str(task.dump), phase, number)),
        )
        for number in numbers
    ]


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


def _options_given() -> Iterator[str]:
    """The `--Task-parameter` options of this process's Luigi command line."""
    parser = CmdlineParser.get_instance()
    if not parser:
        return
    for task, _, parameter, _ in Register.get_all_params():
        value = getattr(parser.known_args, f"{task}_{parameter}", None)
        ours = Register.get_task_cls(task).__module__.startswith("pipeline.")
        if ours and value is not None and value is not False:
            yield f"--{task}-{parameter}".replace("_", "-")
            if value is not True:
                yield value


@contextlib.contextmanager
def _options(family: str, options: Sequence[str]) -> Iterator[None]:
    if not options or CmdlineParser.get_instance():
        yield
        return
    with CmdlineParser.global_instance([family, *options]):
        yield


def sentence_of(error: BaseException) -> str:
    """What a person should read of an element's error."""
    if isinstance(error, PipelineError):
        return str(error)
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        return f"no space left on the device ({error.filename}): free some and run again"
    if isinstance(error, MemoryError):
        return "it needed more memory than the task's mem_gb: raise it in luigi.cfg"
    return f"{type(error).__name__}: {error}"


def _write_log(spec: ElementSpec) -> str | None:
    if not spec.log:
        traceback.print_exc()
        return None
    path = Path(spec.log)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(traceback.format_exc())
    return str(path)
