"""The kept texts without paragraphs that many of them share: RemoveRepeats."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import luigi
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from pipeline.dedup import Deduplicate
from pipeline.markdown_processing import ProcessMarkdown
from skord.core.storage.column_store import SHARD
from skord.core.storage.shared_columns import FAILURE
from skord.core.tasks.document_task import DocumentTask, Process
from skord.core.tasks.phases import KEYS, Phase, share_of
from skord.extras.passages.passages import kept_texts
from skord.near_duplicates.files import read_part, write_parts
from skord.near_duplicates.minhash import compared_form, digests_of, one_array

U64 = NDArray[np.uint64]
I64 = NDArray[np.int64]

COUNTS_SCHEMA = pa.schema(
    [pa.field("key", pa.uint64(), nullable=False), pa.field("texts", pa.int64(), nullable=False)]
)
WITHOUT_SCHEMA = pa.schema([("text_without_repeats", pa.string()), ("repeats", pa.int32())])
"""The text without paragraphs that many share, and how many were taken out."""


def paragraph_keys(texts: pa.ChunkedArray, min_chars: int) -> tuple[U64, I64, I64]:
    """The paragraphs that count.

    Returns:
        Key, text and place among the lines of the text of each.

    >>> keys, text, line = paragraph_keys(pa.chunked_array([["Om kakor\\n\\nHej", "Om kakor "]]), 4)
    >>> bool(keys[0] == keys[1]), text.tolist(), line.tolist()
    (True, [0, 1], [0, 0])
    """
    lists = pc.split_pattern(one_array(texts), "\n")
    lines = pc.utf8_trim_whitespace(lists.flatten())
    of = pc.list_parent_indices(lists).to_numpy()
    starts = np.zeros(len(lists), np.int64)
    sizes = pc.fill_null(pc.list_value_length(lists), 0).to_numpy()
    np.cumsum(sizes[:-1], out=starts[1:])
    counts = pc.greater_equal(pc.utf8_length(lines), min_chars).to_numpy(zero_copy_only=False)
    place = np.arange(len(lines)) - starts[of]
    return digests_of(compared_form(lines))[counts], of[counts].astype(np.int64), place[counts]


def count_table(keys: U64, texts: I64) -> pa.Table:
    """In how many texts each key is, ascending by key: `COUNTS_SCHEMA`.

    >>> count_table(np.array([5, 5, 9, 5], np.uint64), np.array([0, 0, 0, 1])).to_pydict()
    {'key': [5, 9], 'texts': [2, 1]}
    """
    order = np.lexsort((texts, keys))
    keys, texts = keys[order], texts[order]
    first = np.ones(len(keys), np.bool_)
    first[1:] = (keys[1:] != keys[:-1]) | (texts[1:] != texts[:-1])
    distinct, counts = np.unique(keys[first], return_counts=True)
    return pa.table([distinct, counts], schema=COUNTS_SCHEMA)


def partitions_of(counts: pa.Table, num_partitions: int) -> Iterator[pa.Table]:
    """The table in parts of equal ranges of keys."""
    firsts = [share_of(part, num_partitions, KEYS)[0] for part in range(1, num_partitions)]
    bounds = np.array(firsts, np.uint64)
    inner = np.searchsorted(counts["key"].to_numpy(), bounds).tolist()
    for low, high in itertools.pairwise([0, *inner, len(counts)]):
        yield counts.slice(low, high - low)


def repeated_keys(counts: pa.Table, max_texts: int) -> U64:
    """The keys of the paragraphs that more than so many texts hold, ascending."""
    summed = counts.group_by("key").aggregate([("texts", "sum")])
    repeated = summed.filter(pc.greater(summed["texts_sum"], max_texts))["key"]
    keys: U64 = np.sort(repeated.to_numpy())
    return keys


def without_repeats(texts: pa.ChunkedArray, repeated: U64, min_chars: int) -> pa.Table:
    """The columns of `WITHOUT_SCHEMA`; blank lines that a removed paragraph leaves go, too.

    >>> texts = pa.chunked_array([["Hej alla\\n\\nOm kakor\\n\\nSlut på det", "Hej", None]])
    >>> keys = digests_of(pa.array(["Om kakor"]))
    >>> without_repeats(texts, keys, 4).to_pydict()  # doctest: +NORMALIZE_WHITESPACE
    {'text_without_repeats': ['Hej alla\\n\\nSlut på det', 'Hej', None], 'repeats': [1, 0, None]}
    """
    keys, of, line = paragraph_keys(texts, min_chars)
    gone = np.isin(keys, repeated)
    removed = np.bincount(of[gone], minlength=len(texts)).astype(np.int32)
    kept = texts.to_pylist()
    cuts = np.flatnonzero(np.diff(of[gone])) + 1
    for lines, text in zip(np.split(line[gone], cuts), np.unique(of[gone]).tolist(), strict=False):
        kept[text] = _without_lines(kept[text], set(lines.tolist()))
    null = texts.is_null().to_numpy()
    return pa.table(
        [pa.array(kept, pa.string()), pa.array(removed, mask=null)], schema=WITHOUT_SCHEMA
    )


def _without_lines(text: str, gone: set[int]) -> str:
    kept: list[str] = []
    after_removed = False
    for place, line in enumerate(text.split("\n")):
        if place in gone:
            after_removed = True
        elif line.strip() or not after_removed:
            kept.append(line)
            after_removed = False
    return "\n".join(kept).strip("\n")


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
