"""What is said of texts made again."""

import pyarrow as pa
import pytest

from skord.cli.publish import rebuild
from skord.core.failures import ConfigError
from skord.core.storage.column_store import ColumnStore
from skord.core.storage.filesystem import Storage

COUNTS = {"documents": 1200, "failure.http_404": 3, "failure.a": 1, "rows": 5}


def test_counts_are_told_in_a_sentence_and_as_figures():
    assert rebuild._sentence(COUNTS) == "1,196 texts made again, 4 not, a 1, http_404 3"
    assert rebuild._sentence({}) == "0 texts made again, 0 not"
    assert rebuild._counted(COUNTS) == {"made_again": 1196, "failures": {"a": 1, "http_404": 3}}


def test_tables_are_those_of_a_folder_or_the_one_that_is_named(tmp_path):
    with pytest.raises(ConfigError, match="there is no table of pointers"):
        rebuild._files_in(tmp_path)
    for name in ("b.parquet", "a.parquet", "c.txt"):
        (tmp_path / name).touch()
    assert [path.name for path in rebuild._files_in(tmp_path)] == ["a.parquet", "b.parquet"]
    assert rebuild._files_in(tmp_path / "a.parquet") == [tmp_path / "a.parquet"]
    with pytest.raises(ConfigError):
        rebuild._files_in(tmp_path / "x.parquet")


@pytest.mark.parametrize(("failed", "lines"), [(20, 20), (21, 21), (0, 0)])
def test_only_the_first_failures_are_listed(tmp_path, failed, lines):
    out = ColumnStore(Storage(str(tmp_path)), "")
    ids = [f"i{n}" for n in range(failed + 1)]
    table = pa.table({"id": ids, "url": ids, "failure": [*["x"] * failed, None]})
    with out.writer("t.parquet", table.schema, "f") as writer:
        writer.write(table)

    told = list(rebuild._failed(out, tmp_path / "t.parquet"))

    assert len(told) == lines
    if failed:
        assert told[0] == "x  i0  i0"
    if failed > rebuild.LISTED:
        assert told[-1].startswith("… and 1 more in ")
