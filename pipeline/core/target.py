"""What Luigi is told of a task: when it is complete, and in one sentence why it is not."""

from __future__ import annotations

import logging

import luigi

from pipeline.core.declaration import TaskDeclaration
from pipeline.core.failures import PipelineError

logger = logging.getLogger("luigi-interface")


class ManifestTarget(luigi.Target):
    """Exists once a task's manifest bears its fingerprint, and while every shard is in place.

    The folder is listed for that; no shard is opened.
    """

    def __init__(self, task: TaskDeclaration) -> None:
        self.task = task

    def exists(self) -> bool:
        """Cheap, and never raises: what cannot be judged is not complete."""
        try:
            store, family = self.task.store, self.task.task_family
            manifest = store.manifest(family)
            if manifest is None or manifest["stamp"] != self.task.fingerprint:
                return False
            return not store.lost_shards(family, manifest)
        except (
            PipelineError,
            OSError,
            ValueError,
            KeyError,
            TypeError,
            luigi.parameter.ParameterException,
        ):
            return False


def say_what_to_do(task: luigi.Task, error: BaseException) -> None:
    """Below Luigi's traceback, the one sentence that matters."""
    if isinstance(error, PipelineError):
        logger.error("%s cannot run. %s: %s", task.task_family, type(error).__name__, error)


for event in (luigi.Event.BROKEN_TASK, luigi.Event.FAILURE):
    luigi.Task.event_handler(event)(say_what_to_do)
