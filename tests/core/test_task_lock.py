"""Drivers in processes of their own at the same task: one makes it, the others wait."""

import logging
import socket
import time
from collections import Counter
from multiprocessing import get_context
from pathlib import Path
from typing import ClassVar

import pyarrow as pa
import pytest
from luigi.configuration import add_config_path

from skord.core import registry, task_lock
from skord.core.storage.column_store import ColumnStore
from skord.core.storage.filesystem import Storage
from skord.core.storage.shared_columns import ID
from skord.core.task_lock import LOCKS, lock_task
from skord.core.tasks.phases import Phase
from skord.core.tasks.sharded_task import ShardedTask

pytestmark = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")

SCHEMA = pa.schema([ID])


class Slow(ShardedTask):
    """A phase that goes at the end, then three shards; each item takes its time and is noted."""

    schema: ClassVar[pa.Schema] = SCHEMA

    def num_shards(self):
        return 3

    def phases(self):
        first = Phase("map", lambda: 2, lambda number: self.make("map", number), transient=True)
        return [first, Phase("shard", self.num_shards, lambda number: self.make("shard", number))]

    def make(self, phase, number):
        with Path(self.store.storage.root, "made.txt").open("a") as file:
            file.write(f"{phase} {number}\n")
        time.sleep(0.2)
        if phase == "shard":
            self.store.read_table(self.store.path("Slow", 0, "map"))
        path = self.store.path("Slow", number, phase)
        with self.store.writer(path, SCHEMA, self.fingerprint) as writer:
            writer.write(pa.table({"id": [f"urn:{number}"]}, schema=SCHEMA))


def drive(settings: Path, log: Path, lease_s: float) -> None:
    """Run the task as a driver of its own would, and log to a file."""
    add_config_path(str(settings))
    logging.basicConfig(filename=log, level=logging.INFO, force=True)
    registry.GRAPH_MODULES = (*registry.GRAPH_MODULES, __name__)
    task_lock.LEASE_S = lease_s
    Slow(dump="2024-10").run()


@pytest.fixture
def start(settings, tmp_path):
    """Starts a driver in a process of its own, and says where it logs; none is left at the end."""
    path, begun, context = settings(), [], get_context("fork")

    def start(lease_s=180.0):
        log = tmp_path / f"{len(begun)}.log"
        words = (path, log, lease_s)
        begun.append(context.Process(target=drive, args=words))
        begun[-1].start()
        return begun[-1], log

    yield start
    for process in begun:
        process.kill()
        process.join()


def ended(driver, timeout_s=120):
    """What a driver logged until its end, which must be a good one."""
    process, log = driver
    process.join(timeout_s)
    text = log.read_text()
    assert process.exitcode == 0, text
    return text


def made(data):
    path = data / "made.txt"
    return Counter(path.read_text().splitlines()) if path.exists() else Counter()


EACH_ONCE = Counter(["map 0", "map 1", "shard 0", "shard 1", "shard 2"])


@pytest.mark.parametrize("apart_s", [0.0, 0.4])
def test_of_several_drivers_one_makes_each_item_and_none_fails(start, tmp_path, apart_s):
    drivers = []
    for _ in range(3):
        drivers.append(start())
        time.sleep(apart_s)

    log = [ended(driver) for driver in drivers]

    assert made(tmp_path / "data") == EACH_ONCE
    assert any("Slow 2024-10: another process is at work on it; waiting" in text for text in log)
    assert not list((tmp_path / "data" / LOCKS).iterdir())
    assert Slow(dump="2024-10").complete()


def kill_at_work(driver, data):
    end = time.monotonic() + 600
    while not made(data):
        assert time.monotonic() < end
        time.sleep(0.02)
    driver[0].kill()
    driver[0].join()
    (lock,) = (data / LOCKS).iterdir()
    return lock


def test_a_driver_that_was_killed_keeps_nobody_waiting(start, tmp_path):
    kill_at_work(start(), tmp_path / "data")

    ended(start(), 60)

    assert Slow(dump="2024-10").complete()


def test_the_lock_of_another_host_is_taken_over_when_nobody_touches_it(start, tmp_path):
    lock = kill_at_work(start(2.0), tmp_path / "data")
    content = lock.read_text()
    assert socket.gethostname() in content
    lock.write_text(content.replace(socket.gethostname(), "elsewhere"))
    began = time.monotonic()

    log = ended(start(2.0), 60)

    assert time.monotonic() - began > 2.0
    assert "waiting for its end" in log


def test_who_holds_a_lock_may_take_it_again(tmp_path):
    store = ColumnStore(Storage(str(tmp_path)), "2024-10")

    with lock_task(store, "Slow"), lock_task(store, "Slow"):
        assert len(list((tmp_path / LOCKS).iterdir())) == 1
    assert not list((tmp_path / LOCKS).iterdir())


def test_locks_of_an_object_store_lie_with_the_logs(settings, tmp_path):
    settings()
    stores = [ColumnStore(Storage(f"s3://bucket/{name}?region=x"), "2024-10") for name in "ab"]

    with lock_task(stores[0], "Slow"), lock_task(stores[1], "Slow"):
        assert len(list((tmp_path / "logs" / task_lock.LOCKS).glob("*/Slow-2024-10.lock"))) == 2
