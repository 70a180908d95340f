"""What Luigi is told of a task: when it is complete, and in one sentence why it is not."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import luigi

from pipeline.core.console.sentences import sentence_of
from pipeline.core.failures import ConfigError

if TYPE_CHECKING:
    from pipeline.core.sharded_task import ShardedTask

logger = logging.getLogger("luigi-interface")


class Sealed(luigi.Target):
    """Exists once the manifest of a task is there and bears the task's stamp."""

    def __init__(self, task: ShardedTask) -> None:
        self.task = task

    def exists(self) -> bool:
        """Cheap, and never raises: what cannot be judged is not complete."""
        try:
            manifest = self.task.store.manifest(self.task.task_family)
            return manifest is not None and manifest["stamp"] == self.task.stamp
        except (ConfigError, OSError, ValueError, KeyError, luigi.parameter.ParameterException):
            return False


def say_what_to_do(task: luigi.Task, error: BaseException) -> None:
    """The one sentence that matters, whatever Luigi says besides."""
    del task
    logger.error("%s", sentence_of(error), exc_info=error)


for event in (luigi.Event.BROKEN_TASK, luigi.Event.FAILURE):
    luigi.Task.event_handler(event)(say_what_to_do)
