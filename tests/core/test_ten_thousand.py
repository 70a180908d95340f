"""Ten thousand shards and a hundred dumps: what is asked of the disk does not grow with them."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import ClassVar

import pyarrow as pa
import pytest

from skord.cli.look.status import dumps_with_data, status_lines
from skord.core import registry
from skord.core.driver import is_complete
from skord.core.dumps import published_dumps
from skord.core.storage.column_store import ColumnStore
from skord.core.storage.filesystem import Storage
from skord.core.storage.shared_columns import FAILURE, ID
from skord.core.tasks.phases import Phase
from skord.core.tasks.sharded_task import ShardedTask
from skord.corpus import Corpus

SHARDS = 10_000
DUMPS = published_dumps()[-100:]
CALLS = ("size", "names", "states", "tree_bytes", "open", "stream", "read")
SCHEMA = pa.schema([ID, FAILURE])


class Many(ShardedTask):
    """Ten thousand shards."""

    schema: ClassVar[pa.Schema] = SCHEMA

    def phases(self):
        return [Phase("shard", lambda: SHARDS, self.run_shard)]


@pytest.fixture
def asked(monkeypatch):
    """How often the disk is asked, by how; the answers are its own."""
    counts: Counter[str] = Counter()
    for name in CALLS:
        real = getattr(Storage, name)

        def counted(storage, *arguments, _real=real, _name=name):
            counts[_name] += 1
            return _real(storage, *arguments)

        monkeypatch.setattr(Storage, name, counted)
    return counts


@pytest.fixture
def many(settings, monkeypatch):
    settings()
    modules = (*registry.GRAPH_MODULES, __name__)
    monkeypatch.setattr(registry, "GRAPH_MODULES", modules)
    return Many(dump=DUMPS[-1])


def fill(task, shards=SHARDS, family="Many"):
    """One shard under ten thousand names, as files of before shards told their number."""
    store = task.store
    with store.writer("one.parquet", SCHEMA, task.fingerprint) as writer:
        writer.write(pa.table([["urn:1"], pa.nulls(1, pa.string())], schema=SCHEMA))
    one = Path(store.storage.full("one.parquet"))
    folder = Path(store.storage.full(store.folder(family)))
    folder.mkdir(parents=True)
    for number in range(shards):
        os.link(one, folder / f"{number:05d}.parquet")
    return one.stat().st_size


def seal(task, family="Many", **more):
    manifest = {"stamp": task.fingerprint, "num_shards": SHARDS, "rows": SHARDS, "counts": {}}
    task.store.write_manifest(family, {**manifest, **more})


def test_a_driver_that_starts_asks_once_for_items_that_are_all_to_come(many, asked):
    assert many.in_place("shard", SHARDS) == {}
    assert asked.total() == 1


def test_a_driver_that_goes_on_reads_the_footers_that_are_there(many, asked):
    fill(many, shards=40)
    asked.clear()

    assert len(many.in_place("shard", SHARDS)) == 40
    assert asked.total() < 40 * 4


def test_completeness_is_one_manifest_and_one_listing(many, asked):
    size = fill(many)
    seal(many, bytes=[size] * SHARDS)
    asked.clear()

    assert many.complete()
    assert asked.total() <= 5
    assert asked["states"] == 1
    Path(many.store.storage.full(many.store.path("Many", 7777))).unlink()
    assert not many.complete()


def test_the_status_of_many_dumps_lists_no_shards(many, asked, tmp_path):
    tasks, of_some = registry.task_classes(), DUMPS[-8:]
    for dump in of_some:
        task = Many(dump=dump)
        seal(task)
    asked.clear()

    dumps = dumps_with_data(ColumnStore(many.store.storage, ""))
    lines = [line for dump in dumps for line in status_lines(dump, tmp_path, by_manifest=True)]

    assert dumps == sorted(of_some)
    assert sum(line.startswith("Many") and line.endswith("complete") for line in lines) == 8
    assert asked["states"] == 0
    assert asked.total() < 8 * len(tasks) * 6
    assert is_complete(many, by_manifest=True)
    assert not is_complete(many)


def test_readers_ask_for_two_manifests_and_two_listings_not_for_each_shard(many, asked):
    size = fill(many)
    Path(many.store.storage.full("CCNet")).mkdir()
    shards = Path(many.store.storage.full(many.store.folder("Many")))
    shards.parent.with_name("CCNet").joinpath(DUMPS[-1]).symlink_to(shards)
    seal(many, "CCNet", bytes=[size] * SHARDS, ids="same")
    corpus = Corpus(many.store.storage.url, [DUMPS[-1]])
    asked.clear()

    files = list(corpus._files(["Many.failure"]))

    assert [len(paths) for _, _, paths in files] == [SHARDS, SHARDS]
    assert asked.total() < 40
