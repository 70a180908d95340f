"""Shard files: a footer that is signed, rows that are counted, paths of nested columns."""

import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from skord.core.storage.shard_files import DigestedFile, footer_digest, parquet_leaves


@pytest.mark.parametrize(
    ("kind", "paths"),
    [
        (pa.int32(), ["a"]),
        (pa.list_(pa.string()), ["a.list.element"]),
        (pa.struct([("x", pa.int32()), ("y", pa.list_(pa.int8()))]), ["a.x", "a.y.list.element"]),
        (pa.list_(pa.struct([("x", pa.int32())])), ["a.list.element.x"]),
    ],
)
def test_columns_are_named_as_parquet_names_them(kind, paths):
    field = pa.field("a", kind)
    file = io.BytesIO()
    pq.write_table(pa.schema([field]).empty_table(), file)

    schema = pq.ParquetFile(file).schema

    assert parquet_leaves(field) == paths
    assert [schema.column(n).path for n in range(len(schema.names))] == paths


def test_a_footer_without_a_signature_has_none():
    assert footer_digest(b"PAR1") == (None, b"")


def test_data_passes_through_and_the_place_is_counted():
    out = io.BytesIO()

    with DigestedFile(out) as file:
        assert file.write(b"abc") == 3
        assert file.tell() == 3
        assert (file.writable(), file.readable(), file.seekable()) == (True, False, False)
        file.flush()

    assert out.getvalue() == b"abc"
