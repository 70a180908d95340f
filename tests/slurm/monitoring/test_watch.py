"""When an item is lost, and when it is only not seen yet."""

import pytest

from skord.slurm.monitoring.diagnosis import Kind
from skord.slurm.monitoring.heartbeat import Heartbeat, Outcome, Reason
from skord.slurm.monitoring.watch import LOOKS, Watch
from skord.slurm.submission.attempts import Manifest, next_folder, write_attempt


@pytest.fixture
def squeue(tmp_path, monkeypatch):
    """A program in front of the real one that prints what it is told."""
    path = tmp_path / "squeue"
    path.touch(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")

    def answers(*lines: str, status: int = 0):
        path.write_text(
            "#!/bin/sh\n" + "".join(f"echo '{x}'\n" for x in lines) + f"exit {status}\n"
        )

    answers()
    return answers


@pytest.fixture
def attempt(tmp_path):
    manifest = Manifest(
        name="a.001", family="T", dump="d", params="{}", phase="shard", fingerprint="s", options=(),
        groups=((0,), (1,)), mem_gb=1, needs_min=1, time_min=1, alone=False, warn_s=1, limit=0,
    )  # fmt: skip
    return write_attempt(next_folder(tmp_path / "run"), manifest, "")


def never(number):
    return False


def watch(attempt, done, grace_s):
    made = Watch(done, never, grace_s)
    made.add(attempt, [0, 1])
    return made


def test_a_file_that_a_shared_disk_shows_late_is_waited_for(attempt, squeue):
    shown: set[int] = set()
    watched = watch(attempt, shown.__contains__, grace_s=900)

    looks = [watched.look() for _ in range(3)]
    assert [(actual.done, actual.lost) for actual in looks] == [([], [])] * 3
    shown |= {0, 1}
    actual = watched.look()

    assert [number for _, number in actual.done] == [0, 1]
    assert actual.lost == []
    assert list(watched.known().values()) == []


def test_what_is_gone_for_longer_than_that_is_lost(attempt, squeue):
    watched = watch(attempt, never, grace_s=0)

    assert watched.look().lost == []
    assert [array_task.index for array_task in watched.look().lost] == [0, 1]


def test_an_answer_that_does_not_come_says_nothing(attempt, squeue):
    squeue(status=1)
    watched = watch(attempt, never, grace_s=0)

    looks = [watched.look() for _ in range(5)]

    assert not any(actual.lost or actual.answered for actual in looks)


def test_what_slurm_requeues_is_not_lost(attempt, squeue):
    watched = watch(attempt, never, grace_s=0)
    squeue("a.001|5|0|NODE_FAIL|n1|None", "a.001|5|1|RUNNING|n2|None")
    first = watched.look()
    squeue("a.001|5|0|PENDING||BeginTime", "a.001|5|1|RUNNING|n2|None")
    looks = [first, *(watched.look() for _ in range(3))]

    assert not any(actual.lost or actual.held for actual in looks)


def test_a_file_counts_even_while_slurm_says_its_array_task_waits(attempt, squeue):
    there = set()
    watched = watch(attempt, there.__contains__, grace_s=0)
    squeue("a.001|5|0|RUNNING|n1|None", "a.001|5|1|RUNNING|n2|None")
    watched.look()
    there.add(0)
    squeue("a.001|5|0|PENDING||BeginTime", "a.001|5|1|RUNNING|n2|None")

    assert [number for _, number in watched.look().done] == [0]


def say(attempt, index, reason):
    heartbeat = Heartbeat("n1", "5", 0, 1, outcomes={index: Outcome(reason, seconds=1.5)})
    heartbeat.write(attempt.heartbeat_path(index))


def test_a_glance_finds_what_its_place_says_is_made_and_asks_no_squeue(attempt, squeue):
    squeue(status=1)
    watched = watch(attempt, {0, 1}.__contains__, grace_s=0)
    assert watched.poll().done == []

    say(attempt, 1, Reason.done)

    assert [number for _, number in watched.poll().done] == [1]
    assert [array_task.index for array_task in watched.known().values()] == [0]
    assert watched.poll().done == []


def test_a_glance_believes_no_words_without_the_file(attempt, squeue):
    there = set()
    watched = watch(attempt, there.__contains__, grace_s=0)
    say(attempt, 0, Reason.done)

    assert [watched.poll().done, watched.poll().done] == [[], []]
    there.add(0)

    assert [number for _, number in watched.poll().done] == [0]


def test_a_glance_passes_over_what_failed_whatever_file_is_there(attempt, squeue):
    watched = watch(attempt, {0}.__contains__, grace_s=0)
    say(attempt, 0, Reason.error)

    assert watched.poll().done == []


def test_a_glance_gives_nothing_up(attempt, squeue):
    watched = watch(attempt, never, grace_s=0)
    watched.look()

    polls = [watched.poll() for _ in range(3)]

    assert not any(actual.lost or actual.held for actual in polls)
    assert len(list(watched.known().values())) == 2


def test_what_waits_for_what_will_not_come_is_held_after_looks_in_a_row(attempt, squeue):
    watched = watch(attempt, never, grace_s=900)
    waiting, running = "a.001|5|0|PENDING||JobHeldUser", "a.001|5|1|RUNNING|n2|None"
    for _ in range(LOOKS - 1):
        squeue(waiting, running)
        assert watched.look().held == []
    squeue("a.001|5|0|PENDING||Priority", running)
    assert watched.look().held == []
    squeue(waiting, running)

    looks = [watched.look().held for _ in range(LOOKS)]

    assert looks[:-1] == [[]] * (LOOKS - 1)
    ((array_task, found),) = looks[-1]
    assert (array_task.index, found.kind) == (0, Kind.held)
    assert "5_0 waits in the queue for what will not come (JobHeldUser)" in found.sentence
    assert [left.index for left in watched.known().values()] == [1]
