"""`skord …`, or `python -m skord …`: read the words, do the command, say what went wrong."""

from __future__ import annotations

import argparse
import configparser
import importlib
import os
import sys
import traceback
from collections.abc import Sequence

from skord.cli.commands import command_line
from skord.cli.parser import parse_words
from skord.core.error_messages import STOPPED, interrupted_sentence, sentence_of
from skord.core.failures import PipelineError

FAILED = 1

EXPECTED = (PipelineError, OSError, configparser.Error, ValueError, MemoryError)
"""What can be expected to go wrong in a command."""

SESSION = ("skord.cli.session", "run_command")
"""Module and function that do a command which reads settings; of Luigi, others need nothing."""


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
    command = options.does
    where = SESSION if command.reads_settings else (command.module, command.function)
    run = getattr(importlib.import_module(where[0]), where[1])
    return int(run(options) or 0)


def _say(sentence: str, *, debug: bool) -> None:
    if debug:
        traceback.print_exc()
    sys.stdout.flush()
    print(f"skord: {sentence}", file=sys.stderr)
