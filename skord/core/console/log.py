"""What a run says to the person who started it, and the settings that come with the package.

Luigi's own log is for those who ask (`--verbose`, or `--pipeline-verbose` under `python -m
luigi`); what tasks and executors log, from INFO up, is said to all. What goes wrong is one
sentence; `--debug` shows the traceback above it.
"""

from __future__ import annotations

import argparse
import contextlib
import logging
import sys
import time
import traceback
import warnings
from collections.abc import Iterator, Sequence
from multiprocessing import parent_process
from pathlib import Path
from types import TracebackType

import luigi
from luigi.cmdline_parser import CmdlineParser
from luigi.configuration import LuigiConfigParser, get_config
from luigi.parameter import UnconsumedParameterWarning

from skord.core.console.closing import DATA_DIR, RunSoFar, closing_lines, task_line
from skord.core.console.sentences import one_line, sentence_of

LOGGER = "luigi-interface"
LUIGIS_SUMMARY = "===== Luigi Execution Summary ====="
NOT_LOOKED_AT = "due to error in complete() method"
"""Luigi's words where it cannot tell whether a task is complete; a traceback follows them."""


def supply_defaults() -> None:
    """Have Luigi read the package's settings before all others, so that those override them."""
    path = str(Path(__file__).parents[1] / "luigi.cfg")
    if path not in LuigiConfigParser._config_paths:
        LuigiConfigParser._config_paths.insert(0, path)
        LuigiConfigParser.reload()


def luigi_options(data_dir: str | None, *, verbose: bool, debug: bool) -> list[str]:
    """A command's words as options for Luigi, so that every worker process hears of them.

    >>> luigi_options("s3://mine/web", verbose=True, debug=False)
    ['--pipeline-data-dir', 's3://mine/web', '--pipeline-verbose']
    """
    words = ["--pipeline-data-dir", data_dir] if data_dir else []
    flags = {"--pipeline-verbose": verbose, "--pipeline-debug": debug}
    return words + [flag for flag, is_on in flags.items() if is_on]


@contextlib.contextmanager
def in_force(words: Sequence[str]) -> Iterator[None]:
    """Have settings follow these options as if they were those of Luigi's command line.

    Luigi's parser of them knows every option of every task, and needs all of Luigi.

    >>> with in_force(["--pipeline-data-dir", "here", "--pipeline-verbose"]):
    ...     vars(CmdlineParser.get_instance().known_args)
    {'pipeline_data_dir': 'here', 'pipeline_verbose': True}
    """
    parser = CmdlineParser.__new__(CmdlineParser)
    parser.known_args = argparse.Namespace()
    for word, following in zip(words, [*words[1:], "--"], strict=True):
        if word.startswith("--"):
            value = True if following.startswith("--") else following
            setattr(parser.known_args, word[2:].replace("-", "_"), value)
    before, CmdlineParser._instance = CmdlineParser._instance, parser
    try:
        yield
    finally:
        CmdlineParser._instance = before


class Console(logging.Handler):
    """Prints what people need of a log that Luigi and the tasks share."""

    def __init__(self) -> None:
        super().__init__()
        self.run = RunSoFar()
        self._last_error = ""

    def emit(self, record: logging.LogRecord) -> None:
        """Print the record, a sentence of it, or nothing."""
        is_shown = _is_on("verbose")
        if is_shown:
            print(f"{record.levelname}: {record.getMessage()}", file=sys.stderr)
        error = record.exc_info[1] if record.exc_info else None
        if error is not None:
            self.say(sentence_of(error), error)
        elif NOT_LOOKED_AT in record.getMessage():
            self.run.errors.append(record.getMessage().splitlines()[-1])
        elif LUIGIS_SUMMARY in record.getMessage():
            self.close_run()
        elif record.levelno >= logging.INFO and not (is_shown or _is_luigis(record)):
            self.line(record.getMessage())

    def say(self, sentence: str, error: BaseException) -> None:
        """Print an error's sentence, once."""
        if sentence in self.run.errors:
            return
        self.run.errors.append(sentence)
        if _is_on("debug"):
            traceback.print_exception(error)
        self.line(sentence)
        self._last_error = sentence

    def line(self, text: str) -> None:
        """Print a line."""
        self._last_error = ""
        print(one_line(text), file=sys.stderr, flush=True)

    def close_run(self) -> None:
        """Print what there is to see now, or, where it is not the last line, what went wrong."""
        run, self.run = self.run, RunSoFar()
        if run.errors:
            if self._last_error != run.errors[0]:
                self.line(run.errors[0])
        elif _is_on("summary", default=True):
            data_dir = _pipeline_setting("data_dir") or DATA_DIR
            for text in closing_lines(run, data_dir, time.monotonic() - run.began):
                print(text, file=sys.stderr, flush=True)


def _speaking_console() -> Console | None:
    """Of this process, if it speaks."""
    handlers = logging.getLogger(LOGGER).handlers
    return next((one for one in handlers if isinstance(one, Console)), None)


def _begun_sentence(task: luigi.Task) -> None:
    if console := _speaking_console():
        console.run.started[task.task_id] = time.monotonic()


def _completed_sentence(task: luigi.Task) -> None:
    """A line for a task that is done, from its manifest."""
    console, store = _speaking_console(), getattr(task, "store", None)
    if console is None or store is None:
        return
    family, dump = task.task_family, str(getattr(task, "dump", ""))
    seconds = time.monotonic() - console.run.started.get(task.task_id, console.run.began)
    console.run.done.append((family, dump))
    console.line(task_line(family, dump, store.manifest(family) or {}, seconds))


luigi.Task.event_handler(luigi.Event.START)(_begun_sentence)
luigi.Task.event_handler(luigi.Event.SUCCESS)(_completed_sentence)


def _is_luigis(record: logging.LogRecord) -> bool:
    """Whether Luigi wrote it, and not a task."""
    return "/luigi/" in record.pathname


def _is_on(name: str, *, default: bool = False) -> bool:
    said = _pipeline_setting(name)
    return default if said is None else said.lower() == "true"


def _pipeline_setting(name: str) -> str | None:
    """A setting of [pipeline] as it was said, on the command line or in a file."""
    options = CmdlineParser.get_instance()
    given = getattr(options.known_args, f"pipeline_{name}", None) if options else None
    said = given if given is not None else get_config().get("pipeline", name, None)
    return None if said is None else str(said)


def log_sentences() -> None:
    """Have this process print its log as sentences."""
    # A key that nothing reads is an error of ours (config_check); Luigi's warning comes besides.
    warnings.simplefilter("ignore", UnconsumedParameterWarning)
    logger = logging.getLogger(LOGGER)
    if _speaking_console() is None:
        logger.addHandler(Console())
        logger.setLevel(logging.INFO)


def is_luigis_command() -> bool:
    """Whether this process is `python -m luigi …`, and no worker of one."""
    command = Path(sys.argv[0]) if sys.argv else Path()
    return parent_process() is None and "luigi" in (command.name, command.parent.name)


def report_uncaught(
    kind: type[BaseException], error: BaseException, where: TracebackType | None
) -> None:
    """What is said of an error that nothing caught: a `sys.excepthook`."""
    if _is_on("debug"):
        traceback.print_exception(kind, error, where)
    sys.stdout.flush()
    print(sentence_of(error), file=sys.stderr)
