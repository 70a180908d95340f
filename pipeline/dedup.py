"""Keep one of every group of near-duplicate texts: Deduplicate, DeduplicateIndividually."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import luigi
import pyarrow as pa

from pipeline.core.columns import FAILURE, ID, SHARD
from pipeline.core.document_task import DocumentTask, Process
from pipeline.core.dumps import parse_dumps
from pipeline.core.failures import ConfigError
from pipeline.core.phases import Phase
from pipeline.core.settings import open_storage
from pipeline.core.sharded_task import languages_said
from pipeline.quality_filtering import FilterDocuments
from pipeline.transforms.duplicate_tables import (
    BANDS_SCHEMA,
    BUCKETS_SCHEMA,
    band_rows,
    bucket_rows,
    mark,
    resolve,
)
from pipeline.transforms.minhash import BAND_COLUMNS


class Deduplicate(DocumentTask):
    """Decide which of the texts that resemble one another is kept.

    Only texts that pass every quality filter compete. They are taken in the order of a hash
    of their id; one that shares a MinHash band (or its whole text) with a kept one is
    removed, and nothing is removed because of a removed one.

    Columns: `dedup_keep` (null for texts that do not compete), `duplicate_of` (id of the
    kept text).
    """

    reads = {
        FilterDocuments: ["passes_all_quality_filters", *BAND_COLUMNS, "text_digest"],
    }
    schema = pa.schema([("dedup_keep", pa.bool_()), ("duplicate_of", pa.string())])

    num_partitions = luigi.IntParameter(
        default=64,
        significant=False,
        description="parts that band keys are compared in; sets the memory",
    )

    def phases(self) -> Sequence[Phase]:
        """Scatter band keys, find shared ones, decide once, mark each shard."""
        return [
            Phase(self._named("bands"), self.num_shards, self.scatter_bands, transient=True),
            Phase(
                self._named("buckets"),
                lambda: self.num_partitions,
                self.find_buckets,
                transient=True,
            ),
            Phase(self._named("duplicates"), lambda: 1, self.decide, transient=True),
            Phase(SHARD, self.num_shards, self.run_shard),
        ]

    def scatter_bands(self, shard: int) -> None:
        """Band keys of the shard's competing texts, sorted by partition."""
        wanted = {FilterDocuments.get_task_family(): self.reads[FilterDocuments]}
        batches = [batch for _, batch in self.store.side_by_side(shard, wanted)]
        rows = band_rows(batches, shard, self.num_partitions)
        self._write("bands", shard, rows)

    def find_buckets(self, partition: int) -> None:
        """Keys that two or more texts share."""
        parts = [
            self.store.read_slice(self._path("bands", shard), partition, partition + 1)
            for shard in range(self.num_shards())
        ]
        rows = bucket_rows(pa.concat_tables([BANDS_SCHEMA.empty_table(), *parts]))
        self._write("buckets", partition, rows)

    def decide(self, number: int) -> None:
        """Which texts go, because of which; the one step that sees the whole dump.

        Memory is some 50 bytes for each text that shares a key with another.
        """
        parts = [
            self.store.read_table(self._path("buckets", partition))
            for partition in range(self.num_partitions)
        ]
        family = FilterDocuments.get_task_family()
        removed = resolve(
            [BUCKETS_SCHEMA.empty_table(), *parts],
            lambda shard: self.store.read_table(self.store.path(family, shard), [ID.name]),
        )
        self._write("duplicates", number, removed)

    def _path(self, phase: str, number: int) -> str:
        return self.store.path(self.task_family, number, self._named(phase))

    def _named(self, phase: str) -> str:
        """Phases cut into other parts must not meet."""
        return f"{phase}-{self.num_partitions}"

    def _write(self, phase: str, number: int, table: pa.Table) -> None:
        self.store.write_sorted(self._path(phase, number), table, self.stamp)

    @contextlib.contextmanager
    def open_shard(self, shard: int) -> Iterator[Process]:
        """What was decided on this shard's texts."""
        removed = self.store.read_slice(self._path("duplicates", 0), shard, shard + 1)
        ids = dict(zip(removed["id"].to_pylist(), removed["duplicate_of"].to_pylist(), strict=True))
        yield partial(self._mark, ids)

    def _mark(self, duplicate_of: Mapping[str, str], batch: pa.Table) -> pa.Table:
        competes = batch["FilterDocuments.passes_all_quality_filters"]
        return mark(batch[ID.name], competes, duplicate_of).append_column(
            FAILURE, pa.nulls(batch.num_rows, pa.string())
        )

    def count(self, table: pa.Table) -> Mapping[str, int]:
        """How many are kept, and how many removed."""
        keep = table["dedup_keep"].to_pylist()
        return {"kept": keep.count(True), "removed": keep.count(False)}


class DeduplicateIndividually(luigi.WrapperTask):
    """The whole graph for several dumps, each deduplicated by itself."""

    dumps = luigi.Parameter(default="all", description="all, or a list such as 2024-10,2024-18")
    languages = luigi.TupleParameter(
        default=(),
        description="codes of the languages to select; what [CCNet] says when left out",
    )
    replace = luigi.BoolParameter(
        default=False, significant=False, description="remake columns sealed with other settings"
    )

    def complete(self) -> bool:
        """Whether every dump is done; a list that cannot be read is not, and `requires` says so."""
        try:
            return bool(super().complete())
        except ConfigError:
            return False

    def requires(self) -> list[Deduplicate]:
        """The last task of each dump."""
        dumps = parse_dumps(str(self.dumps), open_storage())
        said = languages_said(self.languages)
        return [Deduplicate(dump=dump, replace=self.replace, **said) for dump in dumps]
