"""What is told of a phase that is not done, of `skord.cli.look.status`."""

import pytest

from pipeline.cc_net import DownloadWET, HashParagraphs
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
