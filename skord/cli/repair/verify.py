"""Read everything of a dump against what was noted of it, and have what is damaged made again."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from skord.cli.console import run_tasks
from skord.cli.json_output import print_json
from skord.core.config import open_storage
from skord.core.dumps import check_dump
from skord.core.failures import ConfigError, PipelineError
from skord.core.preflight import check_settings
from skord.core.registry import task_classes
from skord.core.storage.column_store import ColumnStore, made_path
from skord.core.storage.filesystem import Storage
from skord.core.task_lock import lock_task
from skord.core.tasks.declaration import TaskDeclaration
from skord.publishing.card.figures import Figures
from skord.publishing.published_folder import folder_faults

Faults = dict[int | str, str]
"""What is wrong, by the number of a shard, or the path of a file beside; -1 is the manifest."""


def run(options: argparse.Namespace) -> int:
    """Read all that is there; returns 1 where something is wrong and stays so."""
    if options.publish:
        return _verify_published(options)
    check_settings()
    storage = open_storage()
    check_dump(options.dump, storage)
    store = ColumnStore(storage, options.dump)
    found: dict[str, Faults] = {}
    tasks: dict[str, TaskDeclaration] = {}
    for family, cls in task_classes().items():
        if not storage.names(store.folder(family)):
            continue
        task = tasks[family] = cls(dump=options.dump)
        found[family] = {**dict(faults_of(store, family)), **faults_beside(task)}
        if not options.json:
            print("\n".join(_lines_of(family, found[family])), flush=True)
    for family, missing in {**_gone(store, tasks), **_missing_below(tasks)}.items():
        found[family] = {-1: missing}
        tasks[family] = task_classes()[family](dump=options.dump)
        if not options.json:
            print("\n".join(_lines_of(family, found[family])), flush=True)
    absent = [
        family
        for family, cls in task_classes().items()
        if family not in tasks and not cls.on_request
    ]
    if tasks and absent and not options.json:
        print(f"not made yet: {', '.join(absent)}")
    if not found:
        raise ConfigError(
            f"{storage.shown_url} holds nothing of {options.dump}, so there is nothing to "
            "verify: name another folder with --data-dir"
        )
    is_mended = options.repair and any(found.values()) and repair(tasks, found)
    if options.json:
        rows = [
            {
                "task": family,
                "whole": is_mended or not faults,
                "faults": [
                    {"shard" if isinstance(place, int) else "file": place, "fault": fault}
                    for place, fault in faults.items()
                ],
            }
            for family, faults in found.items()
        ]
        print_json({"dump": options.dump, "tasks": rows, "absent": absent})
    return 0 if is_mended or not any(found.values()) else 1


def _verify_published(options: argparse.Namespace) -> int:
    """Hold a published folder against itself."""
    if options.repair:
        raise ConfigError("--repair makes again what is in a data folder: give --dump with it")
    folder, figures, faults = Storage(options.publish), Figures(), []
    for name, fault in folder_faults(folder, figures):
        faults.append({"file": name, "fault": fault})
        if not options.json:
            print(f"{name}: {fault}", flush=True)
    documents = dict(sorted(figures.documents.items()))
    if options.json:
        print_json({"folder": folder.shown_url, "documents": documents, "faults": faults})
        return 1 if faults else 0
    held = ", ".join(f"{code} {number:,}" for code, number in documents.items())
    state = f"{len(faults)} fault{'s' * (len(faults) != 1)}" if faults else "as published"
    print(f"{folder.shown_url}: {figures.documents.total():,} documents ({held}): {state}")
    return 1 if faults else 0


def _lines_of(family: str, faults: Faults) -> Iterator[str]:
    for place, fault in faults.items():
        yield f"{family} {_shown(place)}: {fault}"
    number = f"{len(faults)} fault{'s' * (len(faults) != 1)}"
    yield f"{family}: {number}" if faults else f"{family}: as written"


def _shown(place: int | str) -> str:
    """The number of a shard, or the path of a file.

    >>> _shown(3), _shown(-1), _shown("files/README.md")
    ('00003', 'manifest', 'files/README.md')
    """
    if isinstance(place, str):
        return place
    return f"{place:05d}" if place >= 0 else "manifest"


def faults_of(store: ColumnStore, family: str) -> Iterator[tuple[int, str]]:
    """What is wrong with which shard of a task: bytes, ids, fingerprint, counts.

    A fault of the manifest, or that there is none, has the number -1.
    """
    manifest = store.manifest(family)
    if manifest is None:
        is_there = store.storage.exists(store.manifest_path(family))
        yield -1, "it is damaged" if is_there else "it is missing, so the task is not complete"
        held = ((number, store.path(family, number)) for number in sorted(store.numbers(family)))
        yield from ((number, fault) for number, path in held if (fault := store.fault_of(path)))
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
            yield number, "it was made with other settings than its manifest has"
            continue
        rows, judged = rows + footer.rows, judged + 1
    if judged == manifest["num_shards"] and rows != manifest["rows"]:
        yield -1, f"it has {manifest['rows']} rows, the shards have {rows}"


def faults_beside(task: TaskDeclaration) -> Faults:
    """What is wrong with which file beside the shards: of phases, kept, or published."""
    manifest = task.store.manifest(task.task_family)
    if manifest is None:  # what there should be is not known
        lost = [name for name in task.files_beside() if task.fault_beside(name)]
    else:
        lost = task.lost_beside(manifest, reads_all=True)
    return dict.fromkeys(lost, "it is missing, or not what was written")


def _gone(store: ColumnStore, tasks: Mapping[str, TaskDeclaration]) -> dict[str, str]:
    """Tasks of which nothing is there, though they were complete once."""
    note = store.storage.shown
    return {
        family: "it was complete and is gone, with all of the task; if that was meant, remove "
        f"{note(made_path(family, store.dump))}"
        for family in task_classes()
        if family not in tasks and store.was_made(family)
    }


def _missing_below(tasks: Mapping[str, TaskDeclaration]) -> dict[str, str]:
    """Tasks of which nothing is there, though one that reads them is."""
    missing: dict[str, str] = {}
    waiting = list(tasks.values())
    while waiting:
        task = waiting.pop()
        for one in task.upstream():
            if one.task_family not in tasks and one.task_family not in missing:
                missing[one.task_family] = (
                    f"it is missing, with all of the task, which {task.task_family} reads"
                )
                waiting.append(one)
    return missing


def repair(tasks: Mapping[str, TaskDeclaration], found: Mapping[str, Faults]) -> bool:
    """Take away what is damaged, then have all tasks made that are not whole; as any run does.

    Manifests stay, but for one that is wrong itself. So whoever kills it leaves what any command
    sees, and makes again.
    """
    can_be_made = [_take_away(tasks[name], faults) for name, faults in found.items() if faults]
    return all(can_be_made) and _run(
        [task for task in tasks.values() if not _is_of_other_settings(task)]
    )


def _is_of_other_settings(task: TaskDeclaration) -> bool:
    manifest = task.store.manifest(task.task_family)
    if manifest is None or task.may_be_replaced(manifest):
        return False
    return bool(manifest["stamp"] != task.fingerprint)


def _run(tasks: Iterable[TaskDeclaration]) -> bool:
    try:
        return run_tasks(list(tasks))
    except PipelineError as error:
        print(error, file=sys.stderr)
        return False


def _take_away(task: TaskDeclaration, faults: Mapping[Any, str]) -> bool:
    """Remove what is damaged of a task; returns whether it can be made as it was."""
    store, family = task.store, task.task_family
    if _is_of_other_settings(task):
        print(
            f"{family} was made with other settings, so nothing of it is removed", file=sys.stderr
        )
        return False
    with lock_task(store, family):
        for place in faults:
            if place == -1:
                store.delete_manifest(family)
            elif isinstance(place, str):
                task.remove_beside(place)
            else:
                store.storage.delete(store.path(family, place))
    return True
