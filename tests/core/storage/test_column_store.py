import random
from dataclasses import replace
from itertools import islice

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from skord.core.failures import ConfigError, DamagedError, ShardError
from skord.core.storage.column_store import ColumnStore
from skord.core.storage.filesystem import Storage
from skord.core.storage.shared_columns import ID

SCHEMA = pa.schema([ID, ("value", pa.int64())])


@pytest.fixture
def store(tmp_path):
    return ColumnStore(Storage(str(tmp_path)), "2024-10", batch_rows=2)


def write(store, task, ids, values, fingerprint="s"):
    with store.writer(store.path(task, 0), SCHEMA, fingerprint) as writer:
        for id_, value in zip(ids, values, strict=True):
            writer.append({"id": id_, "value": value})


def test_columns_of_several_tasks_come_side_by_side_in_row_groups(store):
    write(store, "A", ["x", "y", "z"], [1, 2, 3])
    write(store, "B", ["x", "y", "z"], [4, 5, 6])

    batches = [b.to_pydict() for _, b in store.side_by_side(0, {"A": ["value"], "B": ["value"]})]

    assert batches == [
        {"id": ["x", "y"], "A.value": [1, 2], "B.value": [4, 5]},
        {"id": ["z"], "A.value": [3], "B.value": [6]},
    ]


def test_a_row_without_an_id_is_refused(store):
    with pytest.raises(ValueError, match="'id' with null values"):
        write(store, "A", [None, "y"], [1, 2])


@pytest.mark.parametrize("foreign", [["x", "z", "y"], ["x", "y"], ["xy", "", "z"]])
def test_a_shard_with_another_index_is_refused(store, foreign):
    write(store, "A", ["x", "y", "z"], [1, 2, 3])
    write(store, "B", foreign, range(len(foreign)))

    with pytest.raises(ShardError, match="do not share one index"):
        list(store.side_by_side(0, {"A": ["value"], "B": ["value"]}))


def test_a_missing_shard_is_named(store):
    write(store, "A", ["x"], [1])

    with pytest.raises(ShardError, match=r"B/2024-10/00000\.parquet is missing: run B first"):
        list(store.side_by_side(0, {"A": ["value"], "B": ["value"]}))


def test_a_shard_counts_only_with_the_right_stamp(store):
    write(store, "A", ["x"], [1], fingerprint="one")

    assert store.has(store.path("A", 0), "one")
    assert not store.has(store.path("A", 0), "two")
    assert not store.has(store.path("A", 1), "one")


def test_a_foreign_parquet_file_is_not_taken_for_a_shard(store, tmp_path):
    path = tmp_path / "A/2024-10/00000.parquet"
    path.parent.mkdir(parents=True)
    pq.write_table(pa.table({"a": [1]}), path)

    with pytest.raises(ConfigError, match="not written by this pipeline: move it away"):
        store.has(store.path("A", 0), "s")


def test_an_unreadable_parquet_file_is_not_taken_for_a_shard(store, tmp_path):
    write(store, "A", ["x"], [1])
    path = tmp_path / "A/2024-10/00000.parquet"
    path.write_bytes(path.read_bytes()[:-10])

    with pytest.raises(
        DamagedError, match=r"skord study verify --dump 2024-10 --repair makes it again"
    ):
        store.has(store.path("A", 0), "s")
    assert path.exists()


def test_a_task_at_work_sets_an_unreadable_shard_aside(store, tmp_path):
    write(store, "A", ["x"], [1])
    path = tmp_path / "A/2024-10/00000.parquet"
    path.write_bytes(path.read_bytes()[:-10])
    at_work = replace(store, sets_aside=True)

    with pytest.raises(DamagedError, match="give the command again, and it is made again"):
        at_work.has(store.path("A", 0), "s")
    assert not path.exists()
    assert path.with_name("00000.parquet.damaged").exists()


def test_a_slice_of_a_sorted_file_is_what_a_filter_of_the_whole_gives(store, monkeypatch):
    monkeypatch.setattr("skord.core.storage.column_store.ROW_GROUP_ROWS", 3)
    keys = [0, 0, 1, 1, 1, 1, 5, 9, 9, 2**64 - 1]
    table = pa.table({"key": pa.array(keys, pa.uint64())})
    path = store.path("A", 0, "keys")
    store.write_sorted(path, table, "s")

    for low, high in [(0, 1), (1, 2), (2, 5), (5, 10), (9, 2**64), (0, 2**64)]:
        actual = store.read_slice(path, low, high)["key"].to_pylist()
        assert actual == [key for key in keys if low <= key < high]


@pytest.mark.parametrize("sizes", [[1, 1, 1, 1, 1], [5], [0, 2, 3], [3, 2], []])
def test_tables_are_cut_into_row_groups_as_rows_are(store, sizes):
    schema = pa.schema([("id", pa.string())])
    names = [str(number) for number in range(sum(sizes))]
    with store.writer("rows.parquet", schema, "") as writer:
        for name in names:
            writer.append({"id": name})
    rest = iter(names)
    with store.writer("tables.parquet", schema, "") as writer:
        for size in sizes:
            column = pa.array(list(islice(rest, size)), pa.string())
            writer.extend(pa.table([column], schema=schema))

    rows, tables = store.storage.read("rows.parquet"), store.storage.read("tables.parquet")
    assert tables == rows


def test_a_slice_of_a_file_whose_row_groups_alone_are_sorted_is_that_of_each(store):
    schema = pa.schema([("key", pa.int32()), ("name", pa.string())])
    path = store.path("A", 0, "keys")
    with store.writer(path, schema, "s", indexed=False) as writer:
        for names in ("0a 1b 4c", "1d 1e 3f", "0g"):
            rows = [{"key": int(one[0]), "name": one} for one in names.split()]
            writer.write(pa.Table.from_pylist(rows, schema))

    assert store.read_slice(path, 1, 2)["name"].to_pylist() == ["1b", "1d", "1e"]
    assert store.read_slice(path, 0, 1)["name"].to_pylist() == ["0a", "0g"]
    assert store.read_slice(path, 2, 3).num_rows == 0


def test_keys_that_differ_are_written_as_differences(store):
    chance = random.Random(3)
    keys = sorted(chance.randrange(2**64) for _ in range(50_000))
    table = pa.table({"key": pa.array(keys, pa.uint64()), "name": ["a"] * len(keys)})
    path = store.path("A", 0, "keys")

    store.write_sorted(path, table, "s")

    assert store.read_table(path).equals(table)
    with store.open_parquet(path) as file:
        columns = [file.metadata.row_group(0).column(number) for number in (0, 1)]
    assert "DELTA_BINARY_PACKED" in columns[0].encodings
    assert not columns[0].has_dictionary_page
    assert columns[1].has_dictionary_page
    assert columns[0].total_compressed_size < 0.85 * 8 * len(keys)


def test_a_slice_of_a_file_in_no_order_loses_no_row(store):
    path = store.path("A", 0, "places")
    table = pa.table({"shard": [1, 0, 1, 2, 0], "name": list("abcde")})
    with store.writer(path, table.schema, "s", indexed=False) as writer:
        writer.write(table)

    assert store.read_slice(path, 0, 1)["name"].to_pylist() == ["b", "e"]
    assert store.read_slice(path, 1, 3)["name"].to_pylist() == ["a", "c", "d"]


def test_a_slice_of_an_empty_file_is_empty(store):
    path = store.path("A", 0, "keys")
    store.write_sorted(path, pa.table({"key": pa.array([], pa.uint64())}), "s")

    assert store.read_slice(path, 0, 10).num_rows == 0


def test_an_empty_shard_is_a_shard(store):
    write(store, "A", [], [])
    write(store, "B", [], [])

    assert store.footer(store.path("A", 0)).rows == 0
    assert list(store.side_by_side(0, {"A": ["value"], "B": ["value"]})) == []


def test_the_same_rows_give_the_same_bytes(store, tmp_path):
    write(store, "A", ["x", "y", "z"], [1, 2, 3])
    first = (tmp_path / store.path("A", 0)).read_bytes()
    write(store, "A", ["x", "y", "z"], [1, 2, 3])

    assert (tmp_path / store.path("A", 0)).read_bytes() == first


def test_every_part_of_every_column_is_compressed_but_those_that_are_already(store):
    schema = pa.schema(
        [
            ID,
            ("packed", pa.binary()),
            ("lines", pa.list_(pa.int32())),
            ("scores", pa.list_(pa.struct([("label", pa.string()), ("score", pa.float32())]))),
        ]
    )
    path = store.path("A", 0)
    with store.writer(path, schema, "s", incompressible=("packed",)) as writer:
        writer.append({"id": "x", "packed": b"x", "lines": [1], "scores": [("sv", 1.0)]})

    with store.open_parquet(path) as file:
        group = file.metadata.row_group(0)
        actual = [group.column(n) for n in range(group.num_columns)]

    assert {column.path_in_schema: column.compression for column in actual} == {
        "id": "ZSTD",
        "packed": "UNCOMPRESSED",
        "lines.list.element": "ZSTD",
        "scores.list.element.label": "ZSTD",
        "scores.list.element.score": "ZSTD",
    }
