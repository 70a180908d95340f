"""A Luigi task that is one or more arrays of work items, each written once, with a fingerprint."""

from __future__ import annotations

from collections.abc import Sequence

import luigi

from pipeline.core.declaration import TaskDeclaration
from pipeline.core.driver import run
from pipeline.core.preflight import check_graph
from pipeline.core.target import ManifestTarget


class ShardedTask(TaskDeclaration):
    """Extend it, then say what comes before (`upstream`) and what the phases are.

    The last phase writes the shards proper; each shard appears whole, bears the fingerprint of
    the settings and inputs it was made from, and is made again only when that differs.
    """

    def requires(self) -> Sequence[TaskDeclaration]:
        """The tasks upstream, after everything that can be known beforehand was checked."""
        check_graph(self)
        return self.upstream()

    def output(self) -> luigi.Target:
        """The manifest; reading it is cheap and never raises."""
        return ManifestTarget(self)

    def run(self) -> None:
        """Run the work items that are missing, then write the manifest."""
        check_graph(self)
        run(self)
