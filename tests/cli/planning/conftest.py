"""What a run over part of a dump leaves: a few shards, and notes of how long they took."""

import pyarrow as pa
import pytest

from skord.core.run_log import note_run, runs_path
from skord.core.storage.column_store import ColumnStore
from skord.core.storage.filesystem import Storage
from skord.core.storage.shared_columns import FAILURE
from skord.core.tasks.phases import ShardReport

BYTES = (("bytes", pa.int64()),)


def write(store, task, shard=0, rows=(), columns=BYTES, counts=None):
    with store.writer(store.path(task, shard), pa.schema([*columns, FAILURE]), "f") as writer:
        for row in rows:
            writer.append({**row, "failure": None})
        writer.counts.update(counts or {})


def note(tmp_path, task, phase, *reports, fingerprint="f", held=0):
    note_run(runs_path(tmp_path, task, "2024-10"), phase, fingerprint, 0.0, reports, held)


PLACES = (
    ("warc_file", pa.string()), ("warc_record_offset", pa.int64()),
    ("warc_record_length", pa.int32()),
)  # fmt: skip


@pytest.fixture
def store(tmp_path):
    return ColumnStore(Storage(str(tmp_path / "data")), "2024-10")


@pytest.fixture
def begun(store, tmp_path):
    """Two shards of files, and one of what follows; logs and `data/` lie in the same folder."""
    for shard in range(2):
        write(store, "DownloadWET", shard, [{"bytes": 100}, {"bytes": 50 + shard}])
        write(store, "HashParagraphs", shard, counts={"pages": 7})
    write(store, "CCIndex", 0, [{"bytes": 1000}])
    write(store, "CCNet", 0, [{"bytes": 1}] * 3)
    places = [("a", 0, 20), ("a", 25, 5), ("a", 500, 10), ("b", 0, 40), (None, None, None)]
    names = [name for name, _ in PLACES]
    rows = [dict(zip(names, place, strict=True)) for place in places]
    write(store, "WARCIndex", 0, rows, PLACES)
    note(tmp_path, "CCNet", "shard", ShardReport(0, None, 9.0, 4.0, 80.0, ready_s=1.0), held=10**9)
    note(tmp_path, "CCNet", "shard", ShardReport(1, None, 8.0, 2.0, 90.0))
    note(tmp_path, "CCNet", "merge-4", ShardReport(0, None, 1.0, 0.0, 5.0))
    note(tmp_path, "CCNet", "shard", ShardReport(0, None, 500.0, 500.0), fingerprint="other")
    return store
