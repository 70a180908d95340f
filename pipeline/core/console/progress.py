"""How far a phase is: a line that changes on a terminal, now and then a line in a file."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator

from pipeline.core.phases import ShardReport

FIRST_S, EVERY_S = 10.0, 60.0
"""A file (Slurm's output, a log) hears of a phase after the first, and then that often."""


def with_progress(
    reports: Iterable[ShardReport], title: str, total: int, *, show: bool
) -> Iterator[ShardReport]:
    """The reports as they come, and how far the phase is.

    Args:
        reports: of the work items.
        title: of the phase.
        total: how many work items there are.
        show: whether anything is to be seen.
    """
    if not show:
        yield from reports
    elif sys.stderr.isatty():
        from tqdm import tqdm  # noqa: PLC0415 - few see a bar

        yield from tqdm(reports, title, total, leave=False, unit="item", mininterval=0.5)
    else:
        yield from _with_lines(reports, title, total)


def _with_lines(reports: Iterable[ShardReport], title: str, total: int) -> Iterator[ShardReport]:
    started = time.monotonic()
    due, failed = started + FIRST_S, 0
    for done, report in enumerate(reports, 1):
        failed += bool(report.error)
        now = time.monotonic()
        if now >= due and done < total:
            due = now + EVERY_S
            print(progress_line(title, done, total, failed, now - started), file=sys.stderr)
            sys.stderr.flush()
        yield report


def progress_line(title: str, done: int, total: int, failed: int, seconds: float) -> str:
    """Where a phase is, in one line of a log.

    >>> progress_line("CCNet 2024-10 shard", 25, 100, 1, 50.0)
    'CCNet 2024-10 shard: 25 of 100, 1 failed, 0.5/s, 2 min 30 s left'
    """
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
