"""The kept texts without paragraphs that many of them share: RemoveRepeats."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import luigi
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.dedup import Deduplicate
from pipeline.markdown_processing import ProcessMarkdown
from skord.core.storage.column_store import SHARD
from skord.core.storage.shared_columns import FAILURE
from skord.core.tasks.document_task import DocumentTask, Process
from skord.core.tasks.phases import Phase
from skord.extras.passages.repeated_paragraphs import (
    COUNTS_SCHEMA,
    WITHOUT_SCHEMA,
    count_table,
    paragraph_keys,
    partitions_of,
    repeated_keys,
    without_repeats,
)
from skord.near_duplicates.files import read_part, write_parts

TEXT, KEEP = "ProcessMarkdown.text", "Deduplicate.dedup_keep"


class RemoveRepeats(DocumentTask):
    """The texts that Deduplicate keeps, without paragraphs that many of them share.

    Columns: `text_without_repeats`, `repeats` (paragraphs taken out); null for texts that are
    not kept.
    """

    version = 2
    on_request = True
    reads = {ProcessMarkdown: ["text"], Deduplicate: ["dedup_keep"]}

    schema = WITHOUT_SCHEMA

    max_texts = luigi.IntParameter(
        default=100, description="paragraphs that more kept texts hold are taken out"
    )
    min_chars = luigi.IntParameter(default=20, description="shorter paragraphs always stay")
    num_partitions = luigi.IntParameter(
        default=16, significant=False, description="parts that paragraphs are counted in"
    )

    def phases(self) -> Sequence[Phase]:
        """Count each shard's paragraphs, add up, take out."""
        return [
            Phase(f"counts-{self.num_partitions}", self.num_shards, self.tally, transient=True),
            Phase(
                f"repeated-{self.num_partitions}",
                lambda: int(self.num_partitions),
                self.add_up,
                transient=True,
            ),
            Phase(SHARD, self.num_shards, self.run_shard),
        ]

    def tally(self, shard: int) -> None:
        """In how many of the shard's kept texts each paragraph is."""

        wanted = {"ProcessMarkdown": ["text"], "Deduplicate": ["dedup_keep"]}
        keys, texts, first = [np.empty(0, np.uint64)], [np.empty(0, np.int64)], 0
        for _, batch in self.store.side_by_side(shard, wanted):
            keys_of_batch, of, _ = paragraph_keys(kept_texts(batch), int(self.min_chars))
            keys.append(keys_of_batch)
            texts.append(of + first)
            first += len(batch)
        counts = count_table(np.concatenate(keys), np.concatenate(texts))
        parts = partitions_of(counts, int(self.num_partitions))
        write_parts(self.store, self._path("counts", shard), parts, self.fingerprint)

    def add_up(self, partition: int) -> None:
        """The partition's paragraphs that too many texts hold."""

        paths = [self._path("counts", shard) for shard in range(self.num_shards())]
        parts = [read_part(self.store, path, partition) for path in paths]
        keys = repeated_keys(pa.concat_tables(parts), int(self.max_texts))
        table = pa.table([keys, np.zeros(len(keys), np.int64)], schema=COUNTS_SCHEMA)
        write_parts(self.store, self._path("repeated", partition), iter([table]), self.fingerprint)

    def _path(self, phase: str, number: int) -> str:
        return self.store.path(self.task_family, number, f"{phase}-{self.num_partitions}")

    @contextlib.contextmanager
    def open_shard(self, shard: int) -> Iterator[Process]:
        """The paragraphs to take out."""

        del shard
        paths = [self._path("repeated", part) for part in range(int(self.num_partitions))]
        keys = [read_part(self.store, path, 0, ["key"])["key"].to_numpy() for path in paths]
        yield partial(self._without, np.concatenate(keys))

    def _without(self, repeated: np.ndarray, batch: pa.Table) -> pa.Table:

        table = without_repeats(kept_texts(batch), repeated, int(self.min_chars))
        return table.append_column(FAILURE, pa.nulls(len(batch), pa.string()))

    def count(self, table: pa.Table) -> Mapping[str, int]:
        """How many paragraphs are taken out, of how many texts."""

        repeats = table["repeats"]
        changed = pc.sum(pc.greater(repeats, 0)).as_py() or 0
        return {"repeats": pc.sum(repeats).as_py() or 0, "texts_with_repeats": changed}


def kept_texts(batch: pa.Table) -> pa.ChunkedArray:
    """The texts that are kept; null for the others."""

    kept = pc.fill_null(batch[KEEP], fill_value=False)
    return pc.if_else(kept, batch[TEXT], pa.scalar(None, pa.string()))
