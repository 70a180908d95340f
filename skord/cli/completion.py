"""What a shell needs to complete the words of the command line."""

from __future__ import annotations

import argparse

import shtab

from skord.cli.commands import command_line


def run(options: argparse.Namespace) -> None:
    """Print it."""
    parser = command_line()
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            action.help = None  # shtab passes over what help does not show
    print(shtab.complete(parser, options.shell))
