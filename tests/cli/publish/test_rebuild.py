"""What is said of texts made again.

Of `skord.cli.publish.rebuild` and `skord.extras.ccnet_files.command`.
"""

import pyarrow as pa
import pytest

from skord.extras.ccnet_files.reconstruct import CrawledWET, StoredWET
from skord.cli import reconstruct
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


def test_small_forms_are_found_and_two_of_one_name_are_not_taken_together(tmp_path):
    names = ("_x.parquet", "b.json.gz", "c.parquet", "c.txt")
    for name in names:
        (tmp_path / name).touch()
    names_of_files = [path.name for path in reconstruct.minified_files([tmp_path])]
    assert names_of_files == ["b.json.gz", "c.parquet"]
    (tmp_path / "c.json").touch()
    with pytest.raises(ConfigError, match="several files named c"):
        reconstruct.minified_files([tmp_path])
    (tmp_path / "empty").mkdir()
    with pytest.raises(ConfigError, match=r"there is no \.parquet or"):
        reconstruct.minified_files([tmp_path / "empty"])


def test_wet_files_come_from_a_folder_a_bucket_or_a_crawl(tmp_path, settings):
    settings("[crawl]\ncontact = a@example.org\n")
    assert isinstance(reconstruct.wet_source(str(tmp_path)), StoredWET)
    assert isinstance(reconstruct.wet_source("http://127.0.0.1:9/"), CrawledWET)
    with pytest.raises(ConfigError, match="there is no such folder"):
        reconstruct.wet_source(str(tmp_path / "x"))


def test_documents_rebuilt_and_records_that_cannot_be_read_are_told():
    counts = {"documents": 10, "failure.x": 2, "bad_record.y": 3, "bad_record.z": 1}
    assert reconstruct._sentence(counts) == (
        "8 documents rebuilt, 2 not; x 2; 4 WET records cannot be read"
    )
    assert reconstruct._sentence({"documents": 1}) == "1 documents rebuilt, 0 not"
