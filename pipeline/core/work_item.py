"""One element of a phase in words, and how a process makes it.

Nothing is pickled but words: a worker builds the task from its name and parameters, so
a worker on another machine does the same.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import resource
import time
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from multiprocessing import parent_process
from pathlib import Path
from typing import TYPE_CHECKING

from luigi.cmdline_parser import CmdlineParser
from luigi.task_register import Register

from pipeline.core.console.sentences import sentence_of
from pipeline.core.failures import ShardError
from pipeline.core.phases import ShardReport
from pipeline.core.registry import load_graph, task_class
from pipeline.core.run_log import traceback_path

if TYPE_CHECKING:
    from pipeline.core.sharded_task import ShardedTask


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
    if spec.options:
        load_graph()  # they may be any task's
    with _options(spec.family, spec.options):
        task = task_class(spec.family).from_str_params(json.loads(spec.params))
        if spec.stamp and not _agrees(task, spec.options, spec.stamp):
            raise ShardError(
                "the settings changed between submission and start: run the task again"
            )
        task.settled = (spec.stamp or task.stamp, task.store)
        try:
            yield task
        finally:
            task.settled = None


@functools.lru_cache(maxsize=8)
def _agrees(task: ShardedTask, options: tuple[str, ...], stamp: str) -> bool:
    """Whether the task's stamp here is the one expected.

    Settings are read once in a process, so one look is enough for all elements: a tenth of a
    second goes into some stamps.
    """
    del options  # they are in force here
    return task.stamp == stamp


def report_element(spec: ElementSpec) -> ShardReport:
    """Make one element; whatever goes wrong becomes the report."""
    report = ShardReport(spec.number)
    ready = time.monotonic()
    try:
        task_class(spec.family)
        report = replace(report, ready_s=ready_s() if parent_process() else 0.0)
        ready = time.monotonic()
        run_element(spec)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - an element's error is its report
        report = replace(report, error=sentence_of(error), log=_write_log(spec))
    peak_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return replace(report, seconds=time.monotonic() - ready, rss_mb=peak_kb / 1024)


def ready_s() -> float:
    """Seconds since this process was started when asked for the first time, 0.0 thereafter."""
    now = _seconds_since_boot()
    first = _first_asked_at()
    return max(first - _started_at(), 0.0) if first >= now else 0.0


def _seconds_since_boot() -> float:
    return time.clock_gettime(time.CLOCK_BOOTTIME)


@functools.cache
def _first_asked_at() -> float:
    return _seconds_since_boot()


def _started_at() -> float:
    """When the kernel started this process, in seconds since boot: proc(5), field 22 of stat."""
    fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
    return int(fields[22 - 3]) / os.sysconf("SC_CLK_TCK")


def element_specs(
    task: ShardedTask, phase: str, numbers: Sequence[int], log_dir: Path
) -> list[ElementSpec]:
    """The elements in words."""
    params = json.dumps(task.to_str_params(), sort_keys=True)
    options = tuple(_options_given())
    folder, stamp = log_dir.absolute(), task.stamp
    return [
        ElementSpec(
            family=task.task_family,
            params=params,
            phase=phase,
            number=number,
            stamp=stamp,
            options=options,
            log=str(traceback_path(folder, task.task_family, str(task.dump), phase, number)),
        )
        for number in numbers
    ]


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


def _write_log(spec: ElementSpec) -> str | None:
    if not spec.log:
        traceback.print_exc()
        return None
    path = Path(spec.log)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(traceback.format_exc())
    return str(path)
