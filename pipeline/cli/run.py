"""Run a task of the graph and all that it needs: the short form of Luigi's command."""

from __future__ import annotations

import argparse

from luigi.retcodes import run_with_retcodes

from pipeline.core.console.usage import USAGE_ERROR, say_shortly
from pipeline.core.registry import module_of


def run(options: argparse.Namespace) -> int:
    """Have Luigi run it, with the words that follow the task's name."""
    module = module_of(options.task)
    say_shortly("skord")
    try:
        run_with_retcodes(["--module", module, options.task, *options.rest])
    except SystemExit as ended:
        return USAGE_ERROR if ended.code == USAGE_ERROR else int(bool(ended.code))
    return 0
