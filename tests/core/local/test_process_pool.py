"""Real worker processes, killed at any moment: every item is reported, and nobody waits."""

import multiprocessing
import os
import signal
import threading
import time
from contextlib import contextmanager

import pytest

from skord.core.local.process_pool import reports_of_workers
from skord.core.work_item import WorkItem
from tests.processes import is_alive, workers_of

pytestmark = pytest.mark.timeout(600)
MEM_GB = 2.0


def items(number, log="/dev/null"):
    """Items of a task that is not there: a worker that lives says so."""
    return [WorkItem("Nobody", "{}", "shard", at, log=str(log)) for at in range(number)]


@pytest.fixture
def unread(tmp_path):
    """A log that nobody reads: a worker that writes to it stands still until it is killed."""
    os.mkfifo(tmp_path / "log")
    return tmp_path / "log"


@contextmanager
def killing(moments_s):
    """Meanwhile kill a worker so long after there is one, and then another."""
    is_over = threading.Event()
    of_others = workers_of(os.getpid())

    def kill():
        for moment_s in moments_s:
            while not workers_of(os.getpid()) - of_others:
                if is_over.wait(0.001):
                    return
            time.sleep(moment_s)
            for pid in sorted(workers_of(os.getpid()) - of_others)[:1]:
                os.kill(pid, signal.SIGKILL)
                while is_alive(pid):
                    time.sleep(0.001)

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()


def test_a_worker_killed_while_it_starts_fails_the_item_it_was_to_make(unread):
    with killing([0]):
        reports = list(reports_of_workers([*items(1, unread), *items(4)[1:]], 1, MEM_GB))

    assert sorted(report.number for report in reports) == [0, 1, 2, 3]
    dead = [report for report in reports if "was killed by signal 9" in report.error]
    assert len(dead) == 1
    assert "raise [Nobody] mem_gb" in dead[0].error
    assert all("no task 'Nobody'" in report.error for report in reports if report not in dead)
    assert workers_of(os.getpid()) == set()


@pytest.mark.slow
def test_workers_killed_at_any_moment_fail_no_more_items_than_they_are():
    with killing([0.3, 1.1]):
        reports = list(reports_of_workers(items(100), 2, MEM_GB))

    assert sorted(report.number for report in reports) == list(range(100))
    assert sum("was killed by signal 9" in report.error for report in reports) <= 2


def test_one_worker_after_another_may_be_killed(unread):
    with killing([0.05] * 3):
        reports = list(reports_of_workers(items(3, unread), 1, MEM_GB))

    assert [report.number for report in reports] == [0, 1, 2]
    assert all("was killed by signal 9" in report.error for report in reports)


def test_a_process_forked_from_one_with_a_server_has_workers_of_its_own():
    assert len(list(reports_of_workers(items(1), 1, MEM_GB))) == 1  # this process has a server now
    context = multiprocessing.get_context("fork")
    errors = context.SimpleQueue()

    def work():
        errors.put([report.error for report in reports_of_workers(items(2), 2, MEM_GB)])

    forked = context.Process(target=work)
    forked.start()
    forked.join()

    assert forked.exitcode == 0
    assert ["no task 'Nobody'" in (error or "") for error in errors.get()] == [True, True]


def test_whoever_stops_listening_leaves_no_process_behind():
    reports = reports_of_workers(items(50), 2, MEM_GB)
    assert next(reports).number < 50

    reports.close()

    assert workers_of(os.getpid()) == set()
