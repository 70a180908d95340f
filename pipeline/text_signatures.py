"""What Deduplicate compares of each text, in narrow files of its own: ComputeSignatures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import luigi
import pyarrow as pa

from pipeline.core.columns import CUT, ID, SHARD
from pipeline.core.failures import ConfigError
from pipeline.core.phases import Phase
from pipeline.core.sharded_task import ShardedTask
from pipeline.io.duplicate_files import write_parts
from pipeline.markdown_processing import ProcessMarkdown
from pipeline.quality_filtering import FilterDocuments
from pipeline.transforms.duplicate_cuts import shard_groups
from pipeline.transforms.minhash import SIGNED_SCHEMA, signed

PASSES = "passes_all_quality_filters"


class ComputeSignatures(ShardedTask):
    """The signatures of the texts that pass every quality filter.

    Deduplicate goes through those of a whole dump several times, and dumps that come later do
    so again: to find one column among the many of FilterDocuments, in row groups that fit
    texts, takes ten times as long as to read it. So they lie together, one file for
    `shards_at_once` shards, in it a row group for each shard and a row for each document.

    Columns: `id`, and null where the text does not compete: `id_digest` (64 bits), `minhash`
    (112 bytes; null for texts under 16 characters, too), `text_digest` (64 bits; equal texts
    have equal ones).
    """

    shards_at_once = luigi.IntParameter(
        default=100, significant=False, description="shards whose signatures make one file"
    )

    def check(self) -> None:
        """A file holds something."""
        if self.shards_at_once < 1:
            raise ConfigError(
                f"[ComputeSignatures] shards_at_once = {self.shards_at_once}: at least 1"
            )

    def upstream(self) -> Sequence[ShardedTask]:
        """The texts, and which of them pass."""
        return [task(**self.shared_params()) for task in (FilterDocuments, ProcessMarkdown)]

    def phases(self) -> Sequence[Phase]:
        """One element for each file."""
        return [Phase(SHARD, self.num_groups, self.run_shard)]

    def num_groups(self) -> int:
        """How many files there are."""
        return len(self.groups())

    def groups(self) -> list[range]:
        """The shards of each."""
        return shard_groups(self.num_shards(), int(self.shards_at_once))

    def cut(self, phase: str) -> int | None:
        """Files of other groups of shards must not meet."""
        del phase
        return int(self.shards_at_once)

    def run_shard(self, shard: int) -> None:
        """The signatures of one group of shards."""
        counts = Counter({CUT: int(self.shards_at_once), "signed": 0})
        path = self.store.path(self.task_family, shard)
        write_parts(
            self.store, path, self._tables(self.groups()[shard], counts), self.stamp, counts
        )

    def _tables(self, shards: range, counts: Counter[str]) -> Iterator[pa.Table]:
        for shard in shards:
            parts = [SIGNED_SCHEMA.empty_table(), *self._signed(shard)]
            table = pa.concat_tables(parts).combine_chunks()
            counts["signed"] += len(table) - table["text_digest"].null_count
            yield table

    def _signed(self, shard: int) -> Iterator[pa.Table]:
        wanted = {"FilterDocuments": [PASSES], "ProcessMarkdown": ["text"]}
        for _, batch in self.store.side_by_side(shard, wanted):
            names = (ID.name, "ProcessMarkdown.text", f"FilterDocuments.{PASSES}")
            yield signed(*(batch[name].combine_chunks() for name in names))
