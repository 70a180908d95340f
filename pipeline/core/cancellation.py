"""A worker that is asked to stop puts its shard down between two row groups.

What it has made so far stays as a file of its own, and whoever takes the shard up again goes
on from there: a time limit, or Ctrl-C, costs a row group, not a shard.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

from pipeline.core.failures import PipelineError

_asked = threading.Event()
_heeding = threading.Event()


class PutDownError(PipelineError):
    """The shard was put down before its end, as this process was asked to."""


def ask_to_put_down() -> None:
    """Have this process put its work down at the next row group; safe in a signal handler."""
    _asked.set()


def take_up() -> None:
    """Forget that it was asked."""
    _asked.clear()


def asked_to_put_down() -> bool:
    """Whether this process was asked."""
    return _asked.is_set()


@contextlib.contextmanager
def heeding() -> Iterator[None]:
    """What is made within it can be put down; nothing else is worth waiting for."""
    _heeding.set()
    try:
        yield
    finally:
        _heeding.clear()


def heeds() -> bool:
    """Whether this process is at work that it would put down."""
    return _heeding.is_set()
