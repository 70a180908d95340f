"""What a shell needs to complete the words of the command line."""

from __future__ import annotations

import argparse

import shtab

from pipeline.cli.arguments.commands import PROG, command_line


def run(options: argparse.Namespace) -> None:
    """Print it."""
    parser = command_line()
    parser.prog = PROG
    print(shtab.complete(parser, options.shell))
