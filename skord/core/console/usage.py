"""Misspelt options of Luigi's command line in one sentence, not below a hundred others."""

from __future__ import annotations

import argparse
import difflib
import sys
from functools import partialmethod
from typing import NoReturn

USAGE_ERROR = 2


def say_shortly(speaker: str = "") -> None:
    """Have every parser of this process that is not our own say errors so.

    Args:
        speaker: the command that speaks, before a colon.
    """
    argparse.ArgumentParser.error = partialmethod(  # type: ignore[assignment]
        _usage_error, speaker=f"{speaker}: " if speaker else ""
    )


def _usage_error(parser: argparse.ArgumentParser, message: str, speaker: str) -> NoReturn:
    said, _, words = message.partition("unrecognized arguments: ")
    if words:
        known = [word for action in parser._actions for word in action.option_strings]
        said = _unknown_option(words.split()[0], known)
    sys.stderr.write(f"{speaker}{said or message}\n")
    sys.exit(USAGE_ERROR)


def _unknown_option(word: str, known: list[str]) -> str:
    """A sentence for an option that there is not.

    >>> _unknown_option("--dmup", ["--dump", "--languages"])
    'there is no option --dmup: did you mean --dump?'
    """
    if not word.startswith("-"):
        return f"one word too many: {word!r}: give options as --name value"
    near = difflib.get_close_matches(word.partition("=")[0], known, n=1)
    hint = f"did you mean {near[0]}?" if near else "skord init writes a file with all there are"
    return f"there is no option {word}: {hint}"
