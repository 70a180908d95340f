"""A sharded task that adds columns to the documents of the shared index."""

from __future__ import annotations

import contextlib
import difflib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from skord.core.cancellation import CheckpointedError, cancellable_work, checkpoint_requested
from skord.core.failures import ConfigError, DocumentError, FailureCode, ShardError
from skord.core.storage.column_store import ShardWriter
from skord.core.storage.shard_files import PARTIAL_FOLDER
from skord.core.storage.shared_columns import FAILURE, ID
from skord.core.tasks.sharded_task import ShardedTask

Process: TypeAlias = "Callable[[pa.Table], pa.Table]"
"""From columns read to columns added: same rows, same order, `failure` among them."""


class PriorFailure(FailureCode):
    """Why a task did not look at a row at all."""

    upstream = "upstream"
    """A task that this one reads had failed on the document; its row has the reason."""


class DocumentTask(ShardedTask):
    """Subclass, then declare `reads`, `schema` and `process`.

    The documents come in row groups. Rows that failed in a task read here are not shown
    to `process`; they get nulls and the code `upstream`. Rows in equal rows out, always.
    """

    is_abstract: ClassVar[bool] = True

    reads: ClassVar[Mapping[type[ShardedTask], Sequence[str]]] = {}
    """Tasks and the columns wanted of each, named `Task.column` in the batch."""

    schema: ClassVar[pa.Schema]
    """The columns added, besides `id` and `failure`."""

    incompressible: ClassVar[Sequence[str]] = ()
    """Columns whose bytes are compressed already."""

    def process(self, batch: pa.Table) -> pa.Table:
        """Return this task's columns, `failure` included, one row per row of `batch`."""
        raise NotImplementedError

    def upstream(self) -> Sequence[ShardedTask]:
        """The tasks read, each over the same dump and languages."""
        return [task(**self.shared_params()) for task in self.columns_read()]

    @property
    def reads_same_shard(self) -> bool:
        """So it is where there is no phase but the one that reads `columns_read`."""
        return type(self).phases is ShardedTask.phases

    def columns_read(self) -> Mapping[type[ShardedTask], Sequence[str]]:
        """Tasks and columns that these settings ask for; by default `reads`."""
        return self.reads

    def check_reads(self) -> None:
        """What is read of each task upstream is among the columns that it declares.

        Raises:
            ConfigError: the task's author names a column that is not there.
        """
        for cls, names in self.columns_read().items():
            known: list[str] = cls(**self.shared_params()).schema.names
            for name in names:
                if name not in known:
                    near = difflib.get_close_matches(name, known, n=1)
                    raise ConfigError(
                        f"{self.task_family} reads {cls.get_task_family()}.{name}, which is not "
                        + (f"there; did you mean {near[0]}?" if near else f"one of {known}")
                    )

    @contextlib.contextmanager
    def open_shard(self, shard: int) -> Iterator[Process]:
        """What one shard needs around its batches; by default nothing."""
        del shard
        yield self.process

    def count(self, table: pa.Table) -> Mapping[str, int]:
        """Further figures of one batch of output for the manifest."""
        del table
        return {}

    def shard_counts(self, shard: int) -> Mapping[str, int]:
        """Figures of a whole shard for the manifest."""
        del shard
        return {}

    def full_schema(self) -> pa.Schema:
        """The columns as written: `id`, the task's own, `failure`."""
        return pa.schema([ID, *self.schema, FAILURE])

    def run_shard(self, shard: int) -> None:
        """Read the shard's row groups one after another, process and write each.

        Raises:
            CheckpointedError: this process was asked to stop; the row groups made so far are kept,
                and the next call goes on after them.
        """
        path = self.store.path(self.task_family, shard)
        partial = self.partial_path(shard)
        with (
            self.store.writer(
                path, self.full_schema(), self.fingerprint, incompressible=self.incompressible
            ) as writer,
            self.open_shard(shard) as process,
            cancellable_work(),
        ):
            first = self.resume(partial, writer)
            for group, batch in self._batches(shard, first):
                # One row group at least, or a shard that is stopped ever again would never end.
                if checkpoint_requested() and group > first:
                    writer.path = partial
                    break
                self._write_batch(writer, process, batch)
            else:
                writer.counts.update(self.shard_counts(shard))
        if writer.path == partial:
            raise CheckpointedError(
                f"{self.task_family} {shard}: left off before its end, as asked"
            )
        self.store.storage.delete(partial)

    def partial_path(self, shard: int) -> str:
        """Where the shard's first row groups lie if it was left off."""
        return self.store.path(self.task_family, shard, PARTIAL_FOLDER)

    def resume(self, partial: str, writer: ShardWriter) -> int:
        """Copy the row groups of a shard that was left off; returns how many there are."""
        footer = self.store.footer(partial)
        if footer is None or footer.fingerprint != self.fingerprint:
            return 0
        writer.counts.update(footer.counts)
        with self.store.open_parquet(partial) as file:
            for group in range(file.num_row_groups):
                writer.write(file.read_row_group(group))
            return int(file.num_row_groups)

    def _batches(self, shard: int, first: int) -> Iterator[tuple[int, pa.Table]]:
        wanted = {
            task.get_task_family(): [*names, FAILURE.name]
            for task, names in self.columns_read().items()
        }
        return self.store.side_by_side(shard, wanted, first)

    def _write_batch(self, writer: ShardWriter, process: Process, batch: pa.Table) -> None:
        codes = [batch[name] for name in batch.column_names if name.endswith(f".{FAILURE.name}")]
        failed = codes[0].is_valid()
        for code in codes[1:]:
            failed = pc.or_(failed, code.is_valid())
        live = pc.invert(failed)
        shown = batch.filter(live)
        added = process(shown)
        if added.num_rows != shown.num_rows:
            raise ShardError(
                f"{self.task_family}: {shown.num_rows} rows in, {added.num_rows} rows out"
            )
        table = _spread_rows(added.select([*self.schema.names, FAILURE.name]), live)
        table = table.add_column(0, ID, batch[ID.name])
        writer.write(table)
        writer.counts.update(_count_failures(table, shown.num_rows))
        writer.counts.update(self.count(table))


def each_document(
    batch: pa.Table, function: Callable[..., Mapping[str, Any]], schema: pa.Schema
) -> pa.Table:
    """Call `function` on each row; a DocumentError leaves nulls and its code.

    Args:
        batch: columns named `Task.column`; `function` takes the row's values by position,
            in the order of the columns, `id` and failures left out.
        function: returns the row's new values by column name.
        schema: the declared columns, without `failure`.

    Returns:
        The declared columns and `failure`, one row per row of `batch`.
    """
    names = [n for n in batch.column_names if n != ID.name and not n.endswith(f".{FAILURE.name}")]
    rows: list[Mapping[str, Any]] = []
    for values in zip(*(batch[name].to_pylist() for name in names), strict=True):
        try:
            rows.append({**function(*values), FAILURE.name: None})
        except DocumentError as error:
            rows.append({FAILURE.name: str(error.code)})
    return pa.Table.from_pylist(rows, schema=schema.append(FAILURE))


def rows_of_answers(
    batch: pa.Table,
    answers: Iterable[Mapping[str, Any] | DocumentError],
    handed_on: Mapping[str, str],
    schema: pa.Schema,
) -> pa.Table:
    """Rows out of answers that were worked out for a whole batch.

    Args:
        batch: columns named `Task.column`.
        answers: for each row new values by column name, or why there are none.
        handed_on: columns whose values are those of a column of the batch.
        schema: the declared columns, without `failure`.

    Returns:
        The declared columns and `failure`, one row per row of `batch`.
    """
    values = (batch[name].to_pylist() for name in handed_on.values())
    rows = [
        {FAILURE.name: str(answer.code)}
        if isinstance(answer, DocumentError)
        else {**dict(zip(handed_on, row, strict=True)), **answer, FAILURE.name: None}
        for answer, *row in zip(answers, *values, strict=True)
    ]
    return pa.Table.from_pylist(rows, schema=schema.append(FAILURE))


def _spread_rows(added: pa.Table, live: pa.ChunkedArray) -> pa.Table:
    """Put the rows back where `live` is true; the others get nulls and `upstream`."""
    # Where each live row stands among those that were shown to `process`.
    position = pc.subtract(pc.cumulative_sum(pc.cast(live, pa.int64())), 1)
    indices = pc.if_else(live, position, pa.scalar(None, pa.int64()))
    spread = added.take(indices)
    failure = pc.if_else(live, spread[FAILURE.name], str(PriorFailure.upstream))
    return spread.set_column(spread.column_names.index(FAILURE.name), FAILURE, failure)


def _count_failures(table: pa.Table, judged: int) -> Counter[str]:
    codes = Counter(code for code in table[FAILURE.name].to_pylist() if code)
    upstream = codes.pop(str(PriorFailure.upstream), 0)
    counts = Counter({f"failure.{code}": n for code, n in codes.items()})
    counts.update(rows=table.num_rows, judged=judged, upstream=upstream)
    return counts
