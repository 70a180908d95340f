"""What the sample crawl's server was asked, and which faults it therefore shows."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from skord.sample_crawl.faults import Fault, Faults


@dataclass(frozen=True)
class Request:
    """One request as it was answered.

    Args:
        method: GET or HEAD.
        path: as asked for, quoted.
        range: the `Range` header, or "".
        if_range: the `If-Range` header, or "".
        user_agent: the `User-Agent` header, or "".
        started_s: wall-clock time at which it was read.
        status: what it was answered with.
        fault: what was done to it, if anything.
    """

    method: str
    path: str
    range: str
    if_range: str
    user_agent: str
    started_s: float
    status: int
    fault: Fault | None


class Ledger:
    """Counts requests from many threads and deals out faults.

    Args:
        faults: how often answers go wrong.
    """

    def __init__(self, faults: Faults) -> None:
        self.faults = faults
        self.peak = 0
        """The most requests that were under way at once."""
        self._lock = threading.Lock()
        self._requests: list[Request] = []
        self._under_way = 0
        self._turns: Counter[tuple[str, str]] = Counter()
        self._in_a_row: Counter[tuple[str, str]] = Counter()
        self._storm_until_s = 0.0

    @property
    def requests(self) -> tuple[Request, ...]:
        """What was asked so far, in the order in which answers began."""
        with self._lock:
            return tuple(self._requests)

    def record(self, request: Request) -> None:
        """Keep what was asked."""
        with self._lock:
            self._requests.append(request)

    @contextmanager
    def under_way(self) -> Iterator[None]:
        """Count one request more inside, for `peak`."""
        with self._lock:
            self._under_way += 1
            self.peak = max(self.peak, self._under_way)
        try:
            yield
        finally:
            with self._lock:
                self._under_way -= 1

    def decide(self, path: str, asked: str) -> tuple[Fault | None, float, int]:
        """How the next request for a range of a path, "" for all of it, goes wrong.

        A range without an end is the rest of a file that is being resumed. It counts as the
        same request as the whole file: its start is another each time, and a burst of faults
        would never end.

        Returns:
            The fault; where in the body it strikes, from 0 up to 1; and how often the same was
            asked before.
        """
        span = "" if asked.endswith("-") else asked
        with self._lock:
            turn = self._turns[path, span]
            self._turns[path, span] += 1
            fault = self._fault(path, span, turn)
        return fault, self.faults.chance("where", path, span, turn), turn

    def _fault(self, path: str, span: str, turn: int) -> Fault | None:
        if time.monotonic() < self._storm_until_s:
            return Fault.FORBIDDEN
        fault = self.faults.pick(path, span, turn, self._in_a_row[path, span])
        self._in_a_row[path, span] = self._in_a_row[path, span] + 1 if fault else 0
        if fault is Fault.FORBIDDEN_STORM:
            self._storm_until_s = time.monotonic() + self.faults.forbidden_storm_s
        return fault
