"""The files that are published: rows of the corpus, their pointers, JSON lines, card, checksums.

    files/README.md, files/SHA256SUMS
    files/data/2024-10-00042.parquet        the corpus
    files/pointers/2024-10-00042.parquet    where each of its texts came from
    files/json/2024-10-00042.jsonl.gz       the corpus as JSON lines, where asked for

Rows are filtered by the removals on their way in, whether they come from the columns of the
tasks or out of a file published before: both ways end with the same bytes.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from skord.core.storage.column_store import ColumnStore
from skord.publishing.card.figures import Figures, Row
from skord.publishing.pointers import CUTS_FIELD, ENCODINGS, POINTERS_SCHEMA, packed_id
from skord.publishing.removals.requests import DIGEST_BYTES, Removals, text_digest
from skord.publishing.rows import POINTER_FIELDS, pointer_rows
from skord.text.json_lines import write_json_lines

ROW_GROUP_ROWS = 5_000

KINDS = ("data", "pointers", "json")
"""Folders of the published files."""

_DICTIONARIES = ["warc_file", "language", "bucket"]


@dataclass(frozen=True)
class CorpusForm:
    """How the files are written.

    Attributes:
        about: what whoever makes a text again must know; kept in the pointers' footer.
        has_cuts: whether repeated passages are cut out, and the pointers have the places.
    """

    schema: pa.Schema
    has_json: bool
    about: str
    has_cuts: bool

    @property
    def pointer_schema(self) -> pa.Schema:
        """Columns of the pointers."""
        return POINTERS_SCHEMA.append(CUTS_FIELD) if self.has_cuts else POINTERS_SCHEMA


@dataclass(frozen=True)
class CorpusFiles:
    """The published files of one dump, by the task that publishes them."""

    store: ColumnStore
    task: str

    def names(self, number: int, form: CorpusForm) -> dict[str, str]:
        """Kind of file to its name, for the files that hold the same rows."""
        stem = f"{self.store.dump}-{number:05d}"
        names = {"data": f"data/{stem}.parquet", "pointers": f"pointers/{stem}.parquet"}
        return {**names, "json": f"json/{stem}.jsonl.gz"} if form.has_json else names

    def path(self, name: str) -> str:
        """Where a published file lies."""
        return self.store.file_path(self.task, name)

    @contextmanager
    def writing(
        self,
        number: int,
        tables: Iterable[pa.Table],
        removals: Removals,
        form: CorpusForm,
    ) -> Iterator[Row]:
        """Write the files that hold the same rows; they appear when the block ends well.

        The tables have the form's columns and `POINTER_FIELDS`, and cuts where it has them; rows
        that removals name are left out.

        Yields:
            A row of `FILE_SCHEMA`, without `replaced`.
        """
        figures = Figures()
        with ExitStack() as stack:
            names = self.names(number, form)
            paths = {
                kind: stack.enter_context(self.store.storage.writing(self.path(name)))
                for kind, name in names.items()
            }
            kept = (figures.without_removed(table, removals) for table in tables)
            _write(paths, (figures.counted(table) for table in regrouped_tables(kept)), form)
            written = [
                {
                    "name": name,
                    "bytes": paths[kind].stat().st_size,
                    "sha256": sha256_of_file(paths[kind]),
                }
                for kind, name in names.items()
            ]
            yield {"number": number, "written": written, **figures.row()}

    def rows(self, number: int, form: CorpusForm) -> Iterator[pa.Table]:
        """The rows of a file written before, with `POINTER_FIELDS`, row group after row group.

        They are put together by id: whoever was killed while publishing left files of the same
        number that do not hold the same rows.
        """
        names = self.names(number, form)
        pointers = self.store.read_table(self.path(names["pointers"]))
        places = {packed: place for place, packed in enumerate(pointers["id"].to_pylist())}
        with self.store.open_parquet(self.path(names["data"])) as data:
            for group in range(data.num_row_groups):
                table = data.read_row_group(group)
                rows = [places.get(packed_id(one)) for one in table["id"].to_pylist()]
                extra = pointers.take(pa.array(rows, pa.int64()))
                digests = map(text_digest, table["text"].to_pylist())
                extra = extra.set_column(
                    extra.column_names.index("text_digest"),
                    "text_digest",
                    pa.array(digests, pa.binary(DIGEST_BYTES)),
                )
                for field in (*POINTER_FIELDS, *([CUTS_FIELD] if form.has_cuts else [])):
                    table = table.append_column(field, extra[field.name])
                yield table

    def listed(self) -> list[str]:
        """Names of all published files that are there."""
        storage = self.store.storage
        top = storage.names(self.path("").rstrip("/"))
        inside = [f"{kind}/{one}" for kind in KINDS for one in storage.names(self.path(kind))]
        return [*(name for name in top if name not in KINDS), *inside]


def _write(paths: Mapping[str, Path], tables: Iterable[pa.Table], form: CorpusForm) -> None:
    with ExitStack() as stack:
        data = stack.enter_context(
            pq.ParquetWriter(
                paths["data"],
                form.schema,
                compression="zstd",
                compression_level=9,
                use_dictionary=_DICTIONARIES,
                write_statistics=[name for name in form.schema.names if name != "text"],
            )
        )
        pointers = stack.enter_context(
            pq.ParquetWriter(
                paths["pointers"],
                form.pointer_schema,
                compression="zstd",
                compression_level=19,
                use_dictionary=["warc_file"],
                column_encoding=ENCODINGS,
                write_statistics=False,
                store_schema=False,
            )
        )
        pointers.add_key_value_metadata({"skord": form.about})
        documents = _written(tables, data, pointers, form)
        if form.has_json:
            write_json_lines(paths["json"], documents)
        else:
            for _ in documents:
                pass


def _written(
    tables: Iterable[pa.Table], data: pq.ParquetWriter, pointers: pq.ParquetWriter, form: CorpusForm
) -> Iterator[Mapping[str, Any]]:
    """Write each table to both; yield its rows for JSON, where they are wanted."""
    for table in tables:
        rows = table.select(form.schema.names)
        data.write_table(rows, row_group_size=len(table))
        pointers.write_table(
            pointer_rows(table).cast(form.pointer_schema), row_group_size=len(table)
        )
        if form.has_json:
            yield from map(_for_json, rows.to_pylist())


def _for_json(row: Mapping[str, Any]) -> dict[str, Any]:
    """The row with null for what JSON has no number for."""
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value
        for name, value in row.items()
    }


def regrouped_tables(tables: Iterable[pa.Table], rows: int = ROW_GROUP_ROWS) -> Iterator[pa.Table]:
    """The same rows in tables of so many, the last one shorter; none is empty.

    Each is one piece of memory, so that equal rows give equal pages of Parquet.
    """
    waiting: list[pa.Table] = []
    for table in tables:
        waiting.append(table)
        while sum(map(len, waiting)) >= rows:
            whole = pa.concat_tables(waiting)
            yield whole.slice(0, rows).combine_chunks()
            waiting = [whole.slice(rows)]
    if sum(map(len, waiting)):
        yield pa.concat_tables(waiting).combine_chunks()


def sha256_of_file(path: Path) -> str:
    """Digest of a local file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
