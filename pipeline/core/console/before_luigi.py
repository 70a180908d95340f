"""One sentence for a luigi.cfg that cannot be read, where `python -m luigi` reads it.

Luigi reads its settings before it loads any module that is named to it. So `skord-luigi.pth`,
which Python reads when it starts, loads this one, in processes that run Luigi's command alone.
"""

from __future__ import annotations

import configparser
import sys
from types import TracebackType


def _say(kind: type[BaseException], error: BaseException, where: TracebackType | None) -> None:
    from pipeline.core.console.sentences import sentence_of  # noqa: PLC0415 - seldom needed

    if not isinstance(error, (configparser.Error, UnicodeDecodeError)):
        sys.__excepthook__(kind, error, where)
        return
    print(sentence_of(error), file=sys.stderr)


sys.excepthook = _say
