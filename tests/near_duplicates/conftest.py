"""Dumps of texts that were judged, for ComputeSignatures and Deduplicate alone."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa
import pytest

from pipeline.dedup import ComputeSignatures, Deduplicate
from pipeline.markdown_processing import ProcessMarkdown
from pipeline.quality_filtering import FilterDocuments
from pipeline.warc_processing import ConvertToMarkdown
from skord.core.registry import task_class
from skord.core.storage.shared_columns import FAILURE, ID

WORDS = [f"ord{n}" for n in range(400)]
FIRST, SECOND, THIRD = "2024-10", "2024-18", "2024-22"


@dataclass(frozen=True)
class Page:
    """What Deduplicate sees of a document."""

    id: str
    text: str
    passes: bool = True
    host: str = "exempel.se"
    length: int = 0


def text(seed, size=80):
    return " ".join(random.Random(seed).choices(WORDS, k=size))


def edited(original, seed, share):
    generator = random.Random(seed)
    words = original.split(" ")
    return " ".join(generator.choice(WORDS) if generator.random() < share else w for w in words)


def some_pages(size=90, seed=0, prefix="a"):
    """Families of three: a text, a copy or slight edit of it, and one of another degree."""
    generator = random.Random(seed)
    pages = []
    for number in range(size):
        family = text(number % (size // 3))
        share = generator.choice([0, 0.01, 0.03, 0.3])
        page = Page(f"urn:uuid:{prefix}{number}", edited(family, (seed, number).__hash__(), share))
        pages.append(page)
    return pages


def cut(pages, sizes):
    shards, at = [], 0
    for size in sizes:
        shards.append(pages[at : at + size])
        at += size
    return [*shards, pages[at:]]


def write_task(task, tables: Sequence[pa.Table]):
    """Shards and manifest as the task itself would leave them."""
    for shard, table in enumerate(tables):
        path = task.store.path(task.task_family, shard)
        with task.store.writer(path, table.schema, task.fingerprint) as writer:
            for start in range(0, max(len(table), 1), 7):
                writer.write(table.slice(start, 7))
    manifest = {"stamp": task.fingerprint, "num_shards": len(tables), "counts": {}}
    task.store.write_manifest(task.task_family, manifest)


def write_dump(dump: str, shards: Sequence[Sequence[Page]]):
    """What Deduplicate reads: the signatures of texts, and columns beside them."""
    write_texts(dump, shards)
    ComputeSignatures(dump=dump).run()


def write_texts(dump: str, shards: Sequence[Sequence[Page]]):
    """The columns that ComputeSignatures and Deduplicate read."""
    write_task(
        FilterDocuments(dump=dump),
        [
            table_of(
                shard,
                passes_all_quality_filters=[page.passes for page in shard],
                content_length=[page.length for page in shard],
            )
            for shard in shards
        ],
    )
    write_task(
        ProcessMarkdown(dump=dump),
        [table_of(shard, text=[page.text for page in shard]) for shard in shards],
    )
    write_task(
        ConvertToMarkdown(dump=dump),
        [
            table_of(shard, url=[f"https://www.{page.host}/{page.id}" for page in shard])
            for shard in shards
        ],
    )


KINDS = {"passes_all_quality_filters": pa.bool_(), "content_length": pa.int64()}


def table_of(shard, **columns):
    schema = pa.schema([ID, *((name, KINDS.get(name, pa.string())) for name in columns), FAILURE])
    return pa.table(
        {"id": [page.id for page in shard], **columns, "failure": [None] * len(shard)}, schema
    )


def decided(dump: str, **settings) -> dict[str, dict]:
    """Run Deduplicate, and what it needs of earlier dumps; rows by id."""
    task = Deduplicate(dump=dump, **settings)
    for earlier in task.earlier_dumps():
        before = Deduplicate(dump=earlier, **settings)
        index = task_class("IndexKept")(dump=earlier, dumps=settings.get("dumps", ""))
        for made in (before, index):
            if not made.is_made:
                made.run()
    if not task.is_made:
        task.run()
    return rows(task)


def rows(task) -> dict[str, dict]:
    """The columns of a complete task by id; two rows of one id are an error."""
    shards = task.store.manifest(task.task_family)["num_shards"]
    tables = [task.store.read_table(task.store.path(task.task_family, n)) for n in range(shards)]
    listed = pa.concat_tables(tables).to_pylist()
    actual = {row["id"]: row for row in listed}
    assert len(actual) == len(listed)
    return actual


@pytest.fixture
def tables_by_hand(monkeypatch):
    """Nothing is checked below the tasks whose tables the test writes."""
    monkeypatch.setattr("skord.core.tasks.sharded_task.check_graph", lambda _: None)


@pytest.fixture
def dedup_settings(settings, tables_by_hand):
    """Small parts, so that every phase has several."""

    def write(**values: object):
        values = {"match_mb": 0, "num_partitions": 3, "shards_at_once": 2, **values}
        lines = "\n".join(f"{name} = {value}" for name, value in values.items())
        settings(
            f"[Deduplicate]\n{lines}\n[IndexKept]\nnum_partitions = 2\nshards_at_once = 3\n"
            f"[ComputeSignatures]\nshards_at_once = {values['shards_at_once']}\n"
        )

    write()
    return write
