"""One sentence for a luigi.cfg or a word that cannot be read, where `python -m luigi` reads it.

Luigi reads both before it loads any module that is named to it. So `skord-luigi.pth`,
which Python reads when it starts, loads this one, in processes that run Luigi's command alone.
"""

from __future__ import annotations

import configparser
import sys
from types import TracebackType


def _say(kind: type[BaseException], error: BaseException, where: TracebackType | None) -> None:
    from skord.core.console.sentences import sentence_of

    if isinstance(error, ModuleNotFoundError) and (error.name or "").startswith("pipeline"):
        print(f"there is no module {error.name}: skord run TASK … finds it", file=sys.stderr)
    elif kind.__name__ == "TaskClassNotFoundException" and "--module" not in sys.argv:
        task = next((word for word in sys.argv[1:] if not word.startswith("-")), "TASK")
        print(f"name the module of {task}, too, or leave it to skord run {task}", file=sys.stderr)
    elif isinstance(error, (configparser.Error, UnicodeDecodeError)):
        print(sentence_of(error), file=sys.stderr)
    else:
        sys.__excepthook__(kind, error, where)


sys.excepthook = _say
