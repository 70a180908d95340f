"""What is told of a run: the history of its phases."""

import json
from itertools import pairwise

import pytest

from skord.core.run_log import note_run, noted_runs, runs_path, traceback_path
from skord.core.tasks.languages_parameter import LanguagesParameter
from skord.core.tasks.phases import ShardReport, fixed_size_groups, share_of
from tests.conftest import ROOT


def test_a_run_of_a_phase_is_noted_and_read_again(tmp_path):
    path = runs_path(tmp_path, "CCNet", "2024-10")
    reports = [
        ShardReport(0, None, 9.00012, 4.00012, 100.06, ready_s=1.00012),
        ShardReport(1, "it broke", 2.0, 1.00044, 50.0),
        ShardReport(2, None, 4.0, 2.0, 70.0),
        ShardReport(3, None, 5.0, 3.0, 70.0),
    ]

    note_run(path, "shard", "f" * 12, 1_700_000_000.0625, reports, held_bytes=9)
    note_run(path, "shard", "f" * 12, 1_700_000_000.0, [])
    path.write_text(path.read_text() + '{"phase": "cut')
    first, second = noted_runs(path)

    assert (first.items, first.work_seconds, first.peak_rss_mb) == (4, 20.0, 100.1)
    assert (first.cpu_seconds, first.first_cpu_s, first.first_items) == (10.001, 4.0, [0])
    assert (first.started, first.seconds) == (1_700_000_000.062, round(first.seconds, 3))
    assert (first.ready_cpu_seconds, first.processes) == (1.0, 1)
    assert (first.errors, first.held_bytes) == ({"1": "it broke"}, 9)
    assert (second.items, second.first_cpu_s, second.peak_rss_mb) == (0, 0.0, 0.0)
    assert first.ended >= "2023-11-14"
    assert not list(noted_runs(tmp_path / "nowhere"))


def test_a_driver_that_makes_all_itself_began_with_the_first(tmp_path):
    path = runs_path(tmp_path, "CCNet", "2024-10")
    reports = [ShardReport(7, None, 9.0, 4.0, 1.0), ShardReport(8, None, 2.0, 1.0, 1.0)]

    note_run(path, "shard", "f" * 12, 1_700_000_000.0, reports)
    (run,) = noted_runs(path)

    assert (run.processes, run.first_cpu_s, run.first_items) == (1, 4.0, [7])


def test_a_line_that_is_cut_or_has_other_fields_is_passed_over(tmp_path):
    path = tmp_path / "runs.jsonl"
    line = {"phase": "shard", "fingerprint": "abc", "started": 0, "seconds": 1, "work_seconds": 1,
            "items": 2, "peak_rss_mb": 3}  # fmt: skip
    whole = json.dumps(line)
    other = json.dumps({**line, "typical_s": 4})
    path.write_text(f"{other}\n{whole}\n{whole[:40]}\n")

    (run,) = noted_runs(path)

    assert run.fingerprint == "abc"
    assert run.ended == "1970-01-01 00:00:01+00:00"


def test_where_logs_lie(tmp_path):
    assert runs_path(tmp_path, "A", "d") == tmp_path / "A" / "d" / "runs.jsonl"
    assert traceback_path(tmp_path, "A", "d", "shard", 7).name == "shard-00007.log"


def test_languages_that_are_no_list_are_refused_with_the_two_ways_to_write_them():
    with pytest.raises(ValueError, match=r"write lv,sv or"):
        LanguagesParameter().parse('["sv"')
    assert LanguagesParameter().parse(" sv, ,da ") == ("sv", "da")


def test_the_checkout_is_the_folder_of_the_project():
    assert (ROOT / "pyproject.toml").is_file()


@pytest.mark.parametrize("parts", [1, 3, 7, 2048])
def test_parts_cover_everything_once(parts):
    ranges = [share_of(part, parts, 2048) for part in range(parts)]

    assert ranges[0][0] == 0
    assert ranges[-1][1] == 2048
    assert all(a[1] == b[0] for a, b in pairwise(ranges))
    assert [list(group) for group in fixed_size_groups(3, 2)] == [[0, 1], [2]]
