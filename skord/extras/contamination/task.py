"""Find evaluation sets in texts: Decontaminate."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import ClassVar

import luigi
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pipeline.markdown_processing import ProcessMarkdown
from skord.core.failures import ConfigError
from skord.core.storage.column_store import SHARD
from skord.core.storage.shared_columns import FAILURE
from skord.core.tasks.document_task import DocumentTask, Process
from skord.core.tasks.phases import Phase
from skord.core.tasks.sharded_task import ShardedTask
from skord.extras.contamination.evaluation_sets import (
    ANSWER,
    MARKED,
    QUESTION,
    Probe,
    digest_of_sets,
    evaluation_items,
)
from skord.extras.contamination.index import (
    I64,
    LEAST,
    MATCHES_TYPE,
    Copies,
    Frequencies,
    Index,
    Scorer,
    cached_index,
    formulas_of,
    scores_of,
)
from skord.quality.features import features_on_request

FREQUENCIES, SUMS = "frequencies", "sums"
COPIES, COPY_SUMS = "copies", "copy_sums"


COUNTS_SCHEMA = pa.schema([("texts", pa.int64())])
"""How many texts: with each word of the sets, then each run, last all; or with each item in part,
then as a whole."""


class Decontaminate(DocumentTask):
    """How much of an evaluation set's items each text holds.

    Columns: `contamination` (the best ten matches: set, item, question or answer, score, evidence,
    range of characters, passage, whether that is a formula), `question_contamination` and
    `answer_contamination` (the best score: share of an item's words, weighted by rarity, that the
    text has in the same places; of a formula, an item that many texts hold in part, only the whole
    counts).
    """

    version = 4
    on_request: ClassVar[bool] = True
    reads = {ProcessMarkdown: ["text"]}

    schema = pa.schema(
        [
            ("contamination", MATCHES_TYPE),
            *(one.field for one in features_on_request("Decontaminate")),
        ]
    )

    sets = luigi.Parameter(
        default="",
        description="folder of evaluation sets: .jsonl, .json, .parquet, .txt, gzipped too",
    )
    fields: Mapping[str, Mapping[str, Sequence[str]]] = luigi.DictParameter(
        default={}, description='set to its fields, {"arc": {"question": […], "answer": […]}}'
    )
    length = luigi.IntParameter(default=3, description="words of a run where a comparison begins")

    formula_texts = luigi.IntParameter(
        default=5, description="texts that hold an item in part, where it is a formula; 0: none is"
    )

    def check(self) -> None:
        """There must be sets, with fields that are known."""
        if not self.sets:
            raise ConfigError("[Decontaminate] sets: name a folder of evaluation sets")
        self._index()

    def fingerprint_parts(self) -> Sequence[str]:
        """What the sets say, wherever they lie."""
        return [digest_of_sets(str(self.sets))] if self.sets else []

    def _index(self) -> Index:

        return cached_index(self._probes(), int(self.length))

    def set_sizes(self) -> Mapping[str, int]:
        """Set to the number of its items that are looked for."""
        return dict(Counter(name for name, _ in {(one.set, one.item) for one in self._probes()}))

    def _probes(self) -> tuple[Probe, ...]:

        return tuple(evaluation_items(str(self.sets), self.fields))

    def phases(self) -> Sequence[Phase]:
        """How frequent words and runs are, how many texts hold each item, each text's score."""
        return [
            Phase(FREQUENCIES, self.num_shards, self.list_frequencies, transient=True),
            Phase(SUMS, lambda: 1, partial(self._add, FREQUENCIES, SUMS), transient=True),
            Phase(COPIES, self.num_shards, self.list_copies, transient=True),
            Phase(COPY_SUMS, lambda: 1, partial(self._add, COPIES, COPY_SUMS), transient=True),
            Phase(SHARD, self.num_shards, self.run_shard),
        ]

    def list_frequencies(self, shard: int) -> None:
        """In how many of a shard's texts each word and run is."""
        index = self._index()
        counts = np.zeros(index.words.size + index.grams.size + 1, np.int64)
        for _, batch in self.store.side_by_side(shard, {"ProcessMarkdown": ["text"]}):
            held = index.frequencies(batch["ProcessMarkdown.text"].combine_chunks())
            counts += np.concatenate([held.words, held.grams, [held.texts]])
        self._write(FREQUENCIES, shard, counts)

    def list_copies(self, shard: int) -> None:
        """How many of a shard's texts hold each item, in part and as a whole."""
        scorer = self._scorer()
        counts = np.zeros((2, len(scorer.index.probes)), np.int64)
        for _, batch in self.store.side_by_side(shard, {"ProcessMarkdown": ["text"]}):
            counts += scorer.copies(batch["ProcessMarkdown.text"].combine_chunks())
        self._write(COPIES, shard, counts.ravel())

    def _scorer(self, formulas: NDArray[np.bool_] | None = None) -> Scorer:
        """The index, weighted."""
        index = self._index()
        words, grams, texts = np.split(
            self._read(SUMS), [index.words.size, index.words.size + index.grams.size]
        )
        return Scorer(index, Frequencies(words, grams, int(texts[0])), LEAST, formulas)

    def _read(self, phase: str, number: int = 0) -> I64:
        path = self.store.path(self.task_family, number, phase)
        counts: I64 = self.store.read_table(path)["texts"].to_numpy()
        return counts

    def _add(self, listed: str, phase: str, number: int) -> None:
        """What a phase counted, of all shards."""
        counts = [self._read(listed, shard) for shard in range(self.num_shards())]
        self._write(phase, number, np.sum(counts, axis=0))

    def _write(self, phase: str, number: int, counts: I64) -> None:

        path = self.store.path(self.task_family, number, phase)
        with self.store.writer(path, COUNTS_SCHEMA, self.fingerprint, indexed=False) as writer:
            writer.write(pa.table([counts], schema=COUNTS_SCHEMA))

    @contextlib.contextmanager
    def open_shard(self, shard: int) -> Iterator[Process]:
        """The index, weighted, that knows the formulas."""
        del shard
        copies = Copies(*self._read(COPY_SUMS).reshape(2, -1))
        yield partial(self._score, self._scorer(formulas_of(copies, int(self.formula_texts))))

    def _score(self, scorer: Scorer, batch: pa.Table) -> pa.Table:

        matches_of_texts = list(scorer.matches(batch["ProcessMarkdown.text"].combine_chunks()))
        scores = [scores_of(matches) for matches in matches_of_texts]
        columns = [
            pa.array(matches_of_texts, MATCHES_TYPE),
            *(pa.array([one[part] for one in scores], pa.float64()) for part in (QUESTION, ANSWER)),
            pa.nulls(len(batch), FAILURE.type),
        ]
        return pa.table(columns, schema=self.schema.append(FAILURE))

    def count(self, table: pa.Table) -> Mapping[str, int]:
        """How many texts hold an item of each set, from a score of `MARKED` on."""
        lists = [matches for matches in table["contamination"].to_pylist() if matches]
        sets = [
            {one["set"] for one in matches if one["score"] >= MARKED and not one["is_formula"]}
            for matches in lists
        ]
        return {
            f"contaminated.{name}": sum(name in one for one in sets)
            for name in {name for one in sets for name in one}
        }


def card_values(task: Decontaminate, export: ShardedTask) -> Mapping[str, int]:
    """Evaluation sets that texts were compared with, and how many items they have."""
    del export
    return task.set_sizes()
