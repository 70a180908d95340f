"""When the driver looks: at the queue ever more seldom, at files in proportion to the time gone by.

squeue is one program for a whole cluster, so it is asked every few seconds at first and
every minute later on. What is made shows in the attempts' folders, which cost the cluster
nothing: they are polled in between, so that the end of an array of a minute is seen
within two seconds, and that of one of an hour within a minute.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator

GROWTH = 1.3
"""How much longer the driver waits from one look at the queue to the next."""

LATENESS = 0.02
"""How late an item's end may be seen, as a share of the time since the last submission."""

LEAST_S = 1.0
"""Seconds between two polls at the files, at least."""

REST = 20
"""A poll is followed by a rest so many times as long: slow disks are asked less often."""


class Pace:
    """The driver's clock.

    Args:
        poll_s: between two looks at the queue at first.
        max_poll_s: between two looks later on.
    """

    def __init__(self, poll_s: float, max_poll_s: float) -> None:
        self.longest_s = max(max_poll_s, poll_s)
        self._poll_s = poll_s
        self.restart()

    def restart(self) -> None:
        """Something was submitted: look often again."""
        self._since = time.monotonic()
        self._pause_s = self._poll_s

    def polls(self) -> Iterator[None]:
        """Wait until the next look at the queue is due; yields when a poll at files is."""
        end = time.monotonic() + self._pause_s * random.uniform(0.9, 1.0)
        self._pause_s = min(self._pause_s * GROWTH, self.longest_s)
        took_s = 0.0
        while (now := time.monotonic()) < end:
            wait_s = rest_s(now - self._since, took_s)
            time.sleep(min(wait_s, end - now))
            began = time.monotonic()
            if began < end:
                yield
            took_s = time.monotonic() - began


def rest_s(gone_s: float, took_s: float) -> float:
    """Seconds from one poll to the next.

    Args:
        gone_s: since the last submission.
        took_s: what the last poll took.

    >>> rest_s(10, 0.01), rest_s(600, 0.01), rest_s(10, 0.5)
    (1.0, 12.0, 10.0)
    """
    return max(LEAST_S, gone_s * LATENESS, took_s * REST)
