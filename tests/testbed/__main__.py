"""`python -m tests.testbed run …`: a throw-away Slurm cluster for a command, from a checkout.

python -m tests.testbed run --nodes 4 -- COMMAND …
python -m tests.testbed run --gpus 2 --accounting -- bash      # a shell that sees the cluster
"""

from __future__ import annotations

import argparse
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import NoReturn

from skord.core.failures import PipelineError
from tests.testbed.cluster import Testbed
from tests.testbed.configuration import Settings

_SETTINGS = ("nodes", "cpus", "mem_mb", "gpus", "accounting")
"""Those of `configuration.Settings` that the command line knows."""


def cluster_parser() -> argparse.ArgumentParser:
    """The command line."""
    top = argparse.ArgumentParser(
        prog="python -m tests.testbed",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verbs = top.add_subparsers(required=True, metavar="VERB")
    run = verbs.add_parser("run", help="run a command with a cluster of its own; its status")
    run.add_argument("command", nargs="+", metavar="COMMAND", help="after `--`")
    run.add_argument("--folder", type=Path, help="where it lies; a temporary one if not said")
    run.add_argument("--nodes", type=int, default=Settings.nodes)
    run.add_argument("--cpus", type=int, default=Settings.cpus, help="of each node")
    run.add_argument("--mem-mb", type=int, default=Settings.mem_mb, help="of each node")
    run.add_argument("--gpus", type=int, default=Settings.gpus, help="of each node; pretended")
    run.add_argument("--accounting", action="store_true", help="keep accounts, for sacct")
    return top


def _run_in_cluster(options: argparse.Namespace) -> int:
    signal.signal(signal.SIGTERM, _end_on_signal)
    signal.signal(signal.SIGHUP, _end_on_signal)
    folder = options.folder or Path(tempfile.mkdtemp(prefix="skord-slurm-"))
    try:
        settings = Settings(**{name: getattr(options, name) for name in _SETTINGS})
        with Testbed(folder, settings) as bed:
            return _status_of(options.command, bed.environment)
    finally:
        if not options.folder:
            shutil.rmtree(folder, ignore_errors=True)


def _status_of(command: Sequence[str], environment: dict[str, str]) -> int:
    """Run a command to its end, signals passed on; its status as a shell would say it."""
    with subprocess.Popen(command, env=environment) as process:

        def pass_on(number: int, _frame: FrameType | None) -> None:
            process.send_signal(number)

        signal.signal(signal.SIGTERM, pass_on)
        signal.signal(signal.SIGHUP, pass_on)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal's Ctrl-C reaches it by itself
        status = process.wait()
    return status if status >= 0 else 128 - status


def _end_on_signal(number: int, _frame: FrameType | None) -> NoReturn:
    signal.signal(number, signal.SIG_IGN)
    raise SystemExit(128 + number)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    options = cluster_parser().parse_args(arguments)
    try:
        return _run_in_cluster(options)
    except (PipelineError, FileNotFoundError) as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 127 if isinstance(error, FileNotFoundError) else 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
