"""A testbed that outlives the command that started it: `up --detach` and `down`.

The same command without `--detach` runs in a session of its own and is the testbed's owner. While
its nodes take jobs, `owner.pid` lies in the folder.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from skord.core.failures import ConfigError
from tests.testbed.daemons import NotReadyError

PREFIX = "skord-slurm-"
"""Folders that nobody named lie in the system's folder for temporary files and begin so."""

_OWNER = "owner.pid"
_TIMEOUT_S = 300.0


@contextmanager
def own_testbed(folder: Path) -> Iterator[None]:
    """Note that this process owns the testbed in the folder, for `stop_testbed` to find."""
    path = folder / _OWNER
    path.write_text(str(os.getpid()))
    try:
        yield
    finally:
        path.unlink(missing_ok=True)


def start_detached(arguments: Sequence[str], folder: Path) -> None:
    """Run `python -m tests.testbed ARGUMENTS` in a session of its own until it is up.

    Raises:
        NotReadyError: it ended, or was not up in time; with what it said.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "owner.out").open("w+") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.testbed", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
        _wait_until(lambda: owner_of_testbed(folder) == process.pid or process.poll() is not None)
        if owner_of_testbed(folder) != process.pid:
            process.terminate()
            output.seek(0)
            raise NotReadyError(output.read().strip() or "the testbed was not up in time")


def stop_testbed(folder: Path) -> None:
    """Stop the testbed in the folder; returns when all of it is gone."""
    pid = owner_of_testbed(folder)
    if pid is None:
        raise ConfigError(f"no testbed runs in {folder}")
    os.kill(pid, signal.SIGTERM)
    if not _wait_until(lambda: not _is_testbed(pid)):
        raise NotReadyError(f"process {pid} still runs {_TIMEOUT_S:g} s after SIGTERM")


def owner_of_testbed(folder: Path) -> int | None:
    """Pid of the living process that owns the testbed in the folder; None when there is none."""
    with suppress(OSError, ValueError):
        pid = int((folder / _OWNER).read_text())
        return pid if _is_testbed(pid) else None
    return None


def only_testbed() -> Path:
    """The folder of the one running testbed whose folder nobody named."""
    folders = [
        path for path in Path(tempfile.gettempdir()).glob(f"{PREFIX}*") if owner_of_testbed(path)
    ]
    if len(folders) == 1:
        return folders[0]
    running = ", ".join(map(str, sorted(folders))) or "none"
    raise ConfigError(f"say --folder, for not exactly one testbed is running: {running}")


def _is_testbed(pid: int) -> bool:
    with suppress(OSError):
        return b"tests.testbed" in Path(f"/proc/{pid}/cmdline").read_bytes()
    return False


def _wait_until(is_so: Callable[[], bool]) -> bool:
    end = time.monotonic() + _TIMEOUT_S
    while not is_so():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True
