"""What later dumps need of an earlier one's decisions: IndexKept."""

from __future__ import annotations

from collections.abc import Sequence

import luigi

from pipeline.core.columns import CUT, SHARD
from pipeline.core.phases import Phase
from pipeline.core.sharded_task import ShardedTask
from pipeline.dedup import Deduplicate
from pipeline.io.duplicate_files import own_keys, scattered_keys, write_parts
from pipeline.transforms.duplicate_cuts import shard_groups


class IndexKept(ShardedTask):
    """The band keys of what one dump keeps, for the dumps that come after it.

    One file for each partition, for Deduplicate alone; 180 bytes for each kept text.
    """

    on_request = True

    dumps = luigi.Parameter(default="", significant=False, description="as in [Deduplicate]")
    num_partitions = luigi.IntParameter(
        default=16, significant=False, description="files that the keys are dealt into"
    )
    shards_at_once = luigi.IntParameter(
        default=100, significant=False, description="shards whose band keys make one file"
    )

    def decided(self) -> Deduplicate:
        """The task that keeps them."""
        return Deduplicate(**{**self.shared_params(), "dumps": self.dumps})

    def upstream(self) -> Sequence[ShardedTask]:
        """The dump's own decisions."""
        return [self.decided()]

    def phases(self) -> Sequence[Phase]:
        """Scatter the keys by partition, then bring each partition together."""
        return [
            Phase(self._keys(), self.num_groups, self.scatter, transient=True),
            Phase(SHARD, lambda: int(self.num_partitions), self.run_shard),
        ]

    def cut(self, phase: str) -> int | None:
        """Its files are the partitions."""
        return int(self.num_partitions) if phase == SHARD else None

    def _keys(self) -> str:
        return f"keys-{self.num_partitions}-{self.shards_at_once}"

    def num_groups(self) -> int:
        """How many groups of shards there are."""
        return len(self.groups())

    def groups(self) -> list[range]:
        """Their shards."""
        return shard_groups(self.num_shards(), int(self.shards_at_once))

    def scatter(self, number: int) -> None:
        """Band keys of what some shards keep."""
        shards = self.groups()[number]
        keep = self.decided().task_family
        parts = scattered_keys(self.decided().texts, shards, int(self.num_partitions), keep)
        write_parts(self.store, self._path(number), parts, self.stamp)

    def _path(self, number: int) -> str:
        return self.store.path(self.task_family, number, self._keys())

    def run_shard(self, shard: int) -> None:
        """The keys of one partition."""
        bands = own_keys(self.store, [self._path(n) for n in range(self.num_groups())], shard)
        path = self.store.path(self.task_family, shard)
        write_parts(self.store, path, bands, self.stamp, {CUT: int(self.num_partitions)})
