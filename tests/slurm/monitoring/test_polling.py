"""How often the driver looks, by a clock that only sleeping moves."""

import time

import pytest

from skord.slurm import array_run as polling
from skord.slurm.array_run import GROWTH, Pace


class Clock:
    """Moves when somebody sleeps, and when a test says so."""

    def __init__(self) -> None:
        self.now = 1000.0

    def sleep(self, seconds: float) -> None:
        assert seconds >= 0
        self.now += seconds


@pytest.fixture
def clock(monkeypatch):
    made = Clock()
    monkeypatch.setattr(time, "monotonic", lambda: made.now)
    monkeypatch.setattr(time, "sleep", made.sleep)
    monkeypatch.setattr(polling.random, "uniform", lambda low, high: (low + high) / 2)
    return made


def waited(clock, pace) -> tuple[float, list[float]]:
    start = clock.now
    polls = [clock.now - start for _ in pace.polls()]
    return clock.now - start, polls


def test_files_are_polled_between_two_looks_at_the_queue(clock):
    whole, polls = waited(clock, Pace(3.0, 60))

    assert whole == pytest.approx(0.95 * 3.0)
    assert polls == [1.0, 2.0]


def test_looks_become_rarer_up_to_the_longest_until_something_is_submitted(clock):
    pace = Pace(10, 16)

    pauses = [waited(clock, pace)[0] for _ in range(4)]
    pace.restart()
    again = waited(clock, pace)[0]

    assert pauses == pytest.approx([9.5, 9.5 * GROWTH, 0.95 * 16, 0.95 * 16])
    assert again == pytest.approx(9.5)


def test_the_longest_pause_is_never_shorter_than_the_first():
    assert Pace(30, 5).longest_s == 30
    assert Pace(5, 30).longest_s == 30


def test_polls_become_rarer_the_longer_nothing_is_submitted(clock):
    pace = Pace(10, 10)
    clock.now += 200

    _, polls = waited(clock, pace)

    assert polls[0] == pytest.approx(4.0)
    assert len(polls) == 2


def test_a_slow_disk_is_polled_less_often(clock):
    polls = 0
    for _ in Pace(100, 100).polls():
        polls += 1
        clock.now += 2

    assert polls == 3
