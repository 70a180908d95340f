"""Rows of Parquet, JSON Lines and CSV with their places, and a row read again at its place.

A place in JSON Lines is the bytes of a line in the unpacked file; in Parquet and CSV the number of
a row, and 1. The first row of CSV names the columns; what cuts them (a comma, a semicolon or a tab)
is what it holds most of.
"""

from __future__ import annotations

import codecs
import csv
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, islice
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from skord.core.failures import ConfigError
from skord.sources.files import DAMAGE, unpacked_file

Row = Mapping[str, Any]
Place = tuple[int, int]


MAX_LINE_BYTES = 32 << 20
"""The longest line of JSON Lines that is read; a page may have 3,000,000 characters."""

_STEP_BYTES = 1 << 20


class LineError(ValueError):
    """A line of JSON Lines is no JSON object, or too long."""


def is_parquet(name: str) -> bool:
    """Whether a file of rows is Parquet, by its name."""
    return name.lower().endswith(".parquet")


def is_csv(name: str) -> bool:
    """Whether a file of rows is CSV, by its name."""
    return bool(_CSV_NAME.search(name))


def column_names(file: BinaryIO, name: str) -> list[str]:
    """The columns of a file of rows; of JSON Lines, those of the first line, if it can be held.

    Raises:
        ConfigError: it is no such file.
    """
    try:
        if is_parquet(name):
            return list(pq.ParquetFile(file).schema_arrow.names)
        if is_csv(name):
            return list(_csv_reader(file).fieldnames or ())
        first = unpacked_file(file).readline(MAX_LINE_BYTES)
        is_read = first.endswith(b"\n") or len(first) < MAX_LINE_BYTES
        return list(_json_object(first)) if first.strip() and is_read else []
    except (pa.ArrowInvalid, LineError, UnicodeError, csv.Error, *DAMAGE) as error:
        kind = "Parquet" if is_parquet(name) else "CSV" if is_csv(name) else "JSON Lines"
        first_words = str(error).split("\n", 1)[0].rstrip(".")
        raise ConfigError(f"{name} is no {kind} ({first_words}): look at [source] path") from error


def check_columns(file: BinaryIO, name: str, needed: Sequence[str]) -> None:
    """Raise ConfigError unless the file can be read and has the columns.

    Of JSON Lines the first line is looked at.
    """
    known = column_names(file, name) or list(needed)
    for column in needed:
        if column not in known:
            raise ConfigError(
                f"{name} has no column {column!r} but {', '.join(known)}: say which it is in "
                "[source] url_column, html_column or text_column"
            )


def rows_of(
    file: BinaryIO, name: str, columns: Sequence[str], max_line_bytes: int = MAX_LINE_BYTES
) -> Iterator[tuple[Place, Row | LineError]]:
    """Every row in order, those columns of it that there are.

    Args:
        name: of the file, which decides how it is read.
        max_line_bytes: a longer line of JSON Lines is no row, and is not held in memory.
    """
    if is_csv(name):
        yield from (((number, 1), row) for number, row in enumerate(_csv_rows(file)))
        return
    if is_parquet(name):
        parquet = pq.ParquetFile(file)
        held = [column for column in columns if column in parquet.schema_arrow.names]
        batches = parquet.iter_batches(256, columns=held)
        rows = (row for batch in batches for row in batch.to_pylist())
        yield from (((number, 1), row) for number, row in enumerate(rows))
        return
    for place, line in _lines_of(unpacked_file(file), max_line_bytes):
        try:
            row: Row | LineError = _json_object(line)
        except LineError as error:
            row = error
        yield place, row


def _lines_of(file: BinaryIO, max_line_bytes: int) -> Iterator[tuple[Place, bytes]]:
    """Lines that are not blank; of one that is too long its beginning, which is no JSON."""
    offset = 0
    while line := file.readline(max_line_bytes):
        length = len(line)
        rest = line
        while not rest.endswith(b"\n") and (rest := file.readline(_STEP_BYTES)):
            length += len(rest)
        if length > len(line):
            line = line[:60]
        if line.strip():
            yield (offset, length), line
        offset += length


_CSV_NAME = re.compile(r"\.(csv|tsv)(\.gz|\.zst)?$", re.IGNORECASE)
_STRAY_BYTE = re.compile("[\udc80-\udcff]")


def _csv_reader(file: BinaryIO) -> csv.DictReader[str]:
    csv.field_size_limit(MAX_LINE_BYTES)
    unpacked = unpacked_file(file)
    first = unpacked.readline(MAX_LINE_BYTES).removeprefix(codecs.BOM_UTF8)
    lines = chain([first], iter(partial(unpacked.readline, MAX_LINE_BYTES), b""))
    delimiter = max(",;\t", key=lambda one: first.count(one.encode()))
    decoded = (line.decode("utf-8", "surrogateescape") for line in lines)
    return csv.DictReader(decoded, delimiter=delimiter)


def _csv_rows(file: BinaryIO) -> Iterator[Row | LineError]:
    reader = _csv_reader(file)
    while True:
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield LineError(f"a row cannot be read ({error})")
            continue
        values = [value for value in row.values() if isinstance(value, str)]
        yield _not_utf8() if any(map(_STRAY_BYTE.search, values)) else row


def _not_utf8() -> LineError:
    error = LineError("a row is not UTF-8")
    error.__cause__ = UnicodeError()
    return error


def _json_object(line: bytes) -> Row:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise LineError(f"a line is no JSON: {line[:60]!r}") from error
    if not isinstance(row, dict):
        raise LineError(f"a line is no JSON object: {line[:60]!r}")
    return row


class RowReader:
    """Reads rows again at their places, best in their order."""

    def __init__(self, file: BinaryIO, name: str, columns: Sequence[str]) -> None:
        self._parquet = pq.ParquetFile(file) if is_parquet(name) else None
        self._csv = enumerate(_csv_rows(file)) if is_csv(name) else None
        self._file = file
        self._lines = unpacked_file(file) if not (self._parquet or self._csv) else None
        self._next = 0
        self._columns = columns
        self._group: tuple[int, int, pa.Table] | None = None

    def at(self, offset: int, length: int = -1) -> Row:
        """The row at a place; of a line of JSON no length need be known.

        Raises:
            LineError, IndexError: nothing of the kind is there any more.
        """
        if self._lines is not None:
            self._lines.seek(offset)
            lines = self._lines
            return _json_object(lines.read(length) if length >= 0 else lines.readline())
        if self._csv is not None:
            return self._csv_row(offset)
        first, table = self._group_of(offset)
        rows: list[Row] = table.slice(offset - first, 1).to_pylist()
        return rows[0]

    def _csv_row(self, number: int) -> Row:
        if number < self._next:
            self._file.seek(0)
            self._csv, self._next = enumerate(_csv_rows(self._file)), 0
        assert self._csv is not None
        _, row = next(islice(self._csv, number - self._next, None))
        self._next = number + 1
        if isinstance(row, LineError):
            raise row
        return row

    def _group_of(self, row: int) -> tuple[int, pa.Table]:
        if self._group and self._group[0] <= row < self._group[1]:
            return self._group[0], self._group[2]
        assert self._parquet is not None
        metadata, first = self._parquet.metadata, 0
        held = [name for name in self._columns if name in self._parquet.schema_arrow.names]
        for group in range(metadata.num_row_groups):
            end = first + metadata.row_group(group).num_rows
            if row < end:
                self._group = (first, end, self._parquet.read_row_group(group, columns=held))
                return first, self._group[2]
            first = end
        raise IndexError(f"no row {row}")
