"""What a run prints for the person who started it, and the run itself, through Luigi's public API.

What tasks and executors log, from INFO up, is printed for all; Luigi's own log for those who ask
(`--verbose`). A task that is done gets a line. An error is one sentence; `--debug` shows the
traceback above it.
"""

from __future__ import annotations

import contextlib
import logging
import os
import shlex
import shutil
import sys
import time
import traceback
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from multiprocessing import SimpleQueue
from pathlib import Path
from typing import Any

import luigi
from luigi.configuration import get_config
from luigi.execution_summary import LuigiStatusCode
from luigi.parameter import UnconsumedParameterWarning

from skord.cli.declarations import ReportPart
from skord.core.config import open_storage
from skord.core.driver import known_chains
from skord.core.dumps import check_dump, dump_option, source_of
from skord.core.error_messages import one_line, sentence_of
from skord.core.made_with import asked_to_replace, log_replaced, note_settings, noted_settings
from skord.core.preflight import tasks_to_make
from skord.core.progress import in_words
from skord.core.settings import Setting, settings_in_force
from skord.core.storage.filesystem import Storage
from skord.core.tasks.declaration import TaskDeclaration
from skord.extras import declared
from skord.sources.shards import is_small

LOGGER = "luigi-interface"

LOSSES = ("failure.", "refused.", "filter.")
"""Counts of a manifest that are documents lost, by the beginning of their names."""

DATA_DIR = "data"
"""[pipeline] data_dir where none is set."""

DUMPS_LISTED = 5
"""Of more dumps than that, a command to type next names the last."""


class Console(logging.Handler):
    """Prints what people need of a log that Luigi and the tasks share."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print the record, or nothing."""
        if is_switched_on("verbose"):
            print(f"{record.levelname}: {record.getMessage()}", file=sys.stderr)
        elif record.levelno >= logging.INFO and not _is_luigis(record):
            print_line(record.getMessage())


def _is_luigis(record: logging.LogRecord) -> bool:
    """Whether Luigi wrote it, and not a task."""
    return Path(luigi.__file__).parent in Path(record.pathname).parents


def is_switched_on(name: str, *, default: bool = False) -> bool:
    """Whether a setting of [pipeline] is true."""
    return bool(get_config().getboolean("pipeline", name, default))


def print_line(text: str) -> None:
    """Print a line for people."""
    print(one_line(text), file=sys.stderr, flush=True)


def log_to_console() -> None:
    """Have this process print its log through one `Console`, in place of Luigi's own format."""
    # A key that nothing reads is an error of ours (`check_settings`); Luigi's warning is one more.
    warnings.simplefilter("ignore", UnconsumedParameterWarning)
    get_config().set("core", "no_configure_logging", "true")
    logger = logging.getLogger(LOGGER)
    if not any(isinstance(handler, Console) for handler in logger.handlers):
        logger.addHandler(Console())
        logger.setLevel(logging.INFO)


@contextlib.contextmanager
def noted_settings_in_force() -> Iterator[None]:
    """Work under the settings that the data folder was made with, and print them."""
    storage = Storage(data_dir())
    noted = noted_settings(storage)
    if noted:
        listed = ", ".join(f"[{section}] {name} = {text}" for section, name, text in noted)
        print_line(
            f"{storage.shown_url} was made with {listed}: used here where nothing else is given"
        )
    with settings_in_force(noted):
        yield


# -- running tasks ------------------------------------------------------------------------


class RunReport(logging.Handler):
    """Prints the lines of one run of tasks; its methods are handlers of Luigi's events.

    It follows the log to know whether an error is still the last line. With `--workers 2` Luigi runs
    each task in a process of its own, which hands the first error on.

    With `steps`, each task that is done, and what there is at the end, gets lines.
    """

    def __init__(self, *, steps: bool = True) -> None:
        super().__init__()
        self.steps = steps
        self.began = time.monotonic()
        self.last_error = ""
        self.started: dict[str, float] = {}
        self.done: list[TaskDeclaration] = []
        self.errors: list[str] = []
        self._process = os.getpid()
        self._from_others: SimpleQueue[str] = SimpleQueue()

    def handlers(self) -> Mapping[str, Any]:
        """The method for each event."""
        return {
            luigi.Event.START: self.note_start,
            luigi.Event.SUCCESS: self.print_success,
            luigi.Event.FAILURE: self.print_error,
            luigi.Event.BROKEN_TASK: self.print_error,
        }

    def emit(self, record: logging.LogRecord) -> None:
        """Note that a line of a task came after the last error."""
        if not _is_luigis(record):
            self.last_error = ""

    def note_start(self, task: luigi.Task) -> None:
        """Remember when the task began."""
        self.started[task.task_id] = time.monotonic()

    def print_success(self, task: luigi.Task) -> None:
        """Print a line for a task that is done, from its manifest."""
        if isinstance(task, TaskDeclaration):
            seconds = time.monotonic() - self.started.get(task.task_id, self.began)
            self.done.append(task)
            self.last_error = ""
            if not self.steps:
                return
            if task.was_made:
                print_line(f"{task.task_family} {task.dump}: complete as it was")
                return
            manifest = task.store.manifest(task.task_family) or {}
            print_line(task_line(task.task_family, str(task.dump), manifest, seconds))

    def print_error(self, task: luigi.Task, error: BaseException) -> None:
        """Print an error's sentence, once."""
        del task
        sentence = sentence_of(error)
        if sentence not in self.errors:
            self.errors.append(sentence)
            self.last_error = sentence
            if os.getpid() != self._process and self._from_others.empty():
                self._from_others.put(sentence)
            if is_switched_on("debug"):
                traceback.print_exception(error)
            print_line(sentence)

    def print_end(self, tasks: Sequence[luigi.Task], *, ended_well: bool) -> None:
        """Print what there is to see now, or what went wrong first, if other lines came since."""
        if not self._from_others.empty():
            self.errors.insert(0, self._from_others.get())
        if not ended_well:
            first = self.errors[0] if self.errors else "it could not be completed: see above"
            if self.last_error != first:
                print_line(first)
        elif self.steps and is_switched_on("summary", default=True):
            done = self.done or list(sharded_tasks(tasks))
            for line in closing_lines(done, data_dir(), time.monotonic() - self.began):
                print(line, file=sys.stderr, flush=True)


def run_tasks(tasks: Sequence[luigi.Task], *, steps: bool = True) -> bool:
    """Have Luigi run the tasks and all that they need; returns whether all are complete then.

    Unless luigi.cfg sets one, no central scheduler is asked.
    """
    storage, may_replace = open_storage(), asked_to_replace(tasks)
    for task in sharded_tasks(tasks):
        check_dump(str(task.dump), storage)
    note_settings(storage, replace=may_replace)
    if may_replace:
        log_replaced(tasks_to_make(sharded_tasks(tasks)))
    report = RunReport(steps=steps)
    handlers = report.handlers()
    logger = logging.getLogger(LOGGER)
    logger.addHandler(report)
    for event, handler in handlers.items():
        luigi.Task.event_handler(event)(handler)
    try:
        is_local = get_config().getboolean("core", "local_scheduler", True)
        in_process = list(_in_process(sharded_tasks(tasks), storage))
        with known_chains(), settings_in_force(in_process):
            result = luigi.build(tasks, detailed_summary=True, local_scheduler=is_local)
    finally:
        logger.removeHandler(report)
        for event, handler in handlers.items():
            luigi.Task.remove_event_handler(event, handler)
    ended_well = result.status in (LuigiStatusCode.SUCCESS, LuigiStatusCode.SUCCESS_WITH_RETRY)
    report.print_end(tasks, ended_well=ended_well)
    return ended_well


def _in_process(tasks: Iterable[TaskDeclaration], storage: Storage) -> Iterator[Setting]:
    """Make everything in this process where few small files of one's own are all there is.

    To start others would take longer than the work. Whoever sets [executor] workers decides.
    """
    config = get_config()
    if config.has_option("executor", "workers") or config.has_option("executor", "kind"):
        return
    sources = {source_of(str(task.dump), storage) for task in tasks}
    if sources and all(one.is_own and is_small(one) for one in sources):
        yield "executor", "workers", "0"


def sharded_tasks(tasks: Sequence[luigi.Task]) -> Iterator[TaskDeclaration]:
    """The tasks that have shards; of one that only names others, those."""
    for task in tasks:
        if isinstance(task, TaskDeclaration):
            yield task
        else:
            yield from sharded_tasks(luigi.task.flatten(task.requires()))


def data_dir() -> str:
    """[pipeline] data_dir."""
    return str(get_config().get("pipeline", "data_dir", DATA_DIR))


# -- lines --------------------------------------------------------------------------------


def task_line(family: str, dump: str, manifest: Mapping[str, Any], seconds: float) -> str:
    """What a task came to.

    >>> counts = {"judged": 141, "failure.not_in_index": 1}
    >>> manifest = {"num_shards": 4, "rows": 141, "counts": counts}
    >>> task_line("WARCIndex", "2024-10", manifest, 20.0)
    'WARCIndex 2024-10: 141 rows in 4 shards, 20 s (7.0/s); lost: not_in_index 1'
    """
    rows = int(manifest.get("rows", 0))
    lost = ", ".join(f"{name} {n:,}" for name, n in documents_by_reason(manifest.get("counts", {})))
    return (
        f"{family} {dump}: {_counted(rows, 'row')} in {_counted(_shards(manifest), 'shard')}, "
        f"{in_words(seconds)} ({rows / max(seconds, 0.001):,.1f}/s)"
        + (f"; lost: {lost}" if lost else "")
    )


def _shards(manifest: Mapping[str, Any]) -> int:
    return int(manifest.get("num_shards", 0))


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'s' * (number != 1)}"


def documents_by_reason(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    """Reason to documents, the most frequent first."""
    lost = {
        name.removeprefix(prefix): number
        for prefix in LOSSES
        for name, number in counts.items()
        if name.startswith(prefix) and number
    }
    if counts.get("removed"):
        lost["near_duplicate"] = counts["removed"]
    return sorted(lost.items(), key=lambda pair: (-pair[1], pair[0]))


def complete_line(task: luigi.Task) -> str:
    """The line for a task that is complete already: since when, where, and what is next."""
    made = list(sharded_tasks([task]))
    manifests = [one.store.manifest(one.task_family) or {} for one in made]
    times = [one.store.storage.modified(one.store.manifest_path(one.task_family)) for one in made]
    since = max((time for time in times if time), default=None)
    last = made[-1]
    what = str(last.dump) if len(made) == 1 else _counted(len(made), "dump")
    when = f" since {since:%Y-%m-%d %H:%M} UTC" if since else ""
    folder = files_folder(last) or _place(data_dir(), last.task_family)
    folder = folder if len(made) > 1 or last.publishes_files else f"{folder}/{last.dump}"
    first = next(next_commands(data_dir(), [*_export_command(made)], report_of(last)), "")
    return (
        f"nothing to do: {task.task_family} {what} is complete{when}, "
        f"{_counted(sum(map(_shards, manifests)), 'shard')} in {folder}"
        + (f"; {first}" if first else "")
    )


def closing_lines(done: Sequence[TaskDeclaration], data_dir: str, seconds: float) -> Iterator[str]:
    """The last lines of a run that went well: where things lie, and what to type next."""
    last = done[-1]
    dump = str(last.dump)
    yield f"done in {in_words(seconds)}: {_place(data_dir, last.task_family)}/{dump}"
    if texts := files_folder(last):
        yield f"published files: {texts}"
    funnel = (
        [f"study funnel {dump_option([dump], '--dump')}"] if last.store.manifest("CCNet") else []
    )
    yield from next_commands(data_dir, [*_export_command(done), *funnel], report_of(last))


def files_folder(task: TaskDeclaration) -> str | None:
    """The folder of the files that a task publishes, as a person would type it."""
    if not task.publishes_files:
        return None
    return task.store.storage.shown(task.store.file_path(task.task_family, "")).rstrip("/")


def _export_command(done: Sequence[TaskDeclaration]) -> list[str]:
    """The command that publishes the texts, unless they just were."""
    last = done[-1]
    if last.publishes_files:
        return []
    if last.leads_to:
        return [f"run {last.leads_to} {dump_option([str(last.dump)], '--dump')}"]
    dumps = [str(task.dump) for task in done if task.task_family == last.task_family]
    return [f"publish export {dump_option(dumps if len(dumps) <= DUMPS_LISTED else dumps[-1:])}"]


def _place(data_dir: str, family: str) -> str:
    return f"{data_dir.partition('?')[0].rstrip('/')}/{family}"


def report_of(task: TaskDeclaration) -> str:
    """The dump of a task, if there is something to report of it."""
    whole = task.store.manifest("Deduplicate") is not None
    is_told = whole or any(part.gather(task.store, ()) for part in declared(ReportPart))
    return str(task.dump) if is_told else ""


def next_commands(data_dir: str, commands: Sequence[str], reported: str) -> Iterator[str]:
    """Commands to try, as they can be typed here, the report of a dump last, if one is named."""
    is_set = data_dir == DATA_DIR or "?" in data_dir  # options of a bucket may be secret
    where = "" if is_set else f" --data-dir {shlex.quote(data_dir)}"
    beginning = "next: "
    for command in (*commands, *([f"report {dump_option([reported])}"] if reported else [])):
        yield f"{beginning}{own_command()} {command}{where}"
        beginning = " " * len(beginning)


def own_command() -> str:
    """How `skord` is typed here."""
    typed = Path(sys.argv[0]) if sys.argv else Path()
    on_path = shutil.which("skord")
    if on_path and on_path in (sys.argv[0], str(Path(sys.executable).with_name("skord"))):
        return "skord"
    if typed.name == "skord":
        return shlex.quote(sys.argv[0]) if len(typed.parts) > 1 else "skord"
    beside = Path(sys.executable).with_name("skord")
    return "skord" if not beside.exists() else shlex.quote(_short_path(beside))


def _short_path(path: Path) -> str:
    """The path as seen from this folder, if it lies below."""
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)
