"""What the pool of workers on one machine gives each of them."""

import os

import pytest

from skord.core.local.executor import THREADS, LocalExecutor, threads_shared
from skord.core.settings import settings_in_force

CORES = len(os.sched_getaffinity(0))


@pytest.mark.parametrize(("workers", "each"), [(1, CORES), (CORES, 1), (10 * CORES, 1)])
def test_workers_share_the_cores(monkeypatch, workers, each):
    monkeypatch.delenv(THREADS, raising=False)

    with threads_shared(workers):
        assert os.environ[THREADS] == str(each)

    assert THREADS not in os.environ


def test_a_number_of_threads_that_is_given_stands(monkeypatch):
    monkeypatch.setenv(THREADS, "3")

    with threads_shared(1):
        assert os.environ[THREADS] == "3"

    assert os.environ[THREADS] == "3"


def test_a_negative_number_of_workers_is_one_for_each_core_that_this_process_may_use(settings):
    may_use = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(may_use)})
        with settings_in_force([("executor", "workers", "-1")]):
            assert LocalExecutor.from_config().workers == 1
    finally:
        os.sched_setaffinity(0, may_use)
