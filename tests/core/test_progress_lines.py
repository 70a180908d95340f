"""What a log file hears of a phase."""

import time

from skord.core import progress
from skord.core.progress import with_progress
from skord.core.tasks.phases import ShardReport

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
    said: list[str] = []

    def at_work():
        heard(capsys, said, "CCNet shard: 0 of 3 after ")
        yield ShardReport(0)
        heard(capsys, said, "CCNet shard: 1 of 3, ")
        yield ShardReport(1, error="broken")
        heard(capsys, said, "CCNet shard: 2 of 3, 1 failed, ")
        yield ShardReport(2)

    assert len(list(with_progress(at_work(), "CCNet shard", 3, show=True))) == 3
    text = "".join(said)
    assert "\r" not in text
    assert all(line.startswith("CCNet shard: ") for line in text.splitlines())


def test_a_log_hears_nothing_of_a_quick_phase(capsys):
    reports = [ShardReport(n) for n in range(3)]

    assert list(with_progress(iter(reports), "CCNet shard", 3, show=True)) == reports
    assert capsys.readouterr().err == ""
