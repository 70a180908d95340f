"""What is told of a published corpus, of `skord.cli.publish.export`."""

from argparse import Namespace

import pytest

from skord.cli.publish.export import compact_columns, published_files
from skord.core.failures import ConfigError
from skord.core.storage.column_store import ColumnStore
from skord.core.storage.filesystem import Storage

FIGURES = {
    "languages": {"sv": [1200, 9], "da": [34, 5]}, "text_bytes": 56_789, "packed_bytes": 12_345,
    "files": 1, "removed": {},
}  # fmt: skip


@pytest.mark.parametrize(("files", "word"), [(0, "0 files"), (1, "1 file"), (2, "2 files")])
def test_documents_bytes_and_files_are_told(tmp_path, files, word):
    store = ColumnStore(Storage(str(tmp_path)), "2024-10")
    store.write_manifest("ExportCorpus", {"figures": {**FIGURES, "files": files}})

    place, said = published_files(store)

    assert place == f"corpus: {tmp_path}/ExportCorpus/2024-10/files"
    assert said == (
        f"  1,234 documents (da 34, sv 1,200), 56,789 bytes of text, 12,345 packed in {word}"
    )


def test_what_was_taken_out_is_told_where_something_was(tmp_path):
    store = ColumnStore(Storage(str(tmp_path)), "2024-10")
    removed = {"domain": 1234, "url": 5}
    store.write_manifest("ExportCorpus", {"figures": {**FIGURES, "removed": removed}})
    assert list(published_files(store))[2:] == ["  taken out by request: domain 1,234, url 5"]


def test_columns_of_a_dump_that_is_not_there_are_not_written(settings, tmp_path):
    settings()
    options = Namespace(dumps="2024-10", columns=None, mb=1, folder=tmp_path / "out", kept=False)
    with pytest.raises(ConfigError, match="has no finished CCNet of dump 2024-10"):
        compact_columns(options)
    assert not (tmp_path / "out").exists()
