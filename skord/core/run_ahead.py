"""Which tasks a shard is carried through without waiting for the other shards.

With `[executor] run_ahead = true`, the process that has made shard k of a task goes on with
shard k of the tasks that read it, as far as nothing else of theirs is missing. It is the order of
work that changes, and nothing else: each of those tasks runs in its turn all the same, makes what
could not be made ahead, and alone writes its manifest. A shard that is not all that can be had,
or that failed, carries nothing on, so that nothing is made of what will be made again.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import luigi

from skord.core.config import executor
from skord.core.storage.column_store import SHARD
from skord.core.tasks.declaration import TaskDeclaration
from skord.core.tasks.phases import Phase
from skord.core.work_item import Next


def note_dependant(task: luigi.Task, dependency: luigi.Task) -> None:
    """Keep in mind that Luigi is about to run a task, and which one it waits for."""
    if isinstance(task, TaskDeclaration) and isinstance(dependency, TaskDeclaration):
        dependency.wanted_by = (*dependency.wanted_by, task)


luigi.Task.event_handler(luigi.Event.DEPENDENCY_DISCOVERED)(note_dependant)


def run_ahead_tasks(task: TaskDeclaration, phase: Phase) -> Sequence[TaskDeclaration]:
    """The tasks that a shard of a task is carried on through, in the order of work."""
    if phase.name != SHARD or not executor().run_ahead:
        return []
    carried = [task]
    while more := [t for t in _wanted_task(carried) if _can_join(t, carried)]:
        carried.append(more[0])
    return carried[1:]


def _wanted_task(carried: Sequence[TaskDeclaration]) -> list[TaskDeclaration]:
    return [task for member in carried for task in member.wanted_by if task not in carried]


def _can_join(task: TaskDeclaration, carried: Sequence[TaskDeclaration]) -> bool:
    """Whether a shard of it needs no more than the same shard of those, and what is complete."""
    first = carried[0]
    return (
        task.reads_same_shard
        and (task.dump, task.gpus) == (first.dump, first.gpus)
        and not task.complete()
        and all(needed in carried or needed.complete() for needed in task.upstream())
    )


def next_of(task: TaskDeclaration) -> Next:
    """A task in the words that travel to a worker."""
    find = task.finder(SHARD)
    return Next(
        family=task.task_family,
        params=json.dumps(task.to_str_params(), sort_keys=True),
        fingerprint=task.fingerprint,
        mem_gb=task.mem_gb,
        is_done=lambda number: find(number) is not None,
    )
