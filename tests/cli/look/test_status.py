"""What is told of a phase that is not done, of `skord.cli.look.status`."""

from pathlib import Path

import pyarrow as pa
import pytest

from pipeline.cc_net import DownloadWET, HashParagraphs, paths_schema
from skord.cli.look.status import status_lines
from skord.core.run_log import note_run, runs_path
from skord.core.tasks.phases import ShardReport

DUMP = "2024-10"


@pytest.fixture
def begun(settings, tmp_path):
    """DownloadWET is complete, in three shards."""
    settings()
    task = DownloadWET(dump=DUMP)
    for shard in range(3):
        path = task.store.path("DownloadWET", shard)
        with task.store.writer(path, task.schema, task.fingerprint):
            pass
    task.store.write_manifest("DownloadWET", {
        "stamp": task.fingerprint, "num_shards": 3, "rows": 9, "counts": {}, "settings": {},
    })  # fmt: skip
    return tmp_path / "logs"


def test_errors_are_told_of_the_phase_in_which_they_happened(begun):
    task = HashParagraphs(dump=DUMP)
    phases = [phase.name for phase in task.phases()]
    path = runs_path(begun, "HashParagraphs", DUMP)
    path.parent.mkdir(parents=True, exist_ok=True)
    failed = ShardReport(1, "no such file", 1.0)
    note_run(path, phases[0], task.fingerprint, 0.0, [failed, ShardReport(2)])
    note_run(path, "elsewhere", task.fingerprint, 0.0, [ShardReport(0, "of another phase")])

    lines = [line for line in status_lines(DUMP, begun) if "of another" not in line]

    told = [line for line in lines if "no such file" in line]
    assert told == [f"{'':<20}{phases[0]} 1: no such file"]
    assert not any("of another phase" in line for line in status_lines(DUMP, begun))
    (line,) = [line for line in lines if line.startswith("HashParagraphs")]
    assert line.split()[:5] == ["HashParagraphs", phases[0], "0", "1", "2"]


def cut_off(task, shard):
    """Take the end of a shard away."""
    path = Path(task.store.storage.root, task.store.path(task.task_family, shard))
    path.write_bytes(path.read_bytes()[:-5])


@pytest.mark.parametrize(
    ("stamp", "told"),
    [
        ("same", "shard 00001 missing or cut off: run again"),
        ("other", "made with other settings, and shard 00001 missing or cut off: run again"),
    ],
)
def test_a_cut_shard_is_told_and_nothing_of_other_settings(begun, stamp, told):
    task = DownloadWET(dump=DUMP)
    manifest = task.store.manifest("DownloadWET")
    sizes = task.store.shard_bytes("DownloadWET")
    changed = {} if stamp == "same" else {"stamp": "other"}
    told_sizes = {"bytes": [sizes[shard] for shard in range(3)]}
    task.store.write_manifest("DownloadWET", {**manifest, **told_sizes, **changed})
    table = pa.table([[0, 1, 2], ["a", "b", "c"]], schema=paths_schema())
    path = task.store.path("DownloadWET", 0, "paths")
    task.store.write_sorted(path, table, task.fingerprint)
    cut_off(task, 1)

    lines = list(status_lines(DUMP, begun))

    (line,) = [line for line in lines if line.startswith("DownloadWET         shard")]
    assert line.split()[2:5] == ["2", "0", "1"]
    assert line.endswith(f"  {told}")


def test_a_damaged_shard_of_a_task_that_is_not_complete_is_told(begun):
    task = DownloadWET(dump=DUMP)
    task.store.delete_manifest("DownloadWET")
    table = pa.table([[0, 1, 2], ["a", "b", "c"]], schema=paths_schema())
    task.store.write_sorted(task.store.path("DownloadWET", 0, "paths"), table, task.fingerprint)
    cut_off(task, 2)

    (line,) = [line for line in status_lines(DUMP, begun) if line.startswith("DownloadWET        ")
               and " shard " in line[:30]]  # fmt: skip

    assert line.endswith("shard 00002 missing or cut off: run again")
