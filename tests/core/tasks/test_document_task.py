from typing import ClassVar

import pyarrow as pa
import pytest

from skord.core.cancellation import CheckpointedError, clear_cancellation, request_checkpoint
from skord.core.driver import write_task_manifest
from skord.core.failures import DocumentError, FailureCode, ShardError
from skord.core.storage.shared_columns import FAILURE, ID
from skord.core.tasks.document_task import DocumentTask, each_document
from skord.core.tasks.sharded_task import ShardedTask


class Odd(FailureCode):
    odd = "odd"


class Numbers(ShardedTask):
    """Six documents in two row groups; one of them failed already."""

    schema = pa.schema([ID, ("number", pa.int64()), FAILURE])

    def num_shards(self):
        return 1

    def run_shard(self, shard):
        path = self.store.path(self.task_family, shard)
        with self.store.writer(path, self.schema, self.fingerprint) as writer:
            for n in range(6):
                failed = "early" if n == 2 else None
                writer.append({"id": f"d{n}", "number": n, "failure": failed})
                if n == 3:
                    writer.flush()


class Halves(DocumentTask):
    """Halves even numbers."""

    reads: ClassVar = {Numbers: ["number"]}
    schema = pa.schema([("half", pa.int64())])

    def process(self, batch):
        return each_document(batch, self.halve, self.schema)

    @staticmethod
    def halve(number):
        if number % 2:
            raise DocumentError(Odd.odd, str(number))
        return {"half": number // 2}


class Loses(Halves):
    def process(self, batch):
        return super().process(batch).slice(1)


class Warned(Halves):
    """May be told, while it is at a row group, that its time is nearly up; notes each it sees."""

    told: ClassVar = False
    seen: ClassVar[list[int]] = []

    def process(self, batch):
        self.seen.append(len(batch))
        if self.told:
            request_checkpoint()
        return super().process(batch)


@pytest.fixture
def numbers(settings):
    task = Numbers(dump="2024-10")
    task.run_shard(0)
    return task


def test_every_row_stays_in_place_and_failures_are_codes(numbers):
    task = Halves(dump="2024-10")
    task.run_shard(0)

    table = task.store.read_table(task.store.path("Halves", 0))

    assert table.to_pydict() == {
        "id": ["d0", "d1", "d2", "d3", "d4", "d5"],
        "half": [0, None, None, None, 2, None],
        "failure": [None, "odd", "upstream", "odd", None, "odd"],
    }
    assert task.store.footer(task.store.path("Halves", 0)).counts == {
        "rows": 6, "judged": 5, "upstream": 1, "failure.odd": 3,
    }  # fmt: skip


def test_a_task_that_loses_a_row_writes_nothing(numbers):
    task = Loses(dump="2024-10")

    with pytest.raises(ShardError, match="rows in"):
        task.run_shard(0)

    assert task.store.footer(task.store.path("Loses", 0)) is None


def test_row_groups_are_inherited(numbers):
    task = Halves(dump="2024-10")
    task.run_shard(0)

    with task.store.open_parquet(task.store.path("Halves", 0)) as file:
        rows = [file.metadata.row_group(g).num_rows for g in range(file.num_row_groups)]

    assert rows == [4, 2]


def test_the_share_of_failures_that_a_seal_bears_is_limited(numbers):
    task = Halves(dump="2024-10", max_failure_share=0.5)
    task.run_shard(0)
    task.num_shards = lambda: 1

    with pytest.raises(ShardError, match=r"60.0% of the rows failed.*max_failure_share = 0.5"):
        write_task_manifest(task)

    assert task.store.manifest("Halves") is None


def test_an_unexpected_error_is_not_taken_for_a_failure_of_the_document(numbers):
    batch = pa.table({"id": ["a"], "Numbers.number": ["text"]})

    with pytest.raises(TypeError):
        each_document(batch, Halves.halve, Halves.schema)


# -- left off and resumed ----------------------------------------------------------------


@pytest.fixture
def warned(numbers, monkeypatch):
    """A shard that was left off after its first row group; asks for nothing more."""
    task = Warned(dump="2024-10")
    monkeypatch.setattr(Warned, "told", True)
    with pytest.raises(CheckpointedError):
        task.run_shard(0)
    clear_cancellation()
    monkeypatch.setattr(Warned, "told", False)
    Warned.seen.clear()
    return task


def test_a_shard_left_off_keeps_its_row_groups_apart_from_finished_ones(warned):
    assert not warned.done("shard", 0)
    kept = warned.store.read_table(warned.partial_path(0))
    assert kept["id"].to_pylist() == ["d0", "d1", "d2", "d3"]


def test_a_shard_taken_up_again_goes_on_and_ends_with_the_same_bytes(warned):
    path = warned.store.path("Warned", 0)

    warned.run_shard(0)
    taken_up, seen = warned.store.storage.read(path), list(Warned.seen)
    warned.run_shard(0)

    assert seen == [2]
    assert Warned.seen == [2, 3, 2]
    assert taken_up == warned.store.storage.read(path)
    assert not warned.store.storage.exists(warned.partial_path(0))


def test_what_other_settings_began_is_not_taken_up(warned, monkeypatch):
    monkeypatch.setattr(Warned, "version", 2)

    Warned(dump="2024-10").run_shard(0)

    assert Warned.seen == [3, 2]
