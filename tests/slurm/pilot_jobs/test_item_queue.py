"""The directory that pilots take items from, and what they say of them."""

from collections import Counter
from multiprocessing import get_context

import pytest

from skord.slurm.monitoring.heartbeat import Heartbeat, Outcome, Reason
from skord.slurm.pilot_jobs.item_queue import LEASES, ItemQueue
from skord.slurm.pilot_jobs.journal import FOLDER, Journal, Journals
from skord.slurm.submission.sbatch import grouped_numbers


@pytest.fixture
def queue(tmp_path):
    made = ItemQueue(tmp_path, 10)
    made.fill(grouped_numbers(range(1000), 100), pilots=4)
    return made


def take_all(folder, pilot):
    queue, taken = ItemQueue(folder, 10), []
    for number in queue.taken(pilot, 4):
        taken.append(number)
        queue.release(pilot, number)
    return taken


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_of_many_pilots_at_once_each_item_has_one(queue):
    with get_context("fork").Pool(4) as pool:
        taken = pool.starmap(take_all, [(queue.folder, pilot) for pilot in range(4)], 1)

    assert sum(map(bool, taken)) > 1
    assert Counter(number for numbers in taken for number in numbers) == Counter(range(1000))
    assert queue.waiting() == set()
    assert not list((queue.folder / "queue").iterdir())


def test_a_pilot_that_starts_again_finds_what_it_had(queue):
    taken = queue.taken(2, 4)
    first, second = next(taken), next(taken)
    queue.release(2, first)

    assert queue.held(2) == [second]
    assert next(queue.taken(2, 4)) == second
    assert next(queue.taken(3, 4)) not in (first, second)


def test_a_rename_whose_answer_was_lost_is_known_by_the_name_that_the_file_has(queue):
    bucket = queue.folder / "queue/000000"
    (bucket / "7").rename(queue.folder / LEASES / "0/7")

    assert queue._take(bucket, 7, pilot=0)
    assert not queue._take(bucket, 7, pilot=1)


def test_what_is_withdrawn_is_taken_by_nobody(queue):
    taken = queue.taken(0, 4)
    mine = next(taken)

    withdrawn = queue.withdraw(0.25)

    assert withdrawn == list(range(700, 1000))
    rest = [mine, *taken]
    assert sorted(rest) == list(range(700))
    assert queue.withdraw(1.0) == []


def test_a_queue_that_is_removed_is_empty(queue):
    queue.remove()

    assert list(queue.taken(0, 4)) == []
    assert queue.waiting() == set()


# -- journals -----------------------------------------------------------------------------------


def test_a_journal_is_read_on_where_it_was_left(tmp_path):
    journal = Journal(tmp_path, 3, Heartbeat("n1", "77", 0, 4711))
    journals = Journals(tmp_path)
    journal.start(5)
    assert list(journals.news()) == []
    assert journals.last_life(3).words.item == 5

    journal.finish(5, Outcome(Reason.done, 1.5, 20.0))
    journal.start(6)
    ((life, number, outcome),) = journals.news()
    journal.end(Reason.time)

    assert (life.pilot, number, outcome) == (3, 5, Outcome(Reason.done, 1.5, 20.0))
    assert list(journals.news()) == []
    assert journals.last_life(3).words == Heartbeat("n1", "77", 0, 4711, item=6, reason=Reason.time)
    assert journals.last_life(2) is None


def test_a_line_that_a_kill_cut_is_waited_for_and_one_that_is_garbled_passed_over(tmp_path):
    Journal(tmp_path, 0, Heartbeat("n1", "77", 1, 1)).start(5)
    (path,) = (tmp_path / FOLDER).iterdir()
    journals = Journals(tmp_path)
    whole = b'{"finish": 5, "reason": "error", "error": "x"}\n'
    with path.open("ab") as file:
        file.write(b'{"sta{"start": 5}\n[1]\n' + whole[:20])
    assert list(journals.news()) == []

    with path.open("ab") as file:
        file.write(whole[20:])

    ((_, number, outcome),) = journals.news()
    assert (number, outcome.reason, outcome.error) == (5, Reason.error, "x")


def test_of_several_lives_of_a_pilot_the_last_counts(tmp_path):
    for restart in range(11):
        Journal(tmp_path, 0, Heartbeat("n1", "77", restart, 1)).start(restart)
    journals = Journals(tmp_path)
    list(journals.news())

    assert journals.last_life(0).words.item == 10
