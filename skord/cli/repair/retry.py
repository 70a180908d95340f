"""Make some shards of a task again."""

from __future__ import annotations

import argparse
import re

from skord.cli.console import run_tasks
from skord.core.config import open_storage
from skord.core.dumps import check_dump
from skord.core.failures import ConfigError
from skord.core.preflight import check_settings
from skord.core.registry import task_class
from skord.core.task_lock import lock_task


def run(options: argparse.Namespace) -> int:
    """Make them again."""
    check_settings()
    check_dump(options.dump, open_storage())
    return int(not retry_shards(options.task, options.dump, options.shards))


def parse_shard_numbers(text: str) -> list[int]:
    """Numbers and ranges of numbers, both ends counted.

    >>> parse_shard_numbers("3,17-20")
    [3, 17, 18, 19, 20]
    """
    numbers: set[int] = set()
    for part in text.split(","):
        written = re.fullmatch(r"\s*([0-9]+)(?:-([0-9]+))?\s*", part)
        shards = range(int(written[1]), int(written[2] or written[1]) + 1) if written else ()
        if not shards:
            raise ConfigError(f"--shards {text!r}: give numbers and ranges, such as 3,17-20")
        numbers.update(shards)
    return sorted(numbers)


def retry_shards(family: str, dump: str, shards: str) -> bool:
    """Remove these shards, then run the task: only what is missing is made.

    Later tasks stay as they are; equal inputs give equal bytes.

    Returns:
        Whether the task is complete again.
    """
    task = task_class(family)(dump=dump)
    numbers = parse_shard_numbers(shards)
    missing = [t.task_family for t in task.upstream() if not t.complete()]
    if missing:
        raise ConfigError(f"{', '.join(missing)} {dump} must be complete before {family} can be")
    count = task.phases()[-1].size()
    if numbers[-1] >= count:
        raise ConfigError(f"{family} {dump} has shards 0 to {count - 1}, not {numbers[-1]}")
    with lock_task(task.store, family):
        task.store.delete_manifest(family)
        for number in numbers:
            task.store.storage.delete(task.store.path(family, number))
    return run_tasks([task])
