"""One shard as a file: what its rows share with all others, its footer, and how it is filled."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from skord.core.storage.shared_columns import ID

SHARD = "shard"
"""The name of every task's last phase, the one that writes the shards proper."""

GROUPING = "cut"
"""The count that notes by which setting work was grouped into items; see the tasks' `grouping`."""

PARTIAL_FOLDER = "begun"
"""The folder of shards that were left off before their end."""

FOOTER = b"footer"
"""The key of a footer under which its own digest stands."""

MAGIC = b"PAR1"
"""How a Parquet file begins and ends."""

FOOTER_BYTES = 1 << 16
"""Read at once from a file's end; more where the footer is longer."""


def parquet_leaves(field: pa.Field) -> list[str]:
    """The names that Parquet has for what a column is made of; compression is set by these.

    >>> import pyarrow as pa
    >>> parquet_leaves(pa.field("lines", pa.list_(pa.struct([("a", pa.int8()), ("b", pa.int8())]))))
    ['lines.list.element.a', 'lines.list.element.b']
    """
    if pa.types.is_list(field.type):
        inner, children = ".list", [pa.field("element", field.type.value_type)]
    elif pa.types.is_struct(field.type):
        inner, children = "", list(field.type)
    else:
        return [field.name]
    return [f"{field.name}{inner}.{leaf}" for child in children for leaf in parquet_leaves(child)]


@dataclass(frozen=True)
class ShardFooter:
    """What a shard's footer holds; early ones have no checksum."""

    fingerprint: str
    rows: int
    counts: Mapping[str, int]
    ids: str | None
    has_checksum: bool = False


MARK = b"blake2b:"
"""In a footer: its own digest follows, in 32 hexadecimal digits."""

UNSIGNED = MARK.decode() + "0" * 32
"""What stands there while the digest is worked out."""

_TAIL = 8
"""Bytes after a Parquet footer: its length, and PAR1."""


def footer_digest(footer: bytes) -> tuple[bytes | None, bytes]:
    """The digest that a Parquet footer notes of itself, None in early ones, and the true one."""
    before, mark, after = footer.partition(MARK)
    if not mark:
        return None, b""
    unsigned = before + UNSIGNED.encode() + after[32:]
    return after[:32], hashlib.blake2b(unsigned, digest_size=16).hexdigest().encode()


class DigestedFile:
    """A Parquet file being written: the digest of its data, and a footer with its own."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._footer: bytearray | None = None
        self.digest = hashlib.blake2b(digest_size=16)
        self.size = 0
        self.closed = False

    def __enter__(self) -> DigestedFile:
        return self

    def __exit__(self, *_: object) -> None:
        """Sign the footer and write it."""
        if not self._footer:
            return
        length = int.from_bytes(self._footer[-_TAIL:-4], "little")
        start = len(self._footer) - _TAIL - length
        digest = footer_digest(bytes(self._footer[start:-_TAIL]))[1]
        at = self._footer.index(MARK, start) + len(MARK)
        self._footer[at : at + 32] = digest
        self._file.write(self._footer)

    def begin_footer(self) -> None:
        """What is written from here on is no data."""
        self._footer = bytearray()

    def write(self, data: Any) -> int:
        """Append the bytes."""
        self.size += len(data)
        if self._footer is None:
            self.digest.update(data)
            self._file.write(data)
        else:
            self._footer += data
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
    waiting: list[pa.Table] = field(default_factory=list)
    ids: Any = field(default_factory=lambda: hashlib.blake2b(digest_size=16))

    def write(self, table: pa.Table) -> None:
        """Append the table as one row group; its columns must be the declared ones."""
        table = table.select(self.schema.names)
        filled = (f.nullable or not table[f.name].null_count for f in self.schema)
        if not (table.schema.equals(self.schema) and all(filled)):
            table = table.cast(self.schema)  # which imports pyarrow.compute, in 30 ms
        self.parquet.write_table(table, row_group_size=max(len(table), 1))
        if self.indexed and len(table):
            self.ids.update("\n".join([*table[ID.name].to_pylist(), ""]).encode())

    def append(self, row: Mapping[str, Any]) -> None:
        """Append one row; a row group is written whenever `batch_rows` are together."""
        self.rows.append(row)
        if len(self.rows) >= self.batch_rows:
            self.flush()

    def extend(self, table: pa.Table) -> None:
        """Append a table's rows; a row group is written whenever `batch_rows` are together."""
        waiting = self.waiting
        if len(table) + sum(map(len, waiting)) < self.batch_rows:
            waiting.append(table)
            return
        table = pa.concat_tables([*waiting, table])
        whole = len(table) // self.batch_rows * self.batch_rows
        for start in range(0, whole, self.batch_rows):
            self.write(table.slice(start, self.batch_rows).combine_chunks())
        self.waiting = [table.slice(whole)]

    def flush(self) -> None:
        """Write the rows that wait."""
        if self.rows:
            self.write(pa.Table.from_pylist(self.rows, schema=self.schema))
            self.rows.clear()
        if any(map(len, self.waiting)):
            self.write(pa.concat_tables(self.waiting).combine_chunks())
            self.waiting.clear()


def whole_metadata(source: Any) -> pq.FileMetaData:
    """The footer of an open Parquet file, compared with the digest that it notes of itself.

    Raises:
        ArrowInvalid: it is no Parquet, or damaged.
    """
    size = source.size()
    tail = source.read_at(min(size, FOOTER_BYTES), max(size - FOOTER_BYTES, 0))
    length = int.from_bytes(tail[-8:-4], "little") + 8
    if tail[-4:] != MAGIC or length > size:
        raise pa.ArrowInvalid("it does not end as Parquet does")
    if length > len(tail):
        tail = source.read_at(length, size - length)
    footer = tail[-length:]
    noted, digest = footer_digest(footer[:-8])
    if noted not in (None, digest):
        raise pa.ArrowInvalid("its footer is not as it was written")
    metadata = pq.read_metadata(pa.BufferReader(MAGIC + footer))
    if noted is None and FOOTER in (metadata.metadata or {}):
        raise pa.ArrowInvalid("its footer's digest is not as it was written")
    return metadata


def rows_within(table: pa.Table, low: int, high: int) -> pa.Table:
    """A copy of a table's rows whose first column lies in [low, high).

    >>> import pyarrow as pa
    >>> rows_within(pa.table({"key": [1, 4, 4, 9]}), 2, 9)["key"].to_pylist()
    [4, 4]
    """
    # By numpy: pyarrow.compute, which Arrow's own filter imports, takes 30 ms to import.

    key = table.column(0).to_numpy()
    of = key.dtype.type
    inside = np.flatnonzero((key >= of(low)) & (key <= of(high - 1)))
    if len(inside) and inside[-1] - inside[0] >= len(inside):  # not sorted
        return table.take(inside)
    rows = table.slice(inside[0] if len(inside) else 0, len(inside))
    if len(rows) == len(table):
        return rows
    # A slice would keep all of its row group in memory, and ranges of a hundred files are held.
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, rows.schema) as stream:
        stream.write_table(rows)
    return pa.ipc.open_stream(sink.getvalue()).read_all()
