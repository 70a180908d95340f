"""Find passages that kept texts repeat, word for word: FindRepeatedPassages."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar

import luigi
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.dedup import Deduplicate
from pipeline.markdown_processing import ProcessMarkdown
from skord.core.failures import ConfigError
from skord.core.storage.column_store import SHARD, ShardWriter
from skord.core.storage.shared_columns import FAILURE, ID
from skord.core.tasks.document_task import DocumentTask, Process
from skord.core.tasks.phases import Phase
from skord.extras.passages.passage_files import Batch, PassageFiles, partitions_for
from skord.extras.passages.passages import PASSAGES_TYPE, kept_texts, marked_texts
from skord.publishing.rows import cuts_of
from skord.quality.features import features_on_request
from skord.text.cuts import KEPT, cut_out

TEXTS = ProcessMarkdown.__name__

TEXT_OF_STORED = 3
"""Bytes of text to one that is stored of it, about."""

(REPEATED_CHAR_RATIO,) = features_on_request("FindRepeatedPassages")


class FindRepeatedPassages(DocumentTask):
    """Runs of `length` tokens or more that occur again, in the same kept text or another.

    Columns: `repeated_passages` (half-open ranges of characters; `copies`: how often a passage in
    it occurs at most; `is_first`: the one that stays), `repeated_char_ratio` (in those that are
    not first), `text_without_passages` (unless `treatment` is mark). Null for texts not kept.
    Each kept text counts; a hash of the page's id decides which of equal passages is first.
    """

    version = 3
    on_request: ClassVar[bool] = True

    reads = {ProcessMarkdown: ["text"], Deduplicate: ["dedup_keep"]}

    schema = pa.schema(
        [
            ("repeated_passages", PASSAGES_TYPE),
            REPEATED_CHAR_RATIO.field,
            ("text_without_passages", pa.string()),
        ]
    )

    length = luigi.IntParameter(default=50, description="tokens of the shortest passage")
    treatment = luigi.ChoiceParameter(
        choices=["mark", "later", "all"],
        default="mark",
        description="what is left out of text_without_passages: nothing, all but the first, or all",
    )
    num_partitions = luigi.IntParameter(
        default=0,
        significant=False,
        description="parts that passages are compared in; 0: one for some 256 MB of text",
    )

    def check(self) -> None:
        """A passage has two tokens at least."""
        if self.length < 2 or self.num_partitions < 0:
            raise ConfigError("[FindRepeatedPassages] length must be 2 or more, no parts below 0")

    def phases(self) -> Sequence[Phase]:
        """Anchors, those that recur, prints around them, those that recur, ranges."""
        files = self._files()
        parts, shards = (lambda: files.num_partitions), self.num_shards
        named = [
            ("anchors", shards, lambda shard: files.list_anchors(shard, self._groups(shard))),
            ("again", parts, files.find_anchors),
            ("prints", shards, lambda n: files.list_prints(n, partial(self._groups, n))),
            ("repeated", parts, files.find_prints),
        ]
        return [
            *(Phase(files.phase(name), size, run, transient=True) for name, size, run in named),
            Phase(SHARD, self.num_shards, self.run_shard),
        ]

    def _files(self) -> PassageFiles:

        manifest = self.store.manifest(TEXTS) or {}
        parts = int(self.num_partitions) or partitions_for(
            TEXT_OF_STORED * sum(manifest.get("bytes", []))
        )
        return PassageFiles(
            self.store, self.task_family, self.fingerprint, self.num_shards(), parts,
            int(self.length),
        )  # fmt: skip

    def _groups(self, shard: int) -> Iterator[Batch]:

        wanted = {TEXTS: ["text"], "Deduplicate": ["dedup_keep"]}
        for _, batch in self.store.side_by_side(shard, wanted):
            yield batch[ID.name], kept_texts(batch)

    @contextlib.contextmanager
    def open_shard(self, shard: int) -> Iterator[Process]:
        """The repeated passages of the shard, and the row that comes next."""
        table = self._files().of_shard(shard)
        rows = Counter({"next": 0})
        yield partial(self._mark, table, rows)

    def resume(self, partial_path: str, writer: ShardWriter) -> int:
        """Nothing is skipped: rows are counted from the first."""
        del partial_path, writer
        return 0

    def _batches(self, shard: int, first: int) -> Iterator[tuple[int, pa.Table]]:
        """All rows, those too that failed before: a passage is known by its row."""
        wanted = {TEXTS: ["text"], "Deduplicate": ["dedup_keep", FAILURE.name]}
        for group, batch in self.store.side_by_side(shard, wanted, first):
            none = pa.nulls(len(batch), FAILURE.type)
            place = batch.schema.get_field_index(f"Deduplicate.{FAILURE.name}")
            yield group, batch.set_column(place, f"Deduplicate.{FAILURE.name}", none)

    def _mark(self, table: pa.Table, rows: Counter[str], batch: pa.Table) -> pa.Table:

        first = rows["next"]
        rows["next"] += len(batch)
        kept = kept_texts(batch)
        marked = list(marked_texts(table, first, kept, int(self.length)))
        passages, ratios, texts = [], [], []
        for text, ranges in zip(kept.to_pylist(), marked, strict=True):
            later = sum(one.end - one.start for one in ranges or () if not one.is_first)
            passages.append(None if ranges is None else [one._asdict() for one in ranges])
            ratios.append(None if text is None else later / max(len(text), 1))
            cuts = cuts_of(passages[-1], str(self.treatment))
            texts.append(None if text is None or self.treatment == "mark" else cut_out(text, cuts))
        columns = [
            pa.array(passages, PASSAGES_TYPE), pa.array(ratios, pa.float64()),
            pa.array(texts, pa.string()), pa.nulls(len(batch), FAILURE.type),
        ]  # fmt: skip
        return pa.table(columns, schema=self.schema.append(FAILURE))

    def count(self, table: pa.Table) -> Mapping[str, int]:
        """How many texts repeat something, and how many passages there are."""
        passages = pc.list_value_length(table["repeated_passages"])
        return {
            "texts_with_passages": pc.sum(pc.greater(passages, 0)).as_py() or 0,
            "passages": pc.sum(passages).as_py() or 0,
        }


def card_values(task: FindRepeatedPassages, export: Any) -> Mapping[str, Any]:
    """Which passages ExportCorpus cuts out; nothing where it keeps all."""
    if export.passages == KEPT:
        return {}
    return {"treatment": str(export.passages), "tokens": int(task.length)}
