"""What a task declares, and the fingerprint that follows, of `skord.core.tasks.declaration`."""

import pyarrow as pa
import pytest

from skord.core.failures import ConfigError, ShardError
from skord.core.storage.column_store import GROUPING
from skord.core.storage.shared_columns import ID
from skord.core.tasks.declaration import TaskDeclaration, cached_settings
from skord.core.tasks.phases import Phase


class First(TaskDeclaration):
    """Three items."""

    def num_shards(self):
        return 3

    def run_shard(self, shard):
        path = self.store.path(self.task_family, shard)
        counts = {GROUPING: 5} if shard == 2 else {}
        with self.store.writer(path, pa.schema([ID]), self.fingerprint) as writer:
            writer.append({"id": f"d{shard}"})
            writer.counts.update(counts)


class Second(TaskDeclaration):
    """Reads the first, through two ways."""

    asked = 0

    def upstream(self):
        return [First(**self.shared_params()), First(**self.shared_params())]

    def fingerprint_parts(self):
        type(self).asked += 1
        return ["model-7"]


@pytest.fixture(autouse=True)
def own_settings(settings):
    settings()


@pytest.fixture
def first():
    return First(dump="d")


def test_a_fingerprint_changes_with_what_decides_the_bytes_and_with_nothing_else(monkeypatch):
    before = Second(dump="d").fingerprint

    assert len(before) == 16
    assert Second(dump="d", mem_gb=9.0, replace=True, languages=("sv",)).fingerprint == before
    assert Second(dump="e").fingerprint != before
    monkeypatch.setattr(First, "version", 2)
    assert Second(dump="d").fingerprint != before
    monkeypatch.undo()
    monkeypatch.setattr(Second, "fingerprint_parts", lambda _: ["model-8"])
    assert Second(dump="d").fingerprint != before


def test_while_nothing_changes_each_is_worked_out_once():
    task, before = Second(dump="d"), Second.asked

    with cached_settings():
        fingerprints = {task.fingerprint for _ in range(3)}
    assert Second.asked == before + 1
    assert fingerprints == {task.fingerprint}
    assert Second.asked == before + 2


def test_a_settled_task_asks_nobody(first):
    store = first.store
    first.settled = ("f", store)
    assert (first.fingerprint, first.store) == ("f", store)
    first.settled = None


def test_what_a_graph_has_in_common_is_handed_on():
    task = Second(dump="d", languages=("sv",), replace=True, mem_gb=7)
    assert task.shared_params() == {"dump": "d", "replace": True, "languages": ("sv",)}
    assert Second(dump="d").shared_params() == {"dump": "d", "replace": False}


def test_an_item_is_done_when_its_file_bears_fingerprint_and_grouping(first):
    for number in range(3):
        first.run_item("shard", number)

    assert [first.done("shard", number) for number in range(4)] == [True, True, False, False]
    assert set(first.in_place("shard", 3)) == {0, 1}
    assert set(first.in_place("shard", 1)) == {0}
    assert First(dump="e").in_place("shard", 3) == {}


def test_files_of_another_state_or_with_holes_are_made_again(first, monkeypatch):
    first.run_item("shard", 0)
    monkeypatch.setattr(First, "is_whole", lambda _, footer: footer.rows > 1)
    assert not first.done("shard", 0)
    monkeypatch.undo()
    monkeypatch.setattr(First, "version", 2)
    assert not first.done("shard", 0)


def test_items_and_phases_that_there_are_not_are_told(first):
    with pytest.raises(ConfigError, match="First has no phase 'paths': shard"):
        first.run_item("paths", 0)
    for number in (-1, 3):
        with pytest.raises(ConfigError, match="First shard has items 0 to 2"):
            first.run_item("shard", number)
    first.run_item("shard", 5, counted=True)
    assert first.done("shard", 5)


def test_shards_are_as_many_as_those_upstream():
    task = Second(dump="d")
    with pytest.raises(ShardError, match="First d is not complete: run it first"):
        task.num_shards()
    task.store.write_manifest("First", {"num_shards": 3, "stamp": "f"})
    assert task.num_shards() == 3
    assert [phase.name for phase in task.phases()] == ["shard"]
    assert isinstance(task.phases()[0], Phase)


def test_what_an_author_leaves_out():
    task = TaskDeclaration(dump="d")
    assert (task.gpus, task.reads_same_shard, list(task.fingerprint_parts())) == (0, False, [])
    assert (task.mem_gb, task.max_failure_share, task.on_request) == (2.0, 0.05, False)
    assert (task.is_at_work, task.replace, task.version) == (False, False, 1)
    with pytest.raises(NotImplementedError):
        task.run_shard(0)
