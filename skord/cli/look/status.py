"""Where every task of a dump stands."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from skord.cli.json_output import print_json
from skord.cli.planning.text import plans_path, shown_size, shown_time
from skord.core.config import executor, open_storage
from skord.core.driver import is_complete
from skord.core.dumps import Source, check_dump, source_of
from skord.core.executor import executor_kind
from skord.core.failures import ConfigError, DamagedError, PipelineError
from skord.core.preflight import check_settings
from skord.core.registry import task_classes
from skord.core.run_log import PhaseRun, noted_runs, runs_path
from skord.core.storage.column_store import SHARD, ColumnStore
from skord.core.storage.shard_files import ShardFooter
from skord.core.tasks.declaration import TaskDeclaration, cached_settings
from skord.slurm.monitoring.queue import queued_array_tasks
from skord.slurm.submission.attempts import attempts_in, phase_folder

COUNTS = ("done", "failed", "missing", "rows", "rows/s")
HEADER = f"{'task':<20}{'phase':<12}{''.join(f'{name:>11}' for name in COUNTS)}  state"


SHARDS_NAMED = 10
"""Shards that are missing or cut off, named in a line."""

MANY_DUMPS = 3
"""Of more, manifests are believed: a hundred dumps have millions of shards."""

FAILURE_COUNTS = {
    "failure.": "rows with a failure",
    "bad_record.": "WET records that cannot be read",
    "index.b": "of the index cannot be read",
}
"""Counts of a manifest that a person should see, by the beginning of their names."""


def run(options: argparse.Namespace) -> None:
    """Print it for one dump, or for all that have data."""
    check_settings()
    storage = open_storage()
    if options.data_dir and storage.is_local and not Path(storage.root).is_dir():
        raise ConfigError(f"--data-dir {options.data_dir}: there is no such folder")
    dumps = [options.dump] if options.dump else dumps_with_data(ColumnStore(storage, ""))
    for dump in dumps:
        check_dump(dump, storage)
    with cached_settings():
        _print_status(dumps, as_json=options.json)
    if not dumps and not options.json:
        print(
            f"nothing in {storage.shown_url} yet: name another folder with --data-dir, or fill it "
            "with skord run DeduplicateIndividually --dumps 2024-10"
        )


def _print_status(dumps: Sequence[str], *, as_json: bool) -> None:
    log_dir = Path(executor().log_dir)
    if as_json:
        print_json([row for dump in dumps for row in status_rows(dump)])
        return
    many = len(dumps) > MANY_DUMPS
    for dump in dumps:
        print("\n".join(status_lines(dump, log_dir, by_manifest=many)), end="\n\n")
    if many:
        print("complete: by the manifests; with --dump, shards are looked for, too")


def status_rows(dump: str) -> Iterator[dict[str, Any]]:
    """For programs: each task of a dump, whether it is complete, and its manifest's counts."""
    for name, cls in task_classes().items():
        task = cls(dump=dump)
        manifest = task.store.manifest(name)
        if manifest is None and (
            cls.on_request or not source_has_task(name, source_of(dump, task.store.storage))
        ):
            continue
        yield {
            "dump": dump,
            "task": name,
            "complete": task.complete(),
            "shards": manifest and manifest["num_shards"],
            "rows": manifest and manifest["rows"],
            "counts": (manifest or {}).get("counts", {}),
        }


def source_has_task(task: str, own: Source) -> bool:
    """Whether a dump of this source has the task at all: files of one's own have no index."""
    return not (own.is_own and task == "CCIndex")


def dumps_with_data(store: ColumnStore) -> list[str]:
    """Dumps of which the data folder holds anything."""
    dumps = {name for task in task_classes() for name in store.storage.names(task)}
    return sorted(name for name in dumps if not name.startswith("_"))


def status_lines(dump: str, log_dir: Path, *, by_manifest: bool = False) -> Iterator[str]:
    """A line for each task that is complete, and for each phase of one that is not.

    `by_manifest` believes manifests, and lists no folder of shards for completeness.
    """
    yield f"dump {dump}"
    yield from _planned_line(ColumnStore(open_storage(), dump), log_dir)
    yield HEADER
    for name, cls in task_classes().items():
        task = cls(dump=dump)
        if cls.on_request and not task.store.storage.names(task.store.folder(name)):
            continue
        if not source_has_task(name, source_of(dump, task.store.storage)):
            continue
        runs = list(noted_runs(runs_path(log_dir, name, dump)))
        try:
            whole = is_complete(task, by_manifest=True) if by_manifest else task.complete()
            if whole or _is_stale(task, by_manifest=by_manifest):
                yield from _complete_line(task, runs)
            else:
                yield from _open_lines(task, runs, log_dir)
        except ConfigError as error:
            yield f"{name:<20}cannot run: {error}"


def _planned_line(store: ColumnStore, log_dir: Path) -> Iterator[str]:
    """What was estimated of the dump beside what it took so far, if anything was."""
    path = plans_path(store.dump)
    if not store.storage.exists(path):
        return
    plan = json.loads(store.storage.read(path))
    used_s = sum(
        run.cpu_seconds or run.work_seconds
        for task in task_classes()
        for run in noted_runs(runs_path(log_dir, task, store.dump))
    )
    held = sum(store.storage.tree_bytes(store.folder(task)) for task in plan["kept_bytes"])
    yield (
        f"planned {shown_time(plan['core_s'])} of CPU and "
        f"{shown_size(sum(plan['kept_bytes'].values()))} in the end; so far "
        f"{shown_time(used_s)} and {shown_size(held)}"
    )


def _is_stale(task: TaskDeclaration, *, by_manifest: bool) -> bool:
    """Whether every shard is there, made with other settings than those in force."""
    manifest = task.store.manifest(task.task_family)
    if manifest is None or manifest["stamp"] == task.fingerprint:
        return False
    return by_manifest or not task.store.lost_shards(task.task_family, manifest)


def _state(task: TaskDeclaration, manifest: Mapping[str, Any]) -> str:
    """`complete`, and if so with which other settings."""
    if manifest["stamp"] == task.fingerprint:
        return "complete"
    now, before = task.to_str_params(only_significant=True), manifest.get("settings", {})
    changed = [f"{k} {before.get(k)}, now {v}" for k, v in now.items() if before.get(k) != v]
    return "complete with other settings" + (f": {', '.join(changed)}" if changed else " upstream")


def _complete_line(task: TaskDeclaration, runs: list[PhaseRun]) -> Iterator[str]:
    manifest = task.store.manifest(task.task_family) or {}
    shards, rows = int(manifest["num_shards"]), int(manifest["rows"])
    yield _line(
        task.task_family, SHARD, (shards, 0, 0), rows, _rate(rows, runs), _state(task, manifest)
    )
    for prefix, text in FAILURE_COUNTS.items():
        counts = {k: n for k, n in sorted(manifest["counts"].items()) if k.startswith(prefix)}
        if counts:
            shown = ", ".join(f"{name.partition('.')[2]} {n:,}" for name, n in counts.items())
            yield f"{'':<20}{text}: {shown}"


def _open_state(task: TaskDeclaration, damaged: Sequence[int]) -> str:
    """Why a task is not complete; `damaged` shards are there and cannot be read."""
    manifest = task.store.manifest(task.task_family)
    lost = task.store.lost_shards(task.task_family, manifest) if manifest else []
    numbers = sorted({*lost, *damaged})
    named = ", ".join(f"{number:05d}" for number in numbers[:SHARDS_NAMED])
    more = " …" if len(numbers) > SHARDS_NAMED else ""
    what = f"shard{'s' * (len(numbers) > 1)} {named}{more} missing or cut off: run again"
    is_of_others = manifest is not None and manifest["stamp"] != task.fingerprint
    parts = ["made with other settings"] if is_of_others else []
    return ", and ".join([*parts, *([what] if numbers else [])]) or "open"


def _items_in_place(
    task: TaskDeclaration, phase: str, size: int
) -> tuple[dict[int, ShardFooter], list[int]]:
    """The footers of the items that need no more work, and the items whose files are damaged."""
    find = task.finder(phase)
    held = task.store.numbers(task.task_family, phase)
    asked = [number for number in range(size) if number in held]

    def look(number: int) -> ShardFooter | DamagedError | None:
        try:
            return find(number)
        except DamagedError as error:
            return error

    found = dict(zip(asked, task.store.storage.each(look, asked), strict=True))
    footers = {number: one for number, one in found.items() if isinstance(one, ShardFooter)}
    return footers, [number for number, one in found.items() if isinstance(one, DamagedError)]


def _open_lines(task: TaskDeclaration, runs: list[PhaseRun], log_dir: Path) -> Iterator[str]:
    for phase in task.phases():
        try:
            size = phase.size()
        except PipelineError:
            yield f"{task.task_family:<20}{phase.name:<12}{'waits for what comes before':>27}"
            return
        done, damaged = _items_in_place(task, phase.name, size)
        errors = {n: e for run in runs if run.phase == phase.name for n, e in run.errors.items()}
        failed = {n: e for n, e in errors.items() if int(n) not in done}
        missing = size - len(done) - len(failed)
        counts = (len(done), len(failed), missing)
        rows = sum(footer.rows for footer in done.values())
        state = _open_state(task, damaged if phase.name == SHARD else ())
        yield _line(task.task_family, phase.name, counts, rows, "", state)
        yield from _live_lines(task, phase.name, log_dir)
        for number, error in failed.items():
            yield f"{'':<20}{phase.name} {number}: {error}"


def _live_lines(task: TaskDeclaration, phase: str, log_dir: Path) -> Iterator[str]:
    """The array jobs that are at work on a phase, where Slurm runs it."""
    if executor_kind(needs_network=task.needs_network) != "slurm":
        return

    folder = phase_folder(log_dir, task.task_family, str(task.dump), phase, task.fingerprint)
    attempts = {attempt.manifest.name: attempt for attempt in attempts_in(folder)}
    seen = queued_array_tasks(attempts) if attempts else []
    if seen is None:
        yield f"{'':<20}squeue does not answer: what is at work is not known"
        return
    live = Counter(
        (array_task.name, array_task.job_id, array_task.state)
        for array_task in seen
        if array_task.active
    )
    for (name, job_id, state), number in sorted(live.items()):
        logs = attempts[name].folder / "logs"
        yield f"{'':<20}job {job_id}: {number} {state.lower()}, logs in {logs}"


def _rate(rows: int, runs: list[PhaseRun]) -> str:
    seconds = sum(run.seconds for run in runs if run.phase == SHARD)
    return f"{rows / seconds:,.1f}" if seconds else ""


def _line(
    task: str, phase: str, counts: tuple[int, int, int], rows: int, rate: str, state: str
) -> str:
    numbers = "".join(f"{number:>11,}" for number in (*counts, rows))
    return f"{task:<20}{phase:<12}{numbers}{rate:>11}  {state}"
