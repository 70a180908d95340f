"""How far a phase is, for people who read a log."""

import time

import pytest

from skord.core import progress
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


# -- a log file ----------------------------------------------------------------------

HANG_S = 120


def heard(capsys, so_far, wanted):
    """Standard error, read until it holds the words."""
    end = time.monotonic() + HANG_S
    while wanted not in "".join(so_far):
        assert time.monotonic() < end, so_far
        time.sleep(0.01)
        so_far.append(capsys.readouterr().err)


def test_a_log_hears_of_a_phase_also_while_its_first_item_is_at_work(monkeypatch, capsys):
    monkeypatch.setattr(progress, "FIRST_S", 0.01)
    monkeypatch.setattr(progress, "EVERY_S", 0.01)
    printed: list[str] = []

    def at_work():
        heard(capsys, printed, "CCNet shard: 0 of 3 after ")
        yield ShardReport(0)
        heard(capsys, printed, "CCNet shard: 1 of 3, ")
        yield ShardReport(1, error="broken")
        heard(capsys, printed, "CCNet shard: 2 of 3, 1 failed, ")
        yield ShardReport(2)

    assert len(list(with_progress(at_work(), "CCNet shard", 3, show=True))) == 3
    text = "".join(printed)
    assert "\r" not in text
    assert all(line.startswith("CCNet shard: ") for line in text.splitlines())


def test_a_log_hears_nothing_of_a_quick_phase(capsys):
    reports = [ShardReport(n) for n in range(3)]

    assert list(with_progress(iter(reports), "CCNet shard", 3, show=True)) == reports
    assert capsys.readouterr().err == ""
