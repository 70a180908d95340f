"""What can be known before anything starts: settings, disk, dump, models, what is sealed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from pipeline.core.config import pipeline
from pipeline.core.config_check import check_settings
from pipeline.core.dumps import check_dump
from pipeline.core.failures import ConfigError

if TYPE_CHECKING:
    from pipeline.core.sharded_task import ShardedTask


def check_graph(task: ShardedTask) -> None:
    """Raise ConfigError for anything that would stop this task or one upstream of it.

    Luigi asks the last task for its requirements first, so nothing has started when
    this speaks.
    """
    check_settings()
    task.store.storage.check(pipeline().min_free_gb)
    check_dump(str(task.dump), task.store.storage)
    _check_tasks([task])


def _check_tasks(tasks: Iterable[ShardedTask]) -> None:
    for task in tasks:
        if not task.complete():
            _check_tasks(task.upstream())
            task.check()
            _check_not_sealed_otherwise(task)


def _check_not_sealed_otherwise(task: ShardedTask) -> None:
    manifest = task.store.manifest(task.task_family)
    if manifest is None or task.replace or pipeline().replace:
        return
    if manifest.get("stamp") == task.stamp:
        return
    now = task.to_str_params(only_significant=True)
    before = manifest.get("settings", {})
    changed = [f"{k} {before.get(k)} → {v}" for k, v in now.items() if before.get(k) != v]
    raise ConfigError(
        f"{task.task_family} {task.dump} is sealed with other "
        + (f"settings ({', '.join(changed)})" if changed else "inputs, models or code")
        + ": pass --replace to make it again, or set them back"
    )
