"""The command itself, `skord`: whatever ends it is one sentence, from the first import on."""

from __future__ import annotations

import gc
import os
import sys
import traceback
from types import TracebackType

from skord.cli.main import main
from skord.core.error_messages import STOPPED, interrupted_sentence, sentence_of

UNTIL_COLLECTED = 10_000
"""New objects after which garbage is looked for; Python's 700 have a start look a hundred times."""


def entry() -> int:
    """Run one command; a Ctrl-C while it is imported is reported like any other."""
    open_closed_streams()
    gc.set_threshold(UNTIL_COLLECTED)
    sys.excepthook = _unexpected
    try:
        return main()
    except KeyboardInterrupt:
        print(f"skord: {interrupted_sentence()}", file=sys.stderr)
        return STOPPED


def open_closed_streams() -> None:
    """Open the null device where a standard stream is closed, as `2>&-` in a shell does.

    Else the next file that is opened gets its number, and what is meant for people is written there.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is not None:
            continue
        null = os.open(os.devnull, os.O_RDWR)  # the lowest number that is free
        os.set_inheritable(null, True)
        setattr(sys, name, os.fdopen(null, "w" if number else "r"))


def _unexpected(
    kind: type[BaseException], error: BaseException, where: TracebackType | None
) -> None:

    is_debugged = "--debug" in sys.argv
    if is_debugged:
        traceback.print_exception(kind, error, where)
    sys.stdout.flush()
    hint = "" if is_debugged else " (--debug shows where)"
    print(f"skord: {sentence_of(error)}{hint}", file=sys.stderr)
