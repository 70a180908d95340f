"""Which items pilots have made, and which lost theirs: of `skord.slurm.pilot_jobs.watch`."""

import pytest

from skord.slurm.monitoring.heartbeat import Heartbeat, Outcome, Reason
from skord.slurm.monitoring.watch import LOOKS
from skord.slurm.pilot_jobs.item_queue import ItemQueue
from skord.slurm.pilot_jobs.journal import Journal
from skord.slurm.pilot_jobs.watch import PilotWatch
from skord.slurm.submission.attempts import Manifest, next_folder, write_attempt

ITEMS = (0, 1, 2, 3, 4, 5)


@pytest.fixture
def attempt(tmp_path):
    """Two pilots that share six items in three buckets."""
    manifest = Manifest(
        "a.1", "T", "d", "{}", "shard", "f", (), ((0, 1), (2, 3), (4, 5)), 1.0, 1, 1,
        alone=False, warn_s=1, limit=0, pilots=2,
    )  # fmt: skip
    folder = next_folder(tmp_path / "run")
    ItemQueue(folder, 3).fill(manifest.groups, 2)
    made = write_attempt(folder, manifest, "")
    made.note_job("7")
    return made


@pytest.fixture
def queue(attempt):
    return ItemQueue(attempt.folder, 3)


@pytest.fixture
def watched(attempt, there):
    watch = PilotWatch(there.__contains__, there.__contains__, grace_s=0)
    assert watch.add(attempt, ITEMS) == list(ITEMS)
    return watch


def rows(*states):
    return [f"a.1|7|{n}|{state}|n{n}|None" for n, state in enumerate(states) if state]


def journal(attempt, pilot, restarts=0):
    return Journal(attempt.folder, pilot, Heartbeat(f"n{pilot}", "7", restarts, 40 + pilot))


def looks(watch, times=LOOKS):
    """What several looks say, all together."""
    seen = watch.look()
    for _ in range(times - 1):
        seen += watch.look()
    return seen


def take(queue, pilot, many):
    taken = queue.taken(pilot, 2)
    return [next(taken) for _ in range(many)]


def test_what_a_pilot_says_is_made_counts_once_its_file_is_there(attempt, watched, there, programs):
    programs.say("squeue", *rows("RUNNING", "RUNNING"))
    words = journal(attempt, 0)
    words.start(0)
    words.finish(0, Outcome(Reason.done, 2.0))

    assert watched.poll().done == []
    there.add(0)
    (pair,) = watched.poll().done

    assert pair[1] == 0
    assert pair[0].heartbeat().outcomes[0].seconds == 2.0
    assert watched.poll().done == []
    assert watched.at_once() == 2
    assert programs.asked("squeue") == []


def test_what_fails_is_told_at_once_and_its_pilot_goes_on(attempt, watched, programs):
    programs.say("squeue", *rows("RUNNING", "RUNNING"))
    words = journal(attempt, 1)
    words.start(3)
    words.finish(3, Outcome(Reason.error, error="no"))

    (share,) = watched.look().failed

    assert (share.left, share.group, share.index) == ([3], (3,), 1)
    assert share.heartbeat().host == "n1"
    assert watched.poll().failed == []


def test_when_all_is_made_waiting_pilots_are_idle_and_the_queue_goes(
    attempt, watched, there, programs, queue
):
    programs.say("squeue", *rows("RUNNING", "PENDING"))
    words = journal(attempt, 0)
    for number in ITEMS:
        words.finish(number, Outcome(Reason.done))
    there.update(ITEMS)

    seen = watched.look()

    assert [number for _, number in seen.done] == list(ITEMS)
    assert seen.idle == [attempt]
    assert queue.is_removed()
    assert list(watched.known().values()) == []


def test_a_gone_pilots_item_is_lost_and_its_share_taken_back(attempt, watched, programs, queue):
    assert take(queue, 0, 1) == [0]
    words = journal(attempt, 0)
    words.start(0)
    programs.say("squeue", *rows("NODE_FAIL", "RUNNING"))

    seen = looks(watched)

    assert [share.left for share in seen.lost] == [[0]]
    assert seen.lost[0].heartbeat().item == 0
    assert [share.left for share in seen.not_reached] == [[2, 3, 4, 5]]
    assert queue.waiting() == {1}
    assert watched.at_once() == 1


def test_one_that_never_began_is_blamed_for_its_share(watched, programs):
    programs.say("squeue", *rows("FAILED", "RUNNING"))

    seen = looks(watched)

    assert [share.left for share in seen.lost] == [[2, 3, 4, 5]]
    assert seen.not_reached == []


def test_one_look_is_not_enough(watched, programs):
    programs.say("squeue", *rows("FAILED", "RUNNING"))
    seen = looks(watched, LOOKS - 1)
    assert (seen.lost, seen.not_reached, seen.done) == ([], [], [])


def test_a_cancelled_pilot_leaves_its_share_to_the_others(watched, programs, queue):
    programs.say("squeue", *rows("CANCELLED", "RUNNING"))

    seen = looks(watched)

    assert (seen.lost, seen.not_reached) == ([], [])
    assert queue.waiting() == set(ITEMS)


def test_when_the_last_is_gone_all_that_is_left_waits_for_others(
    attempt, watched, there, programs, queue
):
    words = journal(attempt, 0), journal(attempt, 1)
    words[0].start(0)
    words[0].finish(0, Outcome(Reason.done))
    words[1].start(2)
    there.update([0, 1])
    programs.say("squeue", *rows("COMPLETED", "TIMEOUT"))

    seen = looks(watched, 4)

    assert sorted(number for _, number in seen.done) == [0, 1]
    left = [number for share in [*seen.not_reached, *seen.lost] for number in share.left]
    assert sorted(left) == [2, 3, 4, 5]
    assert list(watched.known().values()) == []


def test_pilots_that_wait_for_ever_are_given_up(watched, programs):
    line = "a.1|7|{}|PENDING||PartitionNodeLimit"
    programs.say("squeue", *(line.format(n) for n in range(2)))

    seen = looks(watched)

    ((share, found),) = seen.held
    assert share.left == list(ITEMS)
    assert "PartitionNodeLimit" in found.sentence


def test_a_driver_that_comes_later_watches_what_is_not_made_yet(attempt, there, queue):
    take(queue, 0, 2)
    queue.release(0, 0)
    words = journal(attempt, 0)
    words.finish(0, Outcome(Reason.done))
    (attempt.folder / "queue" / "000001" / "3").unlink()
    watch = PilotWatch(there.__contains__, there.__contains__, grace_s=0)

    assert watch.add(attempt, [0, 1, 2, 3, 4], began=True) == [0, 1, 2, 4]


def test_an_attempt_whose_pilots_are_anothers_is_not_watched(attempt, there, queue):
    queue.remove()
    watch = PilotWatch(there.__contains__, there.__contains__, grace_s=0)

    assert watch.add(attempt, ITEMS, began=True) == []
    assert not watch.is_busy()
    assert watch.at_once() == 0


def test_arrays_and_pilots_are_watched_side_by_side(attempt, tmp_path, there, programs):
    manifest = Manifest(
        "b.1", "T", "d", "{}", "shard", "f", (), ((9,),), 1.0, 1, 1,
        alone=False, warn_s=1, limit=0,
    )  # fmt: skip
    array = write_attempt(next_folder(tmp_path / "run"), manifest, "")
    watch = PilotWatch(there.__contains__, there.__contains__, grace_s=0)
    watch.add(array, [9])
    watch.add(attempt, ITEMS)
    programs.say("squeue", *rows("RUNNING", "RUNNING"), "b.1|8|0|RUNNING|n1|None")
    there.add(9)

    assert watch.attempts() == [attempt, array]
    assert watch.at_once() == 3
    assert [number for _, number in watch.look().done] == [9]
    assert watch.is_busy()
