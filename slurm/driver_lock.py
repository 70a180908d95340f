"""One driver at a time for each phase of a task: a lock that ends with whoever holds it."""

from __future__ import annotations

import fcntl
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from skord.core.failures import ConfigError

PATIENCE_S = 5.0
"""A driver that was killed a moment ago may have left an sbatch behind that still holds it."""


@contextmanager
def held_lock(path: Path) -> Iterator[tuple[int, bool]]:
    """Hold the lock file; gives its descriptor, and whether it had to be waited for.

    Raises:
        ConfigError: another driver holds it; the message says which.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+") as file:
        waited = _take_lock(file.fileno(), path)
        file.truncate(0)
        file.write(f"process {os.getpid()} on {socket.gethostname()}, since {time.ctime()}\n")
        file.flush()
        yield file.fileno(), waited


def _take_lock(descriptor: int, path: Path) -> bool:
    start = time.monotonic()
    waited = False
    while not _is_locked(descriptor):
        waited = True
        if time.monotonic() > start + PATIENCE_S:
            raise ConfigError(
                f"another driver is at work on this phase ({path.read_text().strip()}): wait for "
                f"it or end it; its jobs are kept (lock: {path})"
            )
        time.sleep(0.1)
    return waited


def _is_locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
