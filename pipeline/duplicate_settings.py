"""What a user may say of Deduplicate: the settings of [Deduplicate] and their check."""

from __future__ import annotations

import luigi

from pipeline.core.dumps import parse_dumps
from pipeline.core.failures import ConfigError
from pipeline.core.settings import open_storage
from pipeline.quality_filtering import FilterDocuments
from pipeline.transforms.duplicates import Rule


class DuplicateSettings:
    """The parameters of Deduplicate."""

    dump = luigi.Parameter(default="", description="a dump's id; the last of --dumps if left out")
    dumps = luigi.Parameter(
        default="",
        significant=False,
        description="dumps to deduplicate together, the first in the list first: all, or a list "
        "such as 2024-10,2024-18; empty: each by itself",
    )
    similarity_limit = luigi.FloatParameter(
        default=0.65, description="estimated Jaccard similarity of duplicates; 0: one shared band"
    )
    rule = luigi.Parameter(default="greedy", description="greedy or components")
    rank_by = luigi.Parameter(
        default="", description="FilterDocuments' column of which the highest ranks first"
    )
    match_mb = luigi.IntParameter(
        default=300, significant=False, description="memory for the keys that are compared at once"
    )
    num_partitions = luigi.IntParameter(
        default=16, significant=False, description="parts that they are compared in"
    )
    shards_at_once = luigi.IntParameter(
        default=100,
        significant=False,
        description="shards that one element counts the losses of",
    )
    alarm_host_share = luigi.FloatParameter(
        default=0.9, significant=False, description="tell of hosts that lose a larger share"
    )
    alarm_cluster_share = luigi.FloatParameter(
        default=0.01, significant=False, description="tell of clusters that are a larger share"
    )
    alarm_texts = luigi.IntParameter(
        default=20, significant=False, description="texts of the least host and cluster told of"
    )

    def check(self) -> None:
        """The rule, the ranking column and the list of dumps must be known."""
        if self.rule not in tuple(Rule):
            raise ConfigError(f"[Deduplicate] rule = {self.rule}: say {' or '.join(Rule)}")
        if not 0 <= self.similarity_limit <= 1:
            raise ConfigError(f"[Deduplicate] similarity_limit = {self.similarity_limit}: 0 to 1")
        field = FilterDocuments.schema.names
        if self.rank_by and self.rank_by not in field:
            raise ConfigError(f"[Deduplicate] rank_by = {self.rank_by}: no column {self.rank_by}")
        self.earlier_dumps()

    def earlier_dumps(self) -> tuple[str, ...]:
        """The dumps whose kept texts this one is held against, the first first.

        Raises:
            ConfigError: dumps are listed, and this one is not among them.
        """
        if not self.dumps:
            return ()
        dumps = parse_dumps(str(self.dumps), open_storage())
        if self.dump not in dumps:
            raise ConfigError(
                f"[Deduplicate] dumps = {self.dumps} does not name {self.dump}: add it at the end"
            )
        return dumps[: dumps.index(self.dump)]
