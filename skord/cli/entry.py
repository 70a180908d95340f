"""The command itself, `skord`: whatever ends it is one sentence, from the first import on."""

from __future__ import annotations

import gc
import sys
import traceback
from types import TracebackType

from skord.cli.main import main
from skord.core.error_messages import STOPPED, interrupted_sentence, sentence_of

UNTIL_COLLECTED = 10_000
"""New objects after which garbage is looked for; Python's 700 have a start look a hundred times."""


def entry() -> int:
    """Run one command; a Ctrl-C while it is imported is told like any other."""
    gc.set_threshold(UNTIL_COLLECTED)
    sys.excepthook = _unexpected
    try:
        return main()
    except KeyboardInterrupt:
        print(f"skord: {interrupted_sentence()}", file=sys.stderr)
        return STOPPED


def _unexpected(
    kind: type[BaseException], error: BaseException, where: TracebackType | None
) -> None:

    if "--debug" in sys.argv:
        traceback.print_exception(kind, error, where)
    sys.stdout.flush()
    print(f"skord: {sentence_of(error)} (--debug shows where)", file=sys.stderr)
