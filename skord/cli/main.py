"""`skord …`, or `python -m pipeline …`: read the words, do the command, say what went wrong."""

from __future__ import annotations

import argparse
import configparser
import contextlib
import importlib
import os
import sys
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path

from skord.cli.arguments.commands import command_line
from skord.cli.arguments.parser import parse_words
from skord.core.console.log import in_force, log_sentences, luigi_options
from skord.core.console.sentences import STOPPED, interrupted_sentence, sentence_of
from skord.core.failures import PipelineError

FAILED = 1

EXPECTED = (PipelineError, OSError, configparser.Error, ValueError, MemoryError)
"""What can be expected to go wrong in a command."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status, which `skord --help` explains.

    Whatever can be expected to go wrong is one sentence, the last line on standard error.
    """
    options = parse_words(command_line(), arguments)
    try:
        return _done(options)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        _say(interrupted_sentence(), debug=options.debug)
        return STOPPED
    except EXPECTED as error:
        _say(sentence_of(error), debug=options.debug)
        return FAILED


def _done(options: argparse.Namespace) -> int:
    _use_settings_beside(options.data_dir)
    command = options.does
    run = getattr(importlib.import_module(command.module), command.function)
    if "luigi" not in sys.modules:
        return int(run(options) or 0)
    with _said_to_luigi(options):
        return int(run(options) or 0)


def _use_settings_beside(data_dir: str | None) -> None:
    """Read the luigi.cfg that lies beside a data folder, as `skord sample run` leaves one.

    Without the settings that made them, its shards would seem to be made with other ones.
    What LUIGI_CONFIG_PATH names comes first.
    """
    settings = Path(data_dir).absolute().parent / "luigi.cfg" if data_dir else None
    if settings and settings.is_file():
        os.environ.setdefault("LUIGI_CONFIG_PATH", str(settings))


@contextlib.contextmanager
def _said_to_luigi(options: argparse.Namespace) -> Iterator[None]:
    """What the command line says of all tasks, in force here and in every process started."""

    log_sentences()
    words = luigi_options(options.data_dir, verbose=options.verbose, debug=options.debug)
    if options.does.name == "run":
        options.rest += words
    elif words:
        with in_force(words):
            yield
        return
    yield


def _say(sentence: str, *, debug: bool) -> None:
    if debug:
        traceback.print_exc()
    sys.stdout.flush()
    print(f"skord: {sentence}", file=sys.stderr)
