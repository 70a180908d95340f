"""Read every shard of a dump against what was noted of it, and have damaged ones made again."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

from skord.cli.console import run_tasks
from skord.cli.json_output import print_json
from skord.core.config import open_storage
from skord.core.dumps import check_dump
from skord.core.failures import ConfigError, PipelineError
from skord.core.preflight import check_settings
from skord.core.registry import task_classes
from skord.core.storage.column_store import ColumnStore
from skord.core.tasks.declaration import TaskDeclaration


def run(options: argparse.Namespace) -> int:
    """Read every shard; returns 1 where something is wrong and stays so."""
    check_settings()
    storage = open_storage()
    check_dump(options.dump, storage)
    store = ColumnStore(storage, options.dump)
    judged = []
    for family, cls in task_classes().items():
        if not store.storage.exists(store.manifest_path(family)):
            continue
        early: list[int] = []
        faults = dict(faults_of(store, family, early))
        if not options.json:
            print("\n".join(_lines_of(family, faults, early)), flush=True)
        mended = bool(faults) and options.repair and repair_task(cls(dump=options.dump), faults)
        judged.append(
            {
                "task": family,
                "whole": mended or not faults,
                "faults": [{"shard": number, "fault": fault} for number, fault in faults.items()],
                "without_checksum": early,
            }
        )
    if not judged:
        raise ConfigError(
            f"no task of {options.dump} is complete in {storage.shown_url}, so there is nothing to "
            "verify: name another folder with --data-dir"
        )
    if options.json:
        print_json({"dump": options.dump, "tasks": judged})
    return 0 if all(one["whole"] for one in judged) else 1


def _lines_of(family: str, faults: dict[int, str], early: list[int]) -> Iterator[str]:
    for number, fault in faults.items():
        yield f"{family} {number:05d}: {fault}"
    yield f"{family}: {len(faults)} faults" if faults else f"{family}: as written"
    if early:
        yield f"{family}: {len(early)} shards of an early version, with no checksum to compare"


def faults_of(
    store: ColumnStore, family: str, early: list[int] | None = None
) -> Iterator[tuple[int, str]]:
    """What is wrong with which shard of a complete task: bytes, ids, fingerprint, counts.

    A fault of the manifest is told with the number -1. Shards of before there were checksums,
    of which less can be told, are added to `early`.
    """
    manifest = store.manifest(family)
    if manifest is None:
        yield -1, "its manifest is damaged"
        return
    rows, judged = 0, 0
    for number in range(manifest["num_shards"]):
        path = store.path(family, number)
        if not store.storage.exists(path):
            yield number, "it is missing"
            continue
        if fault := store.fault_of(path):
            yield number, fault
            continue
        footer = store.footer(path)
        if footer is None or footer.fingerprint != manifest["stamp"]:
            yield number, "it was made with other settings than its manifest tells"
            continue
        rows, judged = rows + footer.rows, judged + 1
        if early is not None and not footer.has_checksum:
            early.append(number)
    if judged == manifest["num_shards"] and rows != manifest["rows"]:
        yield -1, f"its manifest tells {manifest['rows']} rows, its shards have {rows}"


def repair_task(task: TaskDeclaration, faults: dict[int, str]) -> bool:
    """Remove what is damaged and make it again; returns whether the task is complete then."""
    store, family = task.store, task.task_family
    manifest = store.manifest(family)
    if manifest is None or manifest["stamp"] != task.fingerprint:
        print(
            f"{family} was made with other settings, so nothing of it is removed", file=sys.stderr
        )
        return False
    for number in faults:
        if number >= 0:
            store.storage.delete(store.path(family, number))
    store.delete_manifest(family)
    try:
        return run_tasks([task])
    except PipelineError as error:
        print(error, file=sys.stderr)
        return False
