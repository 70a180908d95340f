"""A worker that is asked to stop leaves its shard off between two row groups.

What it has made so far stays as a file of its own, and whoever resumes the shard goes
on from there: a time limit, or Ctrl-C, costs a row group, not a shard.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

from skord.core.failures import PipelineError

_asked = threading.Event()
_cancellable = threading.Event()


class CheckpointedError(PipelineError):
    """The shard was left off before its end, as this process was asked to."""


def request_checkpoint() -> None:
    """Have this process leave its work off at the next row group; safe in a signal handler."""
    _asked.set()


def clear_cancellation() -> None:
    """Forget that it was asked."""
    _asked.clear()


def checkpoint_requested() -> bool:
    """Whether this process was asked."""
    return _asked.is_set()


@contextlib.contextmanager
def cancellable_work() -> Iterator[None]:
    """What is made within it can be left off; for nothing else is it of use to wait."""
    _cancellable.set()
    try:
        yield
    finally:
        _cancellable.clear()


def is_cancellable() -> bool:
    """Whether this process is at work that it would leave off."""
    return _cancellable.is_set()
