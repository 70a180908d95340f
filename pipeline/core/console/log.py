"""What a run says to the person who started it, and the settings that come with the package.

Luigi's own log is for those who ask (`--verbose`, or `--pipeline-verbose` under `python -m
luigi`). What goes wrong is one sentence; `--debug` shows the traceback above it.
"""

from __future__ import annotations

import logging
import sys
import traceback
from importlib import resources
from multiprocessing import parent_process
from pathlib import Path
from types import TracebackType

from luigi.cmdline_parser import CmdlineParser
from luigi.configuration import LuigiConfigParser, get_config

from pipeline.core.console.sentences import one_line, sentence_of

LOGGER = "luigi-interface"


def supply_defaults() -> None:
    """Have Luigi read the package's settings before all others, so that those override them."""
    path = str(resources.files("pipeline.core") / "luigi.cfg")
    if path not in LuigiConfigParser._config_paths:
        LuigiConfigParser._config_paths.insert(0, path)
        LuigiConfigParser.reload()


def options_of(data_dir: str | None, *, verbose: bool, debug: bool) -> list[str]:
    """A command's words as options for Luigi, so that every worker process hears of them.

    >>> options_of("s3://mine/web", verbose=True, debug=False)
    ['--pipeline-data-dir', 's3://mine/web', '--pipeline-verbose']
    """
    words = ["--pipeline-data-dir", data_dir] if data_dir else []
    flags = {"--pipeline-verbose": verbose, "--pipeline-debug": debug}
    return words + [flag for flag, is_on in flags.items() if is_on]


class Console(logging.Handler):
    """Prints what people need of a log that Luigi and the tasks share."""

    def __init__(self) -> None:
        super().__init__()
        self._said: set[str] = set()

    def emit(self, record: logging.LogRecord) -> None:
        """Print the record, a sentence of it, or nothing."""
        if _is_on("verbose"):
            print(f"{record.levelname}: {record.getMessage()}", file=sys.stderr)
            if record.exc_info and _is_on("debug"):
                traceback.print_exception(*record.exc_info)
            return
        error = record.exc_info[1] if record.exc_info else None
        if error is not None:
            self.say(sentence_of(error), error)
        elif record.levelno >= logging.WARNING and not _is_luigis(record):
            self.say(record.getMessage())
        elif record.levelno == logging.INFO and record.name.startswith("skord"):
            print(record.getMessage(), file=sys.stderr, flush=True)

    def say(self, sentence: str, error: BaseException | None = None) -> None:
        """Print a sentence, once."""
        if sentence in self._said:
            return
        self._said.add(sentence)
        if error is not None and _is_on("debug"):
            traceback.print_exception(error)
        print(one_line(sentence), file=sys.stderr, flush=True)


def _is_luigis(record: logging.LogRecord) -> bool:
    """Whether Luigi wrote it, and not a task."""
    return "/luigi/" in record.pathname


def _is_on(name: str) -> bool:
    config = get_config()
    options = CmdlineParser.get_instance()
    given = getattr(options.known_args, f"pipeline_{name}", None) if options else None
    return bool(given) or bool(config.getboolean("pipeline", name, False))


def speak() -> None:
    """Have this process print its log as sentences."""
    for name in (LOGGER, "luigi"):
        logger = logging.getLogger(name)
        if not any(isinstance(one, Console) for one in logger.handlers):
            logger.addHandler(Console())
            logger.setLevel(logging.INFO)


def is_luigis_command() -> bool:
    """Whether this process is `python -m luigi …`, and no worker of one."""
    command = Path(sys.argv[0]) if sys.argv else Path()
    return parent_process() is None and "luigi" in (command.name, command.parent.name)


def last_words(
    kind: type[BaseException], error: BaseException, where: TracebackType | None
) -> None:
    """What is said of an error that nothing caught: a `sys.excepthook`."""
    if _is_on("debug"):
        traceback.print_exception(kind, error, where)
    sys.stdout.flush()
    print(sentence_of(error), file=sys.stderr)
