"""A Luigi task that is one or more arrays of work items, each written once, with a fingerprint."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import luigi

from skord.core.driver import is_chain_whole, is_complete, run
from skord.core.failures import PipelineError
from skord.core.preflight import check_graph
from skord.core.tasks.declaration import TaskDeclaration

UNJUDGED = (
    PipelineError,
    OSError,
    ValueError,
    KeyError,
    TypeError,
    luigi.parameter.ParameterException,
)
"""Errors that leave it open whether a task is complete."""


class ManifestTarget(luigi.Target):
    """Exists while manifest and shards of a task, and of every task below it, are in place.

    Each folder is listed once for that.
    """

    def __init__(self, task: TaskDeclaration) -> None:
        self.task = task

    def exists(self) -> bool:
        """Cheap, and never raises: what cannot be judged is not complete."""
        try:
            return is_chain_whole(self.task)
        except UNJUDGED:
            return False


class ShardedTask(TaskDeclaration):
    """Extend it, then say what comes before (`upstream`) and what the phases are.

    The last phase writes the shards proper; each shard appears whole, bears the fingerprint of
    the settings and inputs it was made from, and is made again only when that differs.
    """

    is_abstract: ClassVar[bool] = True

    def requires(self) -> Sequence[TaskDeclaration]:
        """The tasks upstream, after everything that can be known beforehand was checked."""
        check_graph(self)
        return self.upstream()

    @property
    def is_made(self) -> bool:
        """Whether the manifest bears the fingerprint and every shard is in place; never raises."""
        try:
            return is_complete(self)
        except UNJUDGED:
            return False

    def output(self) -> luigi.Target:
        """The manifest; reading it is cheap and never raises."""
        return ManifestTarget(self)

    def run(self) -> None:
        """Run the work items that are missing, then write the manifest."""
        check_graph(self)
        run(self)
