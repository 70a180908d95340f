"""Which documents are in the corpus, which file each is in, and the rows of a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from skord.core.failures import DamagedError
from skord.core.storage.column_store import ColumnStore
from skord.core.storage.shared_columns import ID
from skord.publishing.rows import Form, corpus_rows, file_numbers, num_files, utf8_bytes

CHOSEN = "chosen"
PLAN = "plan"

CHOSEN_SCHEMA = pa.schema([("group", pa.int32()), ("row", pa.int32()), ("bytes", pa.int64())])
"""The documents of a shard that are in the corpus: row group, row in it, bytes of the text."""

PLAN_SCHEMA = pa.schema([("shard", pa.int32()), ("first_byte", pa.int64()), ("bytes", pa.int64())])
"""Where the texts of each shard begin when all are laid end to end, and how long they are."""


@dataclass(frozen=True)
class CorpusSource:
    """The columns that a corpus is made of.

    Args:
        store: of the dump.
        task: the task that publishes, under whose name the choice is kept.
        fingerprint: of the choice.
        columns: of the corpus (`rows.MADE_OF` and scores), and the task and column that each is.
    """

    store: ColumnStore
    task: str
    fingerprint: str
    columns: Mapping[str, tuple[str, str]]

    def chosen_path(self, shard: int) -> str:
        """Where the choice of one shard lies."""
        return self.store.path(self.task, shard, CHOSEN)

    @property
    def plan_path(self) -> str:
        """Where the plan lies."""
        return self.store.path(self.task, 0, PLAN)

    def choose(
        self, shard: int, reads: dict[str, list[str]], left_out: Callable[[pa.Table], pa.Array]
    ) -> None:
        """Note which of a shard's documents are in the corpus, and how long their texts are.

        `left_out` is null for each row that is in.
        """
        task, text = self.columns["text"]
        wanted = {**reads, task: list(dict.fromkeys([*reads.get(task, []), text]))}
        with self.store.writer(self.chosen_path(shard), CHOSEN_SCHEMA, self.fingerprint) as writer:
            for group, batch in self.store.side_by_side(shard, wanted):
                reasons = left_out(batch)
                rows = np.flatnonzero(reasons.is_null().to_numpy(zero_copy_only=False))
                sizes = utf8_bytes(batch[f"{task}.{text}"].take(pa.array(rows)))
                columns = [np.full(len(rows), group), rows, sizes]
                writer.write(pa.table(columns, names=CHOSEN_SCHEMA.names))
                writer.counts.update(documents=len(rows), bytes=int(sizes.sum()))
                named = [reason for reason in reasons.to_pylist() if reason]
                writer.counts.update(f"left_out.{reason}" for reason in named)

    def left_out(self, shards: int) -> Counter[str]:
        """How many documents the choice left out for each reason."""
        counts: Counter[str] = Counter()
        for shard in range(shards):
            counts.update(self._counts(shard))
        prefix = "left_out."
        return Counter({k.removeprefix(prefix): n for k, n in counts.items() if prefix in k})

    def plan(self, shards: int, target_bytes: int) -> None:
        """Note where each shard's texts begin, and into how many files all go."""
        sizes = [self._counts(shard).get("bytes", 0) for shard in range(shards)]
        first = [0, *accumulate(sizes)]
        table = pa.table([range(shards), first[:-1], sizes], schema=PLAN_SCHEMA)
        files = num_files(first[-1], target_bytes)
        self.store.write_sorted(self.plan_path, table, self.fingerprint, files=files)

    def _counts(self, shard: int) -> Mapping[str, int]:
        """What was counted as one shard's documents were chosen.

        Raises:
            DamagedError: the choice is not there.
        """
        path = self.chosen_path(shard)
        if (footer := self.store.footer(path)) is None:
            raise DamagedError(
                f"{self.store.storage.shown(path)} is missing: give the command again, which makes it"
            )
        return footer.counts

    def num_files(self) -> int | None:
        """How many files were planned; None before that."""
        footer = self.store.footer(self.plan_path)
        return (
            int(footer.counts["files"])
            if footer and footer.fingerprint == self.fingerprint
            else None
        )

    def rows(self, number: int, form: Form, replaced: Counter[str]) -> Iterator[pa.Table]:
        """The rows of one file, in the order of the index, row group after row group.

        `replaced` gets how many stand-ins of each kind were put in.
        """
        wanted: dict[str, list[str]] = {}
        for task, column in self.columns.values():
            wanted.setdefault(task, []).append(column)
        for shard in self._shards(number):
            numbers, chosen = self.places(shard)
            chosen = chosen.filter(pa.array(numbers == number))
            groups, rows = chosen["group"].to_numpy(), chosen["row"].to_numpy()
            last = groups[-1] if len(groups) else -1
            for group, batch in self.store.side_by_side(shard, wanted, int(min(groups, default=0))):
                if group > last:
                    break
                picked = self._named(batch.take(pa.array(rows[groups == group])))
                table, counts = corpus_rows(picked, form)
                replaced.update(counts)
                yield table

    def _named(self, batch: pa.Table) -> pa.Table:
        columns = {name: batch[f"{task}.{of}"] for name, (task, of) in self.columns.items()}
        return pa.table({ID.name: batch[ID.name], **columns})

    def places(self, shard: int) -> tuple[np.ndarray[tuple[int], np.dtype[np.int32]], pa.Table]:
        """The file of each of a shard's chosen documents, and the documents."""
        chosen = self.store.read_table(self.chosen_path(shard))
        plan = self.store.read_table(self.plan_path)
        first, total = plan["first_byte"][shard].as_py(), pc.sum(plan["bytes"]).as_py()
        files = self.num_files() or 1
        return file_numbers(chosen["bytes"].to_numpy(), first, total, files), chosen

    def _shards(self, number: int) -> list[int]:
        """The shards that have anything in a file."""
        plan = self.store.read_table(self.plan_path).to_pylist()
        files, total = self.num_files() or 1, max(sum(row["bytes"] for row in plan), 1)
        return [
            row["shard"]
            for row in plan
            if row["first_byte"] * files // total
            <= number
            <= (row["first_byte"] + row["bytes"]) * files // total
        ]
