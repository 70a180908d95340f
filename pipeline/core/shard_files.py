"""One shard as a file: what its rows share with all others, its footer, and how it is filled."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

ID = pa.field("id", pa.string(), nullable=False)
"""The WARC-Record-ID of the page's response record, `urn:uuid:…`, from first task to last."""

FAILURE = pa.field("failure", pa.string())
"""Null, or the code of what went wrong with this row in this task."""

SHARD = "shard"
"""The name of every task's last phase, the one that writes the shards proper."""

GROUPING = "cut"
"""The count that says by which setting work was grouped into items; see the tasks' `grouping`."""

PARTIAL_FOLDER = "begun"
"""The folder of shards that were left off before their end."""


def leaf_paths(field: pa.Field) -> list[str]:
    """The names that Parquet has for what a column is made of; compression is set by these.

    >>> leaf_paths(pa.field("lines", pa.list_(pa.struct([("a", pa.int8()), ("b", pa.int8())]))))
    ['lines.list.element.a', 'lines.list.element.b']
    """
    if pa.types.is_list(field.type):
        inner, children = ".list", [pa.field("element", field.type.value_type)]
    elif pa.types.is_struct(field.type):
        inner, children = "", list(field.type)
    else:
        return [field.name]
    return [f"{field.name}{inner}.{leaf}" for child in children for leaf in leaf_paths(child)]


@dataclass(frozen=True)
class ShardFooter:
    """What a shard says of itself."""

    fingerprint: str
    rows: int
    counts: Mapping[str, int]
    ids: str | None


class DigestedFile:
    """A file being written, and the digest of what was."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.digest = hashlib.blake2b(digest_size=16)
        self.size = 0
        self.closed = False

    def write(self, data: Any) -> int:
        """Append the bytes."""
        self.digest.update(data)
        self.size += len(data)
        self._file.write(data)
        return len(data)

    def tell(self) -> int:
        """Bytes so far."""
        return self.size

    def flush(self) -> None:
        """Hand to the system what waits."""
        self._file.flush()

    def close(self) -> None:
        """Write the rest; the file below is closed by who opened it."""
        self._file.flush()
        self.closed = True

    def writable(self) -> bool:
        """It is."""
        return True

    def readable(self) -> bool:
        """It is not."""
        return False

    def seekable(self) -> bool:
        """It is not."""
        return False


@dataclass
class ShardWriter:
    """Takes tables and appends each as one row group, or rows and cuts them into row groups.

    Attributes:
        path: where the file will appear; may change until its end.
        indexed: whether the column `id` is the shared index.
        counts: figures for the footer, added up over shards in the manifest.
    """

    parquet: pq.ParquetWriter
    schema: pa.Schema
    batch_rows: int
    path: str
    indexed: bool
    counts: Counter[str] = field(default_factory=Counter)
    rows: list[Mapping[str, Any]] = field(default_factory=list)
    ids: Any = field(default_factory=lambda: hashlib.blake2b(digest_size=16))

    def write(self, table: pa.Table) -> None:
        """Append the table as one row group; its columns must be the declared ones."""
        table = table.select(self.schema.names).cast(self.schema)
        self.parquet.write_table(table, row_group_size=max(len(table), 1))
        if self.indexed and len(table):
            self.ids.update("\n".join([*table[ID.name].to_pylist(), ""]).encode())

    def append(self, row: Mapping[str, Any]) -> None:
        """Append one row; a row group is written whenever `batch_rows` are together."""
        self.rows.append(row)
        if len(self.rows) >= self.batch_rows:
            self.flush()

    def flush(self) -> None:
        """Write the rows that wait."""
        if self.rows:
            self.write(pa.Table.from_pylist(self.rows, schema=self.schema))
            self.rows.clear()
