"""`python -m tests.testbed …`: a throw-away Slurm cluster for a terminal, from a checkout.

python -m tests.testbed run --nodes 4 -- COMMAND …      # a cluster for as long as a command
python -m tests.testbed up --gpus 2                     # until Ctrl-C; prints what to paste
python -m tests.testbed up --accounting                 # with slurmdbd and MariaDB, for sacct
eval "$(python -m tests.testbed up --detach)"           # in the background …
python -m tests.testbed down                            # … until this
"""

from __future__ import annotations

import argparse
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import NoReturn

from skord.core.failures import PipelineError
from tests.testbed import background
from tests.testbed.cluster import Testbed
from tests.testbed.configuration import CONFIGURATION, Settings

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

    up = verbs.add_parser("up", help="start a cluster and keep it until Ctrl-C or SIGTERM")
    up.add_argument("--detach", action="store_true", help="keep it in the background until `down`")
    up.add_argument("--remove", action="store_true", help="remove the folder at the end")
    up.set_defaults(do=_start_cluster)

    down = verbs.add_parser("down", help="stop a cluster that runs in another terminal or none")
    down.set_defaults(do=_stop_cluster)

    run = verbs.add_parser("run", help="run a command with a cluster of its own; its status")
    run.add_argument("command", nargs="+", metavar="COMMAND", help="after `--`")
    run.set_defaults(do=_run_in_cluster, remove=False)

    for verb in (up, down, run):
        verb.add_argument("--folder", type=Path, help="where it lies; a temporary one if not said")
    for verb in (up, run):
        verb.add_argument("--nodes", type=int, default=Settings.nodes)
        verb.add_argument("--cpus", type=int, default=Settings.cpus, help="of each node")
        verb.add_argument("--mem-mb", type=int, default=Settings.mem_mb, help="of each node")
        verb.add_argument("--gpus", type=int, default=Settings.gpus, help="of each node; pretended")
        verb.add_argument("--accounting", action="store_true", help="keep accounts, for sacct")
    return top


@contextmanager
def _testbed_of_options(options: argparse.Namespace) -> Iterator[Testbed]:
    """The cluster that the options ask for; a folder that nobody named goes with it."""
    folder = options.folder or Path(tempfile.mkdtemp(prefix=background.PREFIX))
    try:
        settings = Settings(**{name: getattr(options, name) for name in _SETTINGS})
        with Testbed(folder, settings) as bed:
            yield bed
    finally:
        if options.remove or not options.folder:
            shutil.rmtree(folder, ignore_errors=True)


def _start_cluster(options: argparse.Namespace) -> int:
    if options.detach:
        return _up_detached(options)
    signal.signal(signal.SIGTERM, _end_on_signal)
    signal.signal(signal.SIGHUP, _end_on_signal)
    with _testbed_of_options(options) as bed, background.own_testbed(bed.folder):
        _say_how_to_use(bed.folder)
        print(f"{len(bed.nodes)} nodes are up; Ctrl-C stops them", file=sys.stderr, flush=True)
        signal.pause()
    return 0


def _up_detached(options: argparse.Namespace) -> int:
    folder = options.folder or Path(tempfile.mkdtemp(prefix=background.PREFIX))
    arguments = ["up", "--folder", str(folder), *(["--remove"] if not options.folder else [])]
    for name in _SETTINGS:
        value = getattr(options, name)
        if value is not False:
            option = f"--{name.replace('_', '-')}"
            arguments.append(option if value is True else f"{option}={value}")
    background.start_detached(arguments, folder)
    _say_how_to_use(folder)
    return 0


def _say_how_to_use(folder: Path) -> None:
    print(f"export SLURM_CONF={folder.resolve() / CONFIGURATION}", flush=True)


def _stop_cluster(options: argparse.Namespace) -> int:
    background.stop_testbed(options.folder or background.only_testbed())
    return 0


def _run_in_cluster(options: argparse.Namespace) -> int:
    signal.signal(signal.SIGTERM, _end_on_signal)
    signal.signal(signal.SIGHUP, _end_on_signal)
    with _testbed_of_options(options) as bed:
        return _status_of(options.command, bed.environment)


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
        return int(options.do(options))
    except (PipelineError, FileNotFoundError) as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 127 if isinstance(error, FileNotFoundError) else 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
