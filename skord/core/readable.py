"""Whether what a person wants to look at is whole."""

from __future__ import annotations

from collections.abc import Iterable

from skord.core.failures import DamagedError
from skord.core.registry import task_class, task_classes
from skord.core.tasks.declaration import TaskDeclaration


def check_readable(dump: str, families: Iterable[str] = ()) -> None:
    """Refuse to have figures made of a dump where something below a complete task is missing.

    Each folder is listed once; no more is read than what was changed since.

    Args:
        families: the tasks that are read, if they are complete; all but those on request when
            none is named.

    Raises:
        DamagedError: shards or files beside them are missing or damaged, or a manifest is gone.
    """
    named = list(families) or [name for name, cls in task_classes().items() if not cls.on_request]
    seen: set[str] = set()
    for family in named:
        _check_below(task_class(family)(dump=dump), seen)


def _check_below(task: TaskDeclaration, seen: set[str]) -> None:
    if task.task_family in seen:
        return
    seen.add(task.task_family)
    manifest = task.store.whole_manifest(task.task_family)
    if manifest is None:
        return
    command = f"skord run {task.task_family} --dump {task.dump}"
    if lost := task.lost_beside(manifest):
        raise DamagedError(
            f"{task.task_family} {task.dump}: {', '.join(lost[:5])} missing or damaged: "
            f"{command} makes it again"
        )
    for one in task.upstream():
        if one.store.manifest(one.task_family) is None:
            raise DamagedError(
                f"{one.task_family} {task.dump} has no manifest though {task.task_family}, which "
                f"reads it, is complete: {command} makes it whole again"
            )
        _check_below(one, seen)
