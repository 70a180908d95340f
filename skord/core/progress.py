"""How far a phase is: a line that changes on a terminal, now and then a line in a file."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from threading import Event, Thread

from tqdm import tqdm

from skord.core.closing import Closing
from skord.core.tasks.phases import ShardReport

FIRST_S, EVERY_S = 60.0, 300.0
"""A file (Slurm's output, a log) gets a line on a phase that lasts after the first, then that often."""


def with_progress(
    reports: Iterable[ShardReport], title: str, total: int, *, show: bool
) -> Iterator[ShardReport]:
    """The reports as they come, and how far the phase is.

    Args:
        total: how many work items there are.
        show: whether anything is to be seen.
    """
    if not show:
        yield from reports
    elif sys.stderr.isatty():
        yield from tqdm(reports, title, total, leave=False, unit="item", mininterval=0.5)
    else:
        yield from _with_lines(reports, title, total)


def _with_lines(reports: Iterable[ShardReport], title: str, total: int) -> Iterator[ShardReport]:
    with LinesOfPhase(title, total) as lines:
        for report in reports:
            lines.count(report)
            yield report


class LinesOfPhase(Closing):
    """Prints from time to time how far a phase is, also while its first item is at work."""

    def __init__(self, title: str, total: int) -> None:
        self.title = title
        self.total = total
        self.done = 0
        self.failed = 0
        self._started = time.monotonic()
        self._ended = Event()
        self._thread = Thread(target=self._print_lines, daemon=True)
        self._thread.start()

    def count(self, report: ShardReport) -> None:
        """Count what an item came to."""
        self.done += 1
        self.failed += bool(report.error)

    def close(self) -> None:
        """Print no more."""
        self._ended.set()
        self._thread.join()

    def _print_lines(self) -> None:
        wait_s = FIRST_S
        while not self._ended.wait(wait_s):
            wait_s = EVERY_S
            seconds = time.monotonic() - self._started
            print(
                progress_line(self.title, self.done, self.total, self.failed, seconds),
                file=sys.stderr,
                flush=True,
            )


def progress_line(title: str, done: int, total: int, failed: int, seconds: float) -> str:
    """Where a phase is, in one line of a log.

    >>> progress_line("CCNet 2024-10 shard", 25, 100, 1, 50.0)
    'CCNet 2024-10 shard: 25 of 100, 1 failed, 0.5/s, 2 min 30 s left'
    >>> progress_line("CCNet 2024-10 shard", 0, 100, 0, 50.0)
    'CCNet 2024-10 shard: 0 of 100 after 50 s'
    """
    if not done:
        return f"{title}: 0 of {total} after {in_words(seconds)}"
    rate = done / max(seconds, 0.001)
    lost = f", {failed} failed" if failed else ""
    return f"{title}: {done} of {total}{lost}, {rate:.2g}/s, {in_words((total - done) / rate)} left"


def in_words(seconds: float) -> str:
    """A span of time.

    >>> in_words(7.4), in_words(150), in_words(7500), in_words(200_000)
    ('7 s', '2 min 30 s', '2 h 5 min', '2 d 7 h')
    """
    whole = round(seconds)
    for large, small, size in (("d", "h", 24 * 3600), ("h", "min", 3600), ("min", "s", 60)):
        if whole >= size:
            part = whole % size // {"h": 3600, "min": 60, "s": 1}[small]
            return f"{whole // size} {large}" + (f" {part} {small}" if part else "")
    return f"{whole} s"
