"""One item of a phase in words, and how a process makes it.

Nothing is pickled but words: a worker builds the task from its name and parameters, so
a worker on another machine does the same.
"""

from __future__ import annotations

import contextlib
import functools
import json
import resource
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from multiprocessing import parent_process
from pathlib import Path

import pyarrow as pa

from skord.core.error_messages import sentence_of
from skord.core.failures import PipelineError, ShardError
from skord.core.registry import task_class
from skord.core.run_log import traceback_path
from skord.core.settings import Setting, settings_in_force
from skord.core.tasks.declaration import TaskDeclaration
from skord.core.tasks.phases import ShardReport


@dataclass(frozen=True)
class Next:
    """A task whose shard of the same number is made when the one before it is; see `WorkItem`.

    Args:
        mem_gb: what its worker may take.
        is_done: whether a shard is in place.
    """

    family: str
    params: str
    fingerprint: str
    mem_gb: float
    is_done: Callable[[int], bool]

    @property
    def words(self) -> tuple[str, str, str]:
        """What travels to a worker."""
        return self.family, self.params, self.fingerprint


@dataclass(frozen=True)
class WorkItem:
    """One item in words, parameters as JSON of strings: all that travels to a worker.

    Args:
        fingerprint: what the driver expects, or "" for no check; a worker that computes
            another one was started with other settings and refuses.
        options: settings that the driver's command line gave, such as ("CCNet", "rule", "top"),
            so that they count in the worker too.
        ahead: tasks that the shard is then carried on through: name, parameters, fingerprint.
    """

    family: str
    params: str
    phase: str
    number: int
    fingerprint: str = ""
    options: tuple[Setting, ...] = ()
    log: str = ""
    ahead: tuple[tuple[str, str, str], ...] = ()


@dataclass(frozen=True)
class WorkItems:
    """Work items of one phase that are to be made, and how to see whether one is; see `WorkItem`.

    Args:
        options: settings that the driver's command line gave.
        data_root: where results lie; distinguishes two runs with equal settings.
        is_done: whether an item is in place and needs no more work.
        is_written: whether its file is there, with the right fingerprint.
        ahead: tasks that each item is carried on through.
    """

    family: str
    dump: str
    phase: str
    params: str
    fingerprint: str
    options: tuple[Setting, ...]
    data_root: str
    numbers: tuple[int, ...]
    is_done: Callable[[int], bool]
    is_written: Callable[[int], bool]
    ahead: tuple[Next, ...] = ()

    def is_carried_on(self, number: int) -> bool:
        """Whether the item is in place, and what it was to be carried on to as well."""
        return self.is_done(number) and all(task.is_done(number) for task in self.ahead)

    @property
    def title(self) -> str:
        """For people."""
        return f"{self.family} {self.dump} {self.phase}"

    def items(self, log_dir: Path) -> list[WorkItem]:
        """Each item in words, its traceback going to the folder of logs."""
        folder = log_dir.absolute()
        return [self._item(number, folder) for number in self.numbers]

    def _item(self, number: int, folder: Path) -> WorkItem:
        log = traceback_path(folder, self.family, self.dump, self.phase, number)
        return WorkItem(
            self.family,
            self.params,
            self.phase,
            number,
            self.fingerprint,
            self.options,
            str(log),
            tuple(task.words for task in self.ahead),
        )


@dataclass(frozen=True)
class Resources:
    """What one work item may take: memory in GB, and how many GPUs it computes on."""

    mem_gb: float
    gpus: int = 0


def run_item(spec: WorkItem, *, counted: bool = False) -> None:
    """Build the task that the words describe and make one item.

    Args:
        counted: there is such an item, though the task before may not know it yet.

    Raises:
        ShardError: the settings here are not those of whoever submitted the item.
    """
    with _task_of_spec(spec) as task:
        task.run_item(spec.phase, spec.number, counted=counted)
        _leave_nothing(task, spec.phase)


def _leave_nothing(task: TaskDeclaration, phase: str) -> None:
    """Take away what only the task itself reads, where the task was completed meanwhile.

    A job that was thought lost with its node may come after the driver's end. The driver looks
    for such files after the manifest is written, and the job for the manifest after its file is.
    """
    if any(one.name == phase and one.transient for one in task.phases()) and task.is_made:
        task.store.storage.delete_folder(f"{task.store.folder(task.task_family)}/_{phase}")


def is_item_made(spec: WorkItem) -> bool:
    """Whether the item that the words describe is in place already.

    Raises:
        ShardError: the settings here are not those of whoever submitted the item.
    """
    with _task_of_spec(spec) as task:
        return task.done(spec.phase, spec.number)


@contextlib.contextmanager
def _task_of_spec(spec: WorkItem) -> Iterator[TaskDeclaration]:
    with settings_in_force(spec.options):
        task = task_class(spec.family).from_str_params(json.loads(spec.params))
        if spec.fingerprint and not _has_fingerprint(task, spec.options, spec.fingerprint):
            raise ShardError(
                "the settings changed between submission and start: run the task again"
            )
        store = replace(task.store, sets_aside=True)
        task.settled = (spec.fingerprint or task.fingerprint, store)
        try:
            yield task
        finally:
            task.settled = None


@functools.lru_cache(maxsize=8)
def _has_fingerprint(task: TaskDeclaration, options: tuple[Setting, ...], fingerprint: str) -> bool:
    """Whether the task's fingerprint here is the one expected.

    Settings are read once in a process, so one look is enough for all items: a tenth of a
    second goes into some fingerprints.
    """
    del options  # they are in force here
    return task.fingerprint == fingerprint


def report_item(spec: WorkItem) -> ShardReport:
    """Make one item, and carry it on; whatever goes wrong becomes the report."""
    report = _report_item(spec)
    return report if report.error else replace(report, ahead=tuple(made_ahead(spec)))


def made_ahead(spec: WorkItem) -> Iterator[tuple[str, ShardReport]]:
    """Carry an item that was made on through the tasks that come next; gives what was made.

    What fails is left to its own task's run, which reports it; nothing comes after it.
    """
    with contextlib.suppress(PipelineError, OSError):
        carries = not spec.ahead or is_item_made(spec)
        for family, params, fingerprint in spec.ahead if carries else ():
            following = replace(
                spec,
                family=family,
                params=params,
                fingerprint=fingerprint,
                log=_log_beside(spec.log, family),
                ahead=(),
            )
            if is_item_made(following):
                continue
            report = _report_item(following, counted=True)
            if report.error or not is_item_made(following):
                return
            yield family, report


def _log_beside(log: str, family: str) -> str:
    """Where another task keeps the traceback of an item of the same number.

    >>> _log_beside("/logs/CCNet/2024-10/shard-00003.log", "WARCIndex")
    '/logs/WARCIndex/2024-10/shard-00003.log'
    """
    path = Path(log)
    return str(path.parents[2] / family / path.parent.name / path.name) if log else ""


def _report_item(spec: WorkItem, *, counted: bool = False) -> ShardReport:
    report = ShardReport(spec.number)
    ready, cpu = time.monotonic(), cpu_s()
    try:
        task_class(spec.family)
        report = replace(report, ready_s=ready_s() if parent_process() else 0.0)
        ready, cpu = time.monotonic(), cpu_s()
        run_item(spec, counted=counted)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - an item's error is its report
        report = replace(report, error=sentence_of(error), log=_write_log(spec))
    seconds, peak_kb = time.monotonic() - ready, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return replace(report, seconds=seconds, cpu_s=cpu_s() - cpu, rss_mb=peak_kb / 1024)


def cpu_s() -> float:
    """CPU seconds of this process so far, and of what it started and waited for."""
    spent = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in spent)


def ready_s() -> float:
    """CPU seconds of this process when asked for the first time, 0.0 thereafter."""
    before = time.process_time()
    first = _cpu_s_when_ready()
    return first if first >= before else 0.0


@functools.cache
def _cpu_s_when_ready() -> float:
    return time.process_time()


def _write_log(spec: WorkItem) -> str | None:
    if not spec.log:
        traceback.print_exc()
        return None
    path = Path(spec.log)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(traceback.format_exc())
    return str(path)


def limit_memory(mem_gb: float) -> None:
    """Let this process hold so much data, in GiB: beyond that is an error that can be reported.

    numpy is loaded before, with pyarrow: its OpenBLAS ends a process that lacks memory. So is pandas
    where it is installed: pyarrow imports it with the first array, and a signal's exception gets
    lost in that import.
    """
    pa.array([])
    limit = int(mem_gb * 2**30)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
