"""A plan for people: `skord.cli.planning.text`."""

import pytest

from skord.cli.planning.costs import PhaseForecast
from skord.cli.planning.text import NETWORK, Plan, Whole, lines_of, shown_size, shown_time

FETCHING = sorted(NETWORK)[0]


def plan(**changes):
    phases = [
        PhaseForecast("CCNet", "hashes", 4, 100.0, 50.0, on_gpu=False, peak_mb=345.6),
        PhaseForecast("CCNet", "shard", 4, 20_000.0, 10_000.0, on_gpu=True),
        PhaseForecast(FETCHING, "shard", 2, 600.0, 300.0, on_gpu=False),
    ]
    values = {
        "dump": "2024-10", "whole": Whole(10, 2e9, 3, 5e6, 4), "pilot": "some", "cores": 2,
        "pages": 1234.5, "selected": 100, "selected_seen": 0, "requests": 7, "fetched_bytes": 3e3,
        "kept_bytes": {"CCNet": 1e6, FETCHING: 2e6}, "peak_bytes": 4e6, "phases": phases,
        "kept_files": 12_345, "peak_files": 20_000, "crawl_files": 13,
        "budget_s": 20.0, "not_told_apart": (), "unknown": (),
    }  # fmt: skip
    return Plan(**{**values, **changes})


def test_what_waits_for_the_endpoint_takes_its_rate_limit_at_least():
    assert plan().wall_s == 10_050 + 300
    assert plan(budget_s=500.0).wall_s == 10_050 + 500
    assert plan().core_s == 20_700


def test_a_guess_is_said_to_be_one():
    assert "CPU is a guess" not in "\n".join(lines_of(plan()))
    guessed = "\n".join(lines_of(plan(not_told_apart=("X", "Y"))))
    assert "CPU is a guess for X, Y: each process of the pilot made one item" in guessed


def test_what_chance_does_to_the_pages_that_are_selected_is_said():
    assert "either way" not in "\n".join(lines_of(plan()))
    assert (
        "100 pages selected in the pilot: the number of all is known to 20 % either way"
        in "\n".join(lines_of(plan(selected_seen=100)))
    )


def test_a_plan_names_files_phases_and_what_is_kept():
    text = "\n".join(lines_of(plan()))

    assert "10 WET files with 2.0 GB, 3 index files with 5.0 MB, 4 shards" in text
    assert "1,234 pages, 100 selected; 7 requests for 3.0 kB" in text
    assert text.count("CCNet") == 1
    assert "1.0 MB  on a GPU each" in text
    assert "5.6 h of a GPU" in text
    assert "345.6 MB" in text
    assert "disk 3.0 MB in the end, 4.0 MB at most" in text
    assert "files (inodes): 12,345 in the end, 13 of them the crawl's own, 20,000 at most" in text
    assert "not in this" not in text
    assert "not in this: X, of which" in "\n".join(lines_of(plan(unknown=("X",))))


def test_a_dump_without_an_index_has_files_of_some_kind():
    assert "10 files with" in "\n".join(lines_of(plan(whole=Whole(10, 2e9, 0, 0.0, 4))))


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.04, "0.0 s"), (119.9, "119.9 s"), (120, "2.0 min"), (7199, "120.0 min"), (7200, "2.0 h")],
)
def test_a_span_changes_its_unit_at_two(seconds, words):
    assert shown_time(seconds) == words


@pytest.mark.parametrize(
    ("number", "words"), [(999, "999.0 B"), (1000, "1.0 kB"), (1e12, "1.0 TB")]
)
def test_a_size_changes_its_unit_at_a_thousand(number, words):
    assert shown_size(number) == words
