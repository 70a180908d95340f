"""One process at a time makes a task of a dump, on whichever host it runs; others wait."""

from __future__ import annotations

import contextlib
import hashlib
import logging
from collections.abc import Iterator
from pathlib import Path

from filelock import SoftFileLease, Timeout

from skord.core.config import executor
from skord.core.storage.column_store import ColumnStore
from skord.core.storage.filesystem import Storage

logger = logging.getLogger("luigi-interface")

LOCKS = "_locks"
"""Folder under a local root that holds the locks; never part of the result."""

LEASE_S = 180.0
"""A lock that was not touched for so long is free: three times what NFS keeps a file's state."""

POLL_S = 0.25


@contextlib.contextmanager
def lock_task(store: ColumnStore, family: str) -> Iterator[None]:
    """Wait until no other process makes the task, and have others wait while the block lasts.

    The lock is a file that is created exclusively (`O_EXCL`), which every shared file system knows,
    NFS since version 3; `flock` holds on NFS and Lustre only as they are mounted. Its holder
    touches it. The lock of a process of this host that has ended is taken over at once; that of
    one of another host once it was left untouched for `LEASE_S` by the clock of who waits. A
    process may take a lock again that it holds.
    """
    folder = _folder(store.storage)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{family}-{store.dump}.lock"
    lease = SoftFileLease(path, lease_duration=LEASE_S, is_singleton=True)
    try:
        lease.acquire(timeout=0)
    except Timeout:
        logger.info(
            "%s %s: another process is at work on it; waiting for its end (lock: %s)",
            family,
            store.dump,
            path,
        )
        lease.acquire(poll_interval=POLL_S)
    try:
        yield
    finally:
        lease.release()


def _folder(storage: Storage) -> Path:
    """Where locks lie: with the data; of an object store, which has none, in the folder of logs."""
    if storage.is_local:
        return Path(storage.root, LOCKS)
    bucket = hashlib.sha256(storage.root.encode()).hexdigest()[:12]
    return Path(executor().log_dir, LOCKS, bucket)
