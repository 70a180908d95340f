"""One child process that answers requests over pipes, kept within time and memory."""

from __future__ import annotations

import math
import os
import resource
import selectors
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import IO, NamedTuple

from skord.core.failures import DocumentError
from skord.html.failures import ConversionFailure

WALL_PER_CPU_SECOND = 5
"""A page's time is counted in CPU seconds, so that a busy machine fails no more pages than an
idle one; by the clock it may take this many times longer."""

MAX_REPLY_BYTES = 10_000_000
"""Deeply nested lists and quotes are indented on every line, which can multiply a page."""

_LOOK_EVERY_S = 0.1
_CHUNK_BYTES = 1 << 18
_LONGEST_HEAD_BYTES = 40
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_PAGE_MB = os.sysconf("SC_PAGE_SIZE") / 1e6


@dataclass(frozen=True)
class Limits:
    """What one answer may cost: CPU seconds, and megabytes of resident memory."""

    timeout_s: float
    max_rss_mb: float


class ProcessLostError(Exception):
    """The process is of no more use, and gave no answer; a fresh one might."""

    def __init__(self, code: ConversionFailure, detail: str) -> None:
        super().__init__(detail)
        self.code = code


class Usage(NamedTuple):
    """What a process has used so far; zeros where the system does not tell (no /proc)."""

    cpu_s: float
    rss_mb: float


def usage_of(pid: int) -> Usage:
    """What a process has used so far; from /proc/PID/stat, see proc(5)."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as stat:  # noqa: PTH123
            fields = stat.read().rpartition(")")[2].split()
    except OSError:
        return Usage(0.0, 0.0)
    ticks = int(fields[11]) + int(fields[12])
    return Usage(ticks / _TICKS_PER_S, int(fields[21]) * _PAGE_MB)


class ChildProcess:
    """A process that reads `<bytes>` and a newline, then that many bytes, and answers likewise.

    It sees nothing of the caller's environment, so no proxy, locale or configuration of a user
    changes what it writes; and it gets SIGXCPU when it has burnt `max_cpu_s`, so that it stops
    even if the caller is killed in the middle of a page. An idle one stops at the end of stdin.
    What it leaves in its temporary folder (`pandoc lua` a folder for a history) goes with it.
    """

    def __init__(self, command: Sequence[str], max_cpu_s: float) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="pandoc-", ignore_cleanup_errors=True)
        self._popen = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # warnings would fill a pipe that nobody reads
            env=bare_environment() | {"TMPDIR": self._folder.name},
            cwd="/",
            bufsize=0,
        )
        self._stdin, self._stdout = _pipe(self._popen.stdin), _pipe(self._popen.stdout)
        os.set_blocking(self._stdin.fileno(), False)
        os.set_blocking(self._stdout.fileno(), False)
        if hasattr(resource, "prlimit"):
            seconds = math.ceil(max_cpu_s)
            resource.prlimit(self.pid, resource.RLIMIT_CPU, (seconds, seconds + 5))

    @property
    def pid(self) -> int:
        """Of the process."""
        return self._popen.pid

    def is_running(self) -> bool:
        """Tell whether it has not ended."""
        return self._popen.poll() is None

    def usage(self) -> Usage:
        """What it has used so far."""
        return usage_of(self.pid)

    def kill(self) -> None:
        """End it at once, and close the pipes."""
        self._popen.kill()
        self._popen.wait()
        self._stdin.close()
        self._stdout.close()
        self._folder.cleanup()

    def ask(self, body: bytes, limits: Limits) -> tuple[bytes, bytes]:
        """Send a request and return the status word and the body of the answer.

        Writes and reads as the pipes allow, so a page larger than both pipes cannot leave the
        two sides waiting for each other.

        Raises:
            ProcessLostError: pandoc_died or pandoc_memory.
            DocumentError: pandoc_timeout or too_large. The process is then to be killed.
        """
        pending = memoryview(b"%d\n%b" % (len(body), body))
        reply = bytearray()
        watch = Watch(self.pid, limits)
        with selectors.DefaultSelector() as selector:
            selector.register(self._stdin, selectors.EVENT_WRITE)
            selector.register(self._stdout, selectors.EVENT_READ)
            while (answer := _parse_answer(reply)) is None:
                for key, _ in selector.select(_LOOK_EVERY_S):
                    if key.fileobj is self._stdout:
                        reply += self._read()
                    else:
                        pending = pending[self._write(pending) :]
                        if not pending:
                            selector.unregister(self._stdin)
                watch.look()
        return answer

    def _read(self) -> bytes:
        chunk = os.read(self._stdout.fileno(), _CHUNK_BYTES)
        if not chunk:
            raise ProcessLostError(
                ConversionFailure.pandoc_died, f"exit status {self._popen.wait()}"
            )
        return chunk

    def _write(self, pending: memoryview) -> int:
        try:
            return os.write(self._stdin.fileno(), pending[:_CHUNK_BYTES])
        except BrokenPipeError as error:
            raise ProcessLostError(ConversionFailure.pandoc_died, "closed its stdin") from error


class Watch:
    """Looks now and then whether what a process does from now on costs too much."""

    def __init__(self, pid: int, limits: Limits) -> None:
        self._pid = pid
        self._limits = limits
        self._started = self._looked = time.monotonic()
        self._cpu_before_s = usage_of(pid).cpu_s

    def look(self) -> None:
        """Raise ProcessLostError (memory) or DocumentError (time) if it does."""
        now = time.monotonic()
        if now - self._looked < _LOOK_EVERY_S:
            return
        self._looked = now
        usage = usage_of(self._pid)
        cpu_s, wall_s = usage.cpu_s - self._cpu_before_s, now - self._started
        most_s = self._limits.timeout_s
        if cpu_s > most_s or wall_s > most_s * WALL_PER_CPU_SECOND:
            spent = f"{cpu_s:.1f} s CPU, {wall_s:.1f} s by the clock"
            raise DocumentError(ConversionFailure.pandoc_timeout, spent)
        if usage.rss_mb > self._limits.max_rss_mb:
            raise ProcessLostError(ConversionFailure.pandoc_memory, f"{usage.rss_mb:.0f} MB")


def _parse_answer(reply: bytearray) -> tuple[bytes, bytes] | None:
    """Status word and body, or None while some of it is still to come."""
    newline = reply.find(b"\n", 0, _LONGEST_HEAD_BYTES)
    if newline < 0:
        return None
    status, digits = reply[:newline].split()
    size, start = int(digits), newline + 1
    if size > MAX_REPLY_BYTES:
        raise DocumentError(ConversionFailure.too_large, f"{size} bytes of Markdown")
    return (bytes(status), bytes(reply[start:])) if len(reply) - start >= size else None


def bare_environment() -> dict[str, str]:
    """Only what the process needs; a pandoc that is not static may need its libraries."""
    kept = {name: os.environ[name] for name in ("LD_LIBRARY_PATH",) if name in os.environ}
    return kept | {"LC_ALL": "C.UTF-8", "HOME": "/nonexistent", "PATH": os.defpath}


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    assert pipe is not None
    return pipe
