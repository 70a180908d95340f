"""A store that looks as if all tasks above one had been run, without their shards.

    python -m benchmarks.slurm.simulated_store FilterDocuments 10000

Seals the tasks upstream by manifests alone, and writes one small shard of the task itself
beside the store, `data/simulated.parquet`, for others to link to. Data folder and settings
are those of LUIGI_CONFIG_PATH.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pyarrow as pa

from benchmarks.slurm.runs import DUMP
from skord.core.registry import task_class
from skord.core.tasks.document_task import DocumentTask
from skord.core.tasks.sharded_task import ShardedTask

SHARD_FILE = "simulated.parquet"
ROWS = 100


def above(task: ShardedTask) -> Iterator[ShardedTask]:
    """Every task that this one needs, however far up."""
    for needed in task.upstream():
        yield needed
        yield from above(needed)


def seal(task: ShardedTask, shards: int) -> None:
    """Write the manifest of a task that has so many shards."""
    manifest = {
        "task": task.task_family,
        "dump": task.dump,
        "stamp": task.fingerprint,
        "settings": task.to_str_params(only_significant=True),  # type: ignore[no-untyped-call]
        "num_shards": shards,
        "rows": shards * ROWS,
        "counts": {},
        "ids": "simulated",
    }
    task.store.write_manifest(task.task_family, manifest)


def write_shard(task: DocumentTask) -> None:
    """Write a shard with rows of nulls."""
    schema = task.full_schema()
    columns = [
        pa.array([f"urn:uuid:{row}" for row in range(ROWS)])
        if field.name == "id"
        else pa.nulls(ROWS, field.type)
        for field in schema
    ]
    with task.store.writer(SHARD_FILE, schema, task.fingerprint) as writer:
        writer.write(pa.table(columns, schema=schema))
        writer.counts.update(rows=ROWS, judged=ROWS)


def main(arguments: list[str]) -> None:
    family, shards = arguments
    task = task_class(family)(dump=DUMP)
    assert isinstance(task, DocumentTask), f"{family} makes no shards of documents"
    for needed in {needed.task_family: needed for needed in above(task)}.values():
        seal(needed, int(shards))
    write_shard(task)


if __name__ == "__main__":
    main(sys.argv[1:])
