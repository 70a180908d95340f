"""What the runs of one item left behind, of `skord.cli.look.logs`."""

import pytest

from skord.cli.look.logs import log_entries, log_lines, pilots_of
from skord.core.failures import ConfigError
from skord.core.run_log import note_run, runs_path, traceback_path
from skord.core.tasks.phases import ShardReport
from skord.slurm.monitoring.heartbeat import Heartbeat
from skord.slurm.submission.attempts import Manifest, next_folder, phase_folder, write_attempt


@pytest.fixture
def attempt(tmp_path):
    """Makes an attempt at items 3 and 4, and 7, of CCNet."""

    def made(pilots=0):
        manifest = Manifest(
            "c.1", "CCNet", "2024-10", "{}", "shard", "f", (), ((3, 4), (7,)), 2.0, 60, 60,
            alone=False, warn_s=120, limit=0, pilots=pilots,
        )  # fmt: skip
        folder = next_folder(phase_folder(tmp_path, "CCNet", "2024-10", "shard", "f"))
        return write_attempt(folder, manifest, "")

    return made


def lines(tmp_path, number):
    return list(log_lines(tmp_path, "CCNet", "2024-10", number))


def test_failed_runs_and_the_last_traceback_are_told(tmp_path):
    path = runs_path(tmp_path, "CCNet", "2024-10")
    note_run(path, "shard", "f", 0.0, [ShardReport(3, "it broke"), ShardReport(4)])
    note_run(path, "other", "f", 0.0, [ShardReport(3, "elsewhere")])
    traceback_path(tmp_path, "CCNet", "2024-10", "shard", 3).write_text("Trace\nback\n")

    three, four = lines(tmp_path, 3), lines(tmp_path, 4)

    assert three[0].endswith("it broke")
    assert three[1].startswith("last traceback, ")
    assert three[2:] == ["Trace", "back"]
    assert four == [f"nothing was noted of CCNet 2024-10 shard 4 in {tmp_path}"]


def test_an_array_tasks_log_and_heartbeat_are_told(tmp_path, attempt):
    made = attempt()
    made.note_job("88")
    made.log(1).write_text("made 7\n")
    Heartbeat("n2", "88", 0, 1, seconds=12.4, peak_mb=99.6).write(made.heartbeat_path(1))

    (entry,) = log_entries(tmp_path, "CCNet", "2024-10", 7)

    assert (entry["index"], entry["text"]) == (1, "made 7\n")
    assert lines(tmp_path, 7) == [
        f"job 88_1, 2 GB, 60 min, {made.log(1)}:",
        "  heartbeat: running on n2 after 12 s, 100 MB at most",
        "  made 7",
    ]
    assert "(not submitted)" not in lines(tmp_path, 4)[0]
    assert len(lines(tmp_path, 4)) == 1


def test_of_a_pilots_log_only_the_items_lines_are_told(tmp_path, attempt):
    made = attempt(pilots=2)
    made.log(0).write_text(
        "x event=begin item=3\nfor three\ny event=start item=4\nfor four\nz event=finish item=4\n"
    )
    made.log(1).write_text("x event=begin item=34\nother\n")

    assert [pilots_of(made, number) for number in (3, 4, 34, 9)] == [[0], [0], [1], []]
    (entry,) = log_entries(tmp_path, "CCNet", "2024-10", 3)
    assert entry["text"] == "x event=begin item=3\nfor three"
    assert lines(tmp_path, 4)[-1] == "  z event=finish item=4"


def test_a_task_that_is_none_is_told(tmp_path):
    with pytest.raises(ConfigError, match="no task 'CCNett'; did you mean CCNet"):
        list(log_entries(tmp_path, "CCNett", "2024-10", 3))
