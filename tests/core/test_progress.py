"""How far a phase is, for people who read a log."""

import pytest

from skord.core.progress import in_words, progress_line, with_progress
from skord.core.tasks.phases import ShardReport


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.4, "0 s"),
        (59.4, "59 s"),
        (60, "1 min"),
        (61, "1 min 1 s"),
        (3600, "1 h"),
        (3659, "1 h"),
        (3660, "1 h 1 min"),
        (86400, "1 d"),
        (86400 + 3600, "1 d 1 h"),
    ],
)
def test_a_span_of_time_has_two_units_at_most(seconds, words):
    assert in_words(seconds) == words


def test_a_line_tells_rate_and_rest():
    assert progress_line("A", 10, 20, 0, 20.0) == "A: 10 of 20, 0.5/s, 20 s left"
    assert progress_line("A", 10, 20, 2, 0.0).startswith("A: 10 of 20, 2 failed, 1e+04/s")


@pytest.mark.parametrize("show", [True, False])
def test_reports_pass_unchanged(show, capsys):
    reports = [ShardReport(number) for number in range(3)]

    assert list(with_progress(iter(reports), "A", 3, show=show)) == reports
    assert capsys.readouterr().err == ""
