"""One rate limit for every process, on every machine, that shares a folder.

Common Crawl serves everybody from one endpoint and blocks clients that ask too fast, so
what counts is the rate of the whole cluster, not that of one worker. The state is a
handful of files under `flock`: the kernel, or the file server behind it, drops a lock
when its process ends however it ends, so a killed worker never leaks its share.

* `next-start`: wall-clock times in seconds since the epoch: when the next request may start,
  until when nobody may start one (a cool-down), and when that was written.
* `connection-00000` …: whoever holds the lock of one may have one request under way.

Starts are spaced evenly and unused time is not saved up: after a pause there is no burst.
Wall-clock time is what several machines have in common; clocks that differ by some
milliseconds, as under NTP, shift single starts by as much.
"""

from __future__ import annotations

import errno
import fcntl
import math
import os
import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from skord.core.failures import ConfigError

MAX_COOL_DOWN_S = 3600.0
"""The longest that one cool-down can postpone everybody."""

CLOCK_TOLERANCE_S = 60.0
"""What was written further ahead than this was written before the clock was set back."""

_FIRST_POLL_S = 0.01
_LONGEST_POLL_S = 0.5
_NO_FLOCK = frozenset({errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EINVAL})


@dataclass(frozen=True)
class RateLimiter:
    """How many requests may start a second, and how many may be under way at once.

    Safe to hand to other processes and threads: the state is in the folder alone.

    Args:
        directory: the folder of the lock files; made when missing. Everyone who names the
            same folder, with the same two numbers, shares one limit.
        requests_per_s: starts per second of all sharers together; may be below 1.
        connections: requests under way at any moment, of all sharers together.

    Raises:
        ConfigError: a number is not above zero, the folder cannot be made or written, or
            its file system has no `flock`.
    """

    directory: Path
    requests_per_s: float
    connections: int

    def __post_init__(self) -> None:
        if not (self.requests_per_s > 0 and math.isfinite(self.requests_per_s)):
            raise ConfigError(
                f"[crawl] requests_per_s = {self.requests_per_s}: set it above 0, such as 10"
            )
        if self.connections < 1:
            raise ConfigError(f"[crawl] connections = {self.connections}: set it to 1 or more")
        try:
            self.directory.mkdir(parents=True, exist_ok=True)
            with self._next_start():
                pass
        except OSError as error:
            raise ConfigError(
                f"the rate limit cannot be kept in {self.directory} ({error.strerror}): "
                "set [crawl] rate_limit_dir to a folder that every worker can write to"
            ) from error

    @contextmanager
    def connection(self) -> Iterator[None]:
        """Wait for a free connection and then for the next start; hold the connection inside.

        Waits as long as it takes: each holder's time is bounded by its own time limits.
        """
        connection = self._free_connection()
        try:
            self._wait_for_start()
            yield
        finally:
            os.close(connection)

    def cool_down(self, seconds: float) -> None:
        """Let nobody start a request for this long, those already waiting for theirs included.

        Cool-downs do not add up: the one that ends last counts. At most `MAX_COOL_DOWN_S`.
        """
        with self._next_start() as file:
            until_s = time.time() + min(max(seconds, 0.0), MAX_COOL_DOWN_S)
            next_s, calm_s = self._read(file)
            self._write(file, max(next_s, until_s), max(calm_s, until_s))

    def _free_connection(self) -> int:
        """Descriptor of a connection file whose lock is now ours; closing it frees the lock."""
        poll_s = _FIRST_POLL_S
        while (connection := self._try_connections()) is None:
            time.sleep(poll_s * random.uniform(0.5, 1.0))
            poll_s = min(2 * poll_s, _LONGEST_POLL_S)
        return connection

    def _try_connections(self) -> int | None:
        # Everybody begins elsewhere, or all would contend for the first file.
        first = random.randrange(self.connections)
        for n in range(self.connections):
            number = (first + n) % self.connections
            file = self._open(f"connection-{number:05d}")
            if self._lock(file, fcntl.LOCK_EX | fcntl.LOCK_NB):
                return file
            os.close(file)
        return None

    def _wait_for_start(self) -> None:
        while (wait_s := self._reserve_start() - time.time()) > 0:
            time.sleep(wait_s)
            # Somebody may have been refused meanwhile: then the start that was reserved is void.
            with self._next_start() as file:
                _, calm_s = self._read(file)
            if calm_s <= time.time():
                return

    def _reserve_start(self) -> float:
        """The next free start; the one after it is a whole interval later."""
        with self._next_start() as file:
            next_s, calm_s = self._read(file)
            start_s = max(time.time(), next_s)
            self._write(file, start_s + 1 / self.requests_per_s, calm_s)
        return start_s

    @contextmanager
    def _next_start(self) -> Iterator[int]:
        file = self._open("next-start")
        try:
            self._lock(file, fcntl.LOCK_EX)
            yield file
        finally:
            os.close(file)

    def _read(self, file: int) -> tuple[float, float]:
        """Next start and end of the cool-down; zeros for a file that is new or unreadable.

        Nobody can be further ahead than the longest cool-down and one start for each
        connection. A time beyond that was written under a clock that was wrong, and would
        hold everybody up until then.
        """
        try:
            next_s, calm_s, *written = map(float, os.pread(file, 100, 0).split())
        except ValueError:
            return 0.0, 0.0
        if written and written[0] > time.time() + CLOCK_TOLERANCE_S:
            return 0.0, 0.0
        furthest_s = time.time() + MAX_COOL_DOWN_S + (self.connections + 1) / self.requests_per_s
        return (next_s if next_s <= furthest_s else 0.0, calm_s if calm_s <= furthest_s else 0.0)

    def _write(self, file: int, next_s: float, calm_s: float) -> None:
        """One write of constant length, so that a killed process leaves no half of it."""
        os.pwrite(file, f"{next_s:017.6f} {calm_s:017.6f} {time.time():017.6f}\n".encode(), 0)

    def _open(self, name: str) -> int:
        return os.open(self.directory / name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o664)

    def _lock(self, file: int, how: int) -> bool:
        """Whether the lock is ours; False only when it is taken and `how` says not to wait."""
        try:
            fcntl.flock(file, how)
        except BlockingIOError:
            return False
        except OSError as error:
            if error.errno not in _NO_FLOCK:
                raise
            raise ConfigError(
                f"{self.directory} is on a file system without flock ({error.strerror}): set "
                "[crawl] rate_limit_dir to one that has it (NFS, or Lustre mounted with -o flock)"
            ) from error
        return True
