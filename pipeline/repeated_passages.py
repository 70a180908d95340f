"""Find passages that kept texts repeat, word for word: FindRepeatedPassages."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import ClassVar

import luigi
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.core.failures import ConfigError
from pipeline.core.storage.column_store import FAILURE, ID, SHARD, ShardWriter
from pipeline.core.tasks.document_task import DocumentTask, Process
from pipeline.core.tasks.phases import Phase
from pipeline.dedup import Deduplicate
from pipeline.markdown_processing import ProcessMarkdown
from pipeline.near_duplicates.files import read_part, write_parts
from pipeline.near_duplicates.minhash import digests_of
from pipeline.near_duplicates.passages import (
    PASSAGES_TYPE,
    PRINTS_SCHEMA,
    U64,
    Span,
    anchors,
    by_key,
    prints,
    repeated_prints,
    spans,
    without,
)
from pipeline.quality.features import later

TEXT, KEEP = "ProcessMarkdown.text", "Deduplicate.dedup_keep"

(REPEATED_CHAR_RATIO,) = later("FindRepeatedPassages")


class FindRepeatedPassages(DocumentTask):
    """Runs of `length` tokens or more that occur again, in the same kept text or another.

    Columns: `repeated_passages` (half-open ranges of characters; `copies`: how often a passage in
    it occurs at most; `is_first`: the one that stays), `repeated_char_ratio` (in those that are
    not first), `text_without_passages` (unless `treatment` is mark). Null for texts not kept.
    Each kept text counts; which of equal passages is first, a hash of the page's id says.
    """

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
        description="what goes from text_without_passages: nothing, all but the first, or all",
    )
    num_partitions = luigi.IntParameter(
        default=16, significant=False, description="parts that passages are compared in"
    )

    def check(self) -> None:
        """A passage has two tokens at least."""
        if self.length < 2 or self.num_partitions < 1:
            raise ConfigError("[FindRepeatedPassages] length must be 2 or more, and a part there")

    def phases(self) -> Sequence[Phase]:
        """Anchors, those that recur, prints around them, those that recur, ranges."""
        parts, shards = (lambda: int(self.num_partitions)), self.num_shards
        named = [
            ("anchors", shards, self.list_anchors),
            ("again", parts, self.find_anchors),
            ("prints", shards, self.list_prints),
            ("repeated", parts, self.find_prints),
        ]
        return [
            *(Phase(self._phase(name), size, run, transient=True) for name, size, run in named),
            Phase(SHARD, self.num_shards, self.run_shard),
        ]

    def _phase(self, name: str) -> str:
        return f"{name}-{self.num_partitions}"

    def _path(self, name: str, number: int) -> str:
        return self.store.path(self.task_family, number, self._phase(name))

    def _groups(self, shard: int) -> Iterator[pa.Table]:
        wanted = {"ProcessMarkdown": ["text"], "Deduplicate": ["dedup_keep"]}
        return (batch for _, batch in self.store.side_by_side(shard, wanted))

    def list_anchors(self, shard: int) -> None:
        """Keys of the anchors of a shard, by partition."""
        keys = [anchors(_kept(batch), int(self.length))[0] for batch in self._groups(shard)]
        table = pa.table({"key": np.concatenate([np.empty(0, np.uint64), *keys])})
        parts = by_key(table, "key", int(self.num_partitions))
        write_parts(self.store, self._path("anchors", shard), parts, self.fingerprint)

    def find_anchors(self, part: int) -> None:
        """Those of a partition that occur more than once, sorted."""
        shards = range(self.num_shards())
        tables = [read_part(self.store, self._path("anchors", n), part) for n in shards]
        keys = np.sort(pa.concat_tables(tables)["key"].to_numpy())
        again = np.unique(keys[1:][keys[1:] == keys[:-1]])
        table = pa.table({"key": again})
        write_parts(self.store, self._path("again", part), iter([table]), self.fingerprint)

    def list_prints(self, shard: int) -> None:
        """Prints around such anchors of a shard, by partition."""
        parts = range(int(self.num_partitions))
        again = [read_part(self.store, self._path("again", n), 0)["key"].to_numpy() for n in parts]
        repeated: U64 = np.concatenate(again)
        tables, first = [PRINTS_SCHEMA.empty_table()], 0
        for batch in self._groups(shard):
            ranks = digests_of(batch[ID.name])
            kept = _kept(batch)
            tables.append(prints(kept, int(self.length), repeated, ranks, shard, first))
            first += len(batch)
        by_high = by_key(pa.concat_tables(tables), "high", int(self.num_partitions))
        write_parts(self.store, self._path("prints", shard), by_high, self.fingerprint)

    def find_prints(self, part: int) -> None:
        """Passages of a partition that occur more than once, sorted by shard."""
        shards = range(self.num_shards())
        tables = [read_part(self.store, self._path("prints", n), part) for n in shards]
        repeated = repeated_prints(pa.concat_tables(tables))
        self.store.write_sorted(self._path("repeated", part), repeated, self.fingerprint)

    @contextlib.contextmanager
    def open_shard(self, shard: int) -> Iterator[Process]:
        """The repeated passages of the shard, and the row that comes next."""
        parts = [
            self.store.read_slice(self._path("repeated", part), shard, shard + 1)
            for part in range(int(self.num_partitions))
        ]
        table = pa.concat_tables(parts).sort_by([("row", "ascending"), ("place", "ascending")])
        rows = Counter({"next": 0})
        yield partial(self._mark, table, rows)

    def resume(self, partial_path: str, writer: ShardWriter) -> int:
        """Nothing is skipped: rows are counted from the first."""
        del partial_path, writer
        return 0

    def _batches(self, shard: int, first: int) -> Iterator[tuple[int, pa.Table]]:
        """All rows, those too that failed before: a passage is known by its row."""
        wanted = {"ProcessMarkdown": ["text"], "Deduplicate": ["dedup_keep", FAILURE.name]}
        for group, batch in self.store.side_by_side(shard, wanted, first):
            none = pa.nulls(len(batch), FAILURE.type)
            place = batch.schema.get_field_index(f"Deduplicate.{FAILURE.name}")
            yield group, batch.set_column(place, f"Deduplicate.{FAILURE.name}", none)

    def _mark(self, table: pa.Table, rows: Counter[str], batch: pa.Table) -> pa.Table:
        first = rows["next"]
        rows["next"] += len(batch)
        row, place, copies, is_first = (
            table[name].to_numpy() for name in ("row", "place", "copies", "is_first")
        )
        passages, ratios, texts = [], [], []
        for at, text in enumerate(_kept(batch).to_pylist()):
            low, high = np.searchsorted(row, [first + at, first + at + 1])
            own = slice(int(low), int(high))
            ranges = (
                spans(text, place[own], copies[own], is_first[own], int(self.length))
                if text and low < high
                else []
            )
            passages.append(None if text is None else [one._asdict() for one in ranges])
            later = sum(one.end - one.start for one in ranges if not one.is_first)
            ratios.append(None if text is None else later / max(len(text), 1))
            texts.append(self._treated(text, ranges))
        columns = [
            pa.array(passages, PASSAGES_TYPE), pa.array(ratios, pa.float64()),
            pa.array(texts, pa.string()), pa.nulls(len(batch), FAILURE.type),
        ]  # fmt: skip
        return pa.table(columns, schema=self.schema.append(FAILURE))

    def _treated(self, text: str | None, ranges: list[Span]) -> str | None:
        if text is None or self.treatment == "mark":
            return None
        return without(text, ranges, keep_first=self.treatment == "later")

    def count(self, table: pa.Table) -> Mapping[str, int]:
        """How many texts repeat something, and how many passages there are."""
        passages = pc.list_value_length(table["repeated_passages"])
        return {
            "texts_with_passages": pc.sum(pc.greater(passages, 0)).as_py() or 0,
            "passages": pc.sum(passages).as_py() or 0,
        }


def _kept(batch: pa.Table) -> pa.ChunkedArray:
    """The texts that are kept; null for the others."""
    kept = pc.fill_null(batch[KEEP], fill_value=False)
    return pc.if_else(kept, batch[TEXT], pa.scalar(None, pa.string()))
