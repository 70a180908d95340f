"""The columns of a corpus for those who use it: as Arrow batches, in DuckDB, in polars.

A column is named `Task.column`, such as `ProcessMarkdown.text`; `id` is the document's own, and some
have a short name, such as `text` (`SHORT_NAMES`).
All ways give the documents of the dumps in the order of the shared index, and read from disk
only the columns that are asked for.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from skord.core.failures import ConfigError
from skord.core.packages import require_package
from skord.core.storage.column_store import IDS, ColumnStore
from skord.core.storage.filesystem import Storage
from skord.core.storage.shared_columns import ID
from skord.quality.limits import Limits, decide_quality

KEPT = "Deduplicate.dedup_keep"
"""True for a document that is in the corpus as it left the graph; removals are the export's."""

MEASURES = "FilterDocuments."

SHORT_NAMES: Mapping[str, str] = {
    "url": "CCNet.url",
    "title": "ConvertToMarkdown.title",
    "date": "ConvertToMarkdown.date",
    "language": "FilterDocuments.language",
    "text": "ProcessMarkdown.text",
}
"""Of the columns that most users want: as ExportCorpus calls them, and where they are."""

BEGUN = "_begun"
"""Folder in which `compact` builds its files: while it is there, those above are not all."""

UNFINISHED = "unfinished"
"""A file in it from the beginning to the end: what was asked for."""


class Corpus:
    """What is in a data folder, for some dumps.

    Args:
        data_dir: as [pipeline] data_dir: a folder, or s3://bucket/prefix.
        dumps: such as ["2024-10"].

    Raises:
        ConfigError: a dump has no document index there.
        DamagedError: shards are missing or damaged.
    """

    def __init__(self, data_dir: str, dumps: Sequence[str]) -> None:
        self._storage = Storage(str(data_dir))
        self._dumps = list(dumps)
        self._stores = [ColumnStore(self._storage, dump) for dump in dumps]
        for store in self._stores:
            if store.whole_manifest("CCNet", reads_changed=False) is None:
                raise ConfigError(f"{self._storage.url} has no finished CCNet of dump {store.dump}")

    def __len__(self) -> int:
        """Documents in the index of all dumps, whether kept or not."""
        total = 0
        for store in self._stores:
            for shard in range(_num_shards(store)):
                with store.open_parquet(store.path("CCNet", shard)) as file:
                    total += file.metadata.num_rows
        return total

    def __repr__(self) -> str:
        """The folder and the dumps."""
        return f"Corpus({self._storage.shown_url!r}, {self._dumps!r})"

    def columns(self) -> list[str]:
        """Every column there is, of the tasks that are finished in all dumps."""
        by_store = [_columns_of(store) for store in self._stores]
        shared = set(by_store[0]).intersection(*by_store[1:])
        return [name for name in by_store[0] if name in shared]

    def batches(
        self,
        columns: Sequence[str],
        *,
        where: Any = None,
        kept: bool = False,
        limits: Limits | None = None,
    ) -> Iterator[pa.RecordBatch]:
        """Documents as Arrow batches, one row group (some 500 documents) in memory at a time.

        Args:
            columns: that are wanted, by their full or short names; `id` comes first in any case.
            where: a `pyarrow.compute` expression over these columns; null for all documents.
            kept: only documents that Deduplicate kept.
            limits: only documents whose measures of FilterDocuments keep within these, decided
                anew: {"unigram_entropy": (3.5, math.inf)}.

        Raises:
            ConfigError: there is no such column, or a limit names no measure.
            ShardError: a task's shards do not share the index.
        """
        asked = [name for name in columns if name != ID.name]
        deciding = [KEPT] if kept else []
        deciding += [f"{MEASURES}{name}" for name in limits or ()]
        read = list(dict.fromkeys([*map(_full_name, asked), *deciding]))
        for store in self._stores:
            wanted = _by_task(store, read)
            for shard in range(_num_shards(store)):
                for _, table in store.side_by_side(shard, wanted):
                    chosen = table.filter(table[KEPT]) if kept else table
                    chosen = chosen.filter(_passes_limits(chosen, limits)) if limits else chosen
                    for short in (name for name in asked if name in SHORT_NAMES):
                        chosen = chosen.append_column(short, chosen[_full_name(short)])
                    chosen = chosen if where is None else chosen.filter(where)
                    yield from chosen.select([ID.name, *asked]).combine_chunks().to_batches()

    def table(
        self,
        columns: Sequence[str],
        *,
        where: Any = None,
        kept: bool = False,
        limits: Limits | None = None,
    ) -> pa.Table:
        """All of them in memory; see `batches`."""
        row = list(self.batches(columns, where=where, kept=kept, limits=limits))
        if row:
            return pa.Table.from_batches(row)
        return self._schema(columns).empty_table()

    def iter_documents(
        self, columns: Sequence[str] = tuple(SHORT_NAMES), *, where: Any = None, kept: bool = False
    ) -> Iterator[dict[str, Any]]:
        """One document after another as a dictionary of its columns; see `batches`."""
        for batch in self.batches(columns, where=where, kept=kept):
            yield from batch.to_pylist()

    def to_pandas(
        self, columns: Sequence[str] = tuple(SHORT_NAMES), *, where: Any = None, kept: bool = False
    ) -> Any:
        """A pandas DataFrame of the documents, in memory; see `batches`.

        Raises:
            ConfigError: pandas is not installed, or there is no such column.
        """
        require_package("pandas", "Corpus.to_pandas", "pip install pandas")
        return self.table(columns, where=where, kept=kept).to_pandas()

    def to_polars(
        self, columns: Sequence[str] = tuple(SHORT_NAMES), *, where: Any = None, kept: bool = False
    ) -> Any:
        """A polars DataFrame of the documents, in memory; see `batches`, and `polars` for a lazy one.

        Raises:
            ConfigError: polars is not installed, or there is no such column.
        """
        polars = require_package("polars", "Corpus.to_polars", "pip install 'skord[polars]'")
        return polars.from_arrow(self.table(columns, where=where, kept=kept))

    def duckdb(
        self, connection: Any = None, columns: Sequence[str] = (), name: str = "pages"
    ) -> Any:
        """A view of the documents for SQL, and the relation that reads it.

        Rows of all tasks lie in the same order, so they are put side by side by position;
        DuckDB reads from the files what a query names, no more.

        Args:
            connection: a DuckDB connection; the default one when None.
            columns: of the view; all when empty.

        Raises:
            ConfigError: the data is not on a disk, DuckDB is not installed, or a column is
                not there.
        """
        duckdb = require_package("duckdb", "Corpus.duckdb", "pip install 'skord[duckdb]'")
        connection = connection or duckdb.default_connection()
        names = [one if one == ID.name else _full_name(one) for one in columns] or self.columns()
        parts = [
            f"(SELECT {_list_columns(task, inner)} FROM read_parquet({_quoted_list(paths)}))"
            for task, inner, paths in self._files(names)
        ]
        query = f"SELECT * FROM {' POSITIONAL JOIN '.join(parts)}"
        connection.execute(f'CREATE OR REPLACE VIEW "{name}" AS {query}')
        return connection.sql(f'SELECT * FROM "{name}"')

    def polars(self, columns: Sequence[str] = ()) -> Any:
        """A polars LazyFrame over the files; what a query does not name is not read.

        Args:
            columns: of the frame; all when empty.

        Raises:
            ConfigError: the data is not on a disk, polars is not installed, or a column is
                not there.
        """
        polars = require_package("polars", "Corpus.polars", "pip install 'skord[polars]'")
        names = [one if one == ID.name else _full_name(one) for one in columns] or self.columns()
        frames = [
            polars.scan_parquet(paths).select(
                polars.col(one).alias(ID.name if task == "" else f"{task}.{one}") for one in inner
            )
            for task, inner, paths in self._files(names)
        ]
        return polars.concat(frames, how="horizontal")

    def _files(self, columns: Sequence[str]) -> Iterator[tuple[str, list[str], list[str]]]:
        """Task, its columns and its files in order; the id first, as a column of no task."""
        if not self._storage.is_local:
            raise ConfigError(f"{self._storage.url}: SQL and frames read a local disk: use batches")
        wanted: dict[str, list[str]] = {}
        for store in self._stores:
            wanted = _by_task(store, [one for one in columns if one != ID.name])
            _check_indexes(store, ["CCNet", *wanted])
        yield "", [ID.name], self._paths("CCNet")
        yield from ((task, list(inner), self._paths(task)) for task, inner in wanted.items())

    def _paths(self, task: str) -> list[str]:
        return [
            self._storage.full(store.path(task, shard))
            for store in self._stores
            for shard in range(_num_shards(store))
        ]

    def compact(
        self,
        columns: Sequence[str],
        out: str,
        *,
        file_bytes: int = 512 << 20,
        kept: bool = False,
    ) -> list[str]:
        """Write columns of several tasks side by side to a few large Parquet files.

        For readers who would open 10,000 shards of several tasks otherwise, and for those who
        hand a corpus on; the rows and their order are those of `batches`. The files are built in
        the folder `_begun` below `out` and appear when all are whole. Given again, a call that was
        killed goes on after the last whole file, if nothing else is asked for.

        Args:
            columns: that are wanted; `id` comes first in any case.
            out: a folder or s3://bucket/prefix that holds no Parquet file yet.
            file_bytes: a file ends once it has as many.
            kept: only documents that Deduplicate kept.

        Returns:
            The names of the files.

        Raises:
            ConfigError: there is no such column, or Parquet files are there.
        """
        folder, marker = Storage(str(out)), f"{BEGUN}/{UNFINISHED}"
        begun = folder.read(marker) if folder.exists(marker) else b""
        in_place = _parquet_names(folder, "")
        if in_place and not folder.names(BEGUN):
            raise ConfigError(f"{folder.shown_url} holds {in_place[0]}: name an empty folder")
        plan = self._plan(columns, file_bytes, kept=kept)
        if begun != plan:
            for name in in_place:  # of those that a killed call had put in place
                folder.delete(name)
            folder.delete_folder(BEGUN)
            in_place = []
        names = _parquet_names(folder, BEGUN)
        if not in_place:  # else all were whole, and being put in place
            left = _after_rows(self.batches(columns, kept=kept), _rows_in(folder, names))
            first = next(left, None)
            folder.write(marker, plan)
            while first is not None:
                names.append(f"{len(names):05d}.parquet")
                with folder.writing(f"{BEGUN}/{names[-1]}") as partial:
                    first = _fill_file(partial, first, left, file_bytes)
        for name in names:
            folder.move(f"{BEGUN}/{name}", name)
        folder.delete_folder(BEGUN)
        return sorted({*in_place, *names})

    def _plan(self, columns: Sequence[str], file_bytes: int, *, kept: bool) -> bytes:
        """All that decides the files of `compact`."""
        tasks = {_full_name(name).partition(".")[0] for name in columns if name != ID.name}
        manifests = [store.manifest(task) or {} for store in self._stores for task in sorted(tasks)]
        made = [(one.get("stamp"), one.get(IDS)) for one in manifests]
        return json.dumps([self._dumps, list(columns), file_bytes, kept, made]).encode()

    def _schema(self, columns: Sequence[str]) -> pa.Schema:
        store, fields = self._stores[0], [ID.with_nullable(True)]
        for name in (name for name in columns if name != ID.name):
            ((task, (inner,)),) = _by_task(store, [_full_name(name)]).items()
            fields.append(_schema_of(store, task).field(inner).with_name(name))
        return pa.schema(fields)


def _full_name(column: str) -> str:
    """The name of a column with its task.

    >>> _full_name("text"), _full_name("CCNet.url")
    ('ProcessMarkdown.text', 'CCNet.url')

    Raises:
        ConfigError: it names no task, and is not short for one that does.
    """
    name = SHORT_NAMES.get(column, column)
    if "." not in name:
        raise ConfigError(
            f"there is no column {column}: name its task, as in CCNet.{column}, or take one of "
            f"{', '.join(SHORT_NAMES)}"
        )
    return name


def _passes_limits(table: pa.Table, limits: Limits) -> pa.BooleanArray:
    """Whether each document was measured and keeps within the limits."""
    names = [name for name in table.column_names if name.removeprefix(MEASURES) in limits]
    measures = table.select(names).rename_columns([n.removeprefix(MEASURES) for n in names])
    return decide_quality(measures, limits)[0]


def _num_shards(store: ColumnStore) -> int:
    return int((store.manifest("CCNet") or {})["num_shards"])


def _schema_of(store: ColumnStore, task: str) -> pa.Schema:
    with store.open_parquet(store.path(task, 0)) as file:
        return file.schema_arrow.remove_metadata()


def _columns_of(store: ColumnStore) -> list[str]:
    """Columns of the tasks that share the index, the index itself first."""
    index = store.footer(store.path("CCNet", 0))
    names = [ID.name]
    for task in store.storage.names(""):
        if task.startswith("_") or not store.whole_manifest(task, reads_changed=False):
            continue
        footer = store.footer(store.path(task, 0))
        if footer and index and footer.ids == index.ids:
            names += [f"{task}.{n}" for n in _schema_of(store, task).names if n != ID.name]
    return names


def _by_task(store: ColumnStore, columns: Sequence[str]) -> dict[str, list[str]]:
    """Task to its columns, in the order in which the tasks are named first."""
    wanted: dict[str, list[str]] = {}
    for name in columns:
        task, _, inner = name.partition(".")
        wanted.setdefault(task, []).append(inner)
    for task, names in wanted.items():
        there = (
            _schema_of(store, task).names if store.whole_manifest(task, reads_changed=False) else []
        )
        unknown = [one for one in names if one not in there]
        if unknown:
            raise ConfigError(
                f"there is no column {task}.{unknown[0]} in dump {store.dump}"
                + (f"; {task} has {', '.join(there)}" if there else f": no finished {task}")
            )
    return wanted or {"CCNet": []}


def _fill_file(
    path: Path, first: pa.RecordBatch, left: Iterator[pa.RecordBatch], file_bytes: int
) -> pa.RecordBatch | None:
    """Write batches until the file has as many bytes; returns the first that is for the next."""
    batch: pa.RecordBatch | None = first
    with (
        path.open("wb") as file,
        pq.ParquetWriter(
            file, first.schema, compression="ZSTD", write_page_checksum=True
        ) as parquet,
    ):
        while batch is not None:
            parquet.write_batch(batch)
            batch = next(left, None)
            if file.tell() >= file_bytes:
                break
    return batch


def _parquet_names(folder: Storage, inner: str) -> list[str]:
    return [name for name in folder.names(inner) if name.endswith(".parquet")]


def _rows_in(folder: Storage, names: Sequence[str]) -> int:
    """How many rows the files have that `compact` has built so far."""
    rows = 0
    for name in names:
        with folder.open(f"{BEGUN}/{name}") as file:
            rows += pq.read_metadata(file).num_rows
    return rows


def _after_rows(batches: Iterator[pa.RecordBatch], rows: int) -> Iterator[pa.RecordBatch]:
    """What comes after the first so many rows, which end with a batch."""
    for batch in batches:
        if rows <= 0:
            yield batch
        rows -= len(batch)


def _check_indexes(store: ColumnStore, tasks: Sequence[str]) -> None:
    """By manifests and one listing of each folder where they suffice, instead of each shard."""
    manifests = {task: store.manifest(task) or {} for task in tasks}
    digests = {manifest.get(IDS) for manifest in manifests.values()}
    changed = any(store.lost_shards(task, manifest) for task, manifest in manifests.items())
    if len(digests) > 1 or None in digests or changed:
        for shard in range(_num_shards(store)):
            _check_index(store, shard, tasks)


def _check_index(store: ColumnStore, shard: int, tasks: Sequence[str]) -> None:
    footers = [store.footer(store.path(task, shard)) for task in tasks]
    if len({footer.ids if footer else None for footer in footers}) > 1:
        raise ConfigError(
            f"shard {shard:05d} of {', '.join(tasks)} in dump {store.dump} does not hold the same "
            "documents: one of them is not finished, or comes from another run"
        )


def _list_columns(task: str, columns: Sequence[str]) -> str:
    return ", ".join(f'"{one}" AS "{f"{task}." if task else ""}{one}"' for one in columns)


def _quoted_list(paths: Sequence[str]) -> str:
    quoted = ", ".join("'" + path.replace("'", "''") + "'" for path in paths)
    return f"[{quoted}]"
