"""Runs the phases of a task, completes it, and sums up what its shards' footers hold."""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import luigi

from skord.core.config import executor
from skord.core.executor import executor_from_config, executor_kind
from skord.core.failures import ShardError
from skord.core.odd_yields import report_odd_yields
from skord.core.run_log import note_run, runs_path
from skord.core.settings import given_settings
from skord.core.storage.column_store import BESIDE, DAMAGED, GROUPING, IDS, SHARD
from skord.core.storage.shard_files import PARTIAL_FOLDER
from skord.core.task_lock import lock_task
from skord.core.tasks.declaration import TaskDeclaration, cached_settings
from skord.core.tasks.phases import Phase, ShardReport
from skord.core.work_item import Next, Resources, WorkItems

logger = logging.getLogger("luigi-interface")

_known_whole: ContextVar[set[str] | None] = ContextVar("whole", default=None)

PROGRESS_S = 1.0
"""Luigi's scheduler gets a phase's progress no more often than this."""


def run(task: TaskDeclaration) -> None:
    """Make the work items that are missing, then write the manifest.

    While another driver makes the task, this one waits, and then finds it made. Should both be at
    it all the same, what they make has the same bytes; whoever comes first completes it and removes
    its transient phases, and the other takes that for its own end.

    Raises:
        ShardError: a work item failed, or the task cannot be completed.
    """
    task.was_made = task.is_made
    if task.was_made:
        return
    with lock_task(task.store, task.task_family):
        task.was_made = task.is_made
        if not task.was_made:
            _make(task)


def _make(task: TaskDeclaration) -> None:
    task.is_at_work = True
    try:
        _log_lost(task)
        # No task downstream is to take this one for complete while its shards are replaced.
        task.store.delete_manifest(task.task_family)
        # What comes before is complete: until the manifest is written, no fingerprint changes.
        with cached_settings():
            _run_phases(task)
            write_task_manifest(task)
    except (ShardError, OSError) as error:
        if not task.is_made:
            raise
        logger.info("%s %s: another run completed it (%s)", task.task_family, task.dump, error)
        _remove_transient(task)
    finally:
        task.is_at_work = False


def _run_phases(task: TaskDeclaration) -> None:
    _sweep_temporary_files(task)
    try:
        for phase in task.phases():
            if not (phase.transient and _kept_is_done(task)):
                _run_phase(task, phase)
    finally:
        _sweep_temporary_files(task)


def is_complete(task: TaskDeclaration, *, by_manifest: bool = False) -> bool:
    """Whether the manifest bears the fingerprint, and, unless it is to do, shards are in place."""
    manifest = task.store.manifest(task.task_family)
    if manifest is None or manifest["stamp"] != task.fingerprint:
        return False
    return by_manifest or not (
        task.store.lost_shards(task.task_family, manifest) or task.lost_beside(manifest)
    )


@contextlib.contextmanager
def known_chains() -> Iterator[None]:
    """While it lasts, a task found whole with all below it is not looked at again."""
    token = _known_whole.set(set())
    try:
        yield
    finally:
        _known_whole.reset(token)


def is_chain_whole(task: TaskDeclaration) -> bool:
    """Whether a task and every task below it is complete, each shard in place.

    Luigi asks the last task first, and goes down only below those that are not complete. So a
    task is complete for him only where nothing below it is missing.
    """
    known = _known_whole.get()
    return _is_chain_whole(task, set() if known is None else known)


def _is_chain_whole(task: TaskDeclaration, known: set[str]) -> bool:
    if task.task_id in known:
        return True
    if not task.is_made or not all(_is_chain_whole(one, known) for one in task.upstream()):
        return False
    known.add(task.task_id)
    return True


def _log_lost(task: TaskDeclaration) -> None:
    """Log what is missing or damaged of a task that was complete, and so made again."""
    for sentence in task.set_aside_lost():
        logger.warning("%s: made again, and nothing else", sentence)
    readers = [later.task_family for later in task.wanted_by if later.is_made]
    if readers and task.store.manifest(task.task_family) is None:
        logger.warning(
            "%s %s: its manifest is missing though %s, which reads it, is complete: what is not "
            "in place is made again",
            task.task_family,
            task.dump,
            " and ".join(dict.fromkeys(readers)),
        )


def _sweep_temporary_files(task: TaskDeclaration) -> None:
    swept = task.store.storage.sweep()
    if swept:
        logger.info("removed %d half-written files of killed processes", swept)


def _kept_is_done(task: TaskDeclaration) -> bool:
    """Whether nothing is missing that what does not stay could be needed for."""
    kept = (phase for phase in reversed(task.phases()) if not phase.transient)
    sizes = ((phase.name, phase.size()) for phase in kept)
    return all(len(task.in_place(name, size)) == size for name, size in sizes)


# -- one phase ---------------------------------------------------------------------------


def _run_phase(task: TaskDeclaration, phase: Phase) -> None:
    size = phase.size()
    done = task.in_place(phase.name, size)
    missing = [number for number in range(size) if number not in done]
    if not missing:
        return
    started = time.time()
    ahead = run_ahead_tasks(task, phase)
    for later in ahead:
        later.store.delete_manifest(later.task_family)
    work = work_items(task, phase.name, missing, ahead)
    chosen = executor_from_config(executor_kind(needs_network=task.needs_network))
    with closing(chosen.map(work, Resources(task.mem_gb, task.gpus))) as made:
        reports = list(_report_progress(task, made, phase.name, size, size - len(missing)))
    _note_phase(task, phase.name, started, reports)
    for later in ahead:
        made_ahead = [
            r for report in reports for name, r in report.ahead if name == later.task_family
        ]
        if made_ahead:
            _note_phase(later, phase.name, started, made_ahead)
    find = task.finder(phase.name)
    failed = sorted(
        (r for r in reports if r.error and not (ahead and find(r.number))), key=lambda r: r.number
    )
    if failed:
        logs = sorted({report.log for report in failed if report.log})
        raise ShardError(
            f"{task.task_family} {task.dump}: {len(failed)} of {size} work items of phase "
            f"{phase.name} failed, first {failed[0].number}: {failed[0].error}"
            + (f" (traceback: {logs[0]})" if logs else "")
        )


def _note_phase(
    task: TaskDeclaration, phase: str, started: float, reports: list[ShardReport]
) -> None:
    """Note what became of a phase's items, for people and for `plan`."""
    log = runs_path(Path(executor().log_dir), task.task_family, str(task.dump))
    held_bytes = task.store.storage.tree_bytes(task.store.folder(task.task_family))
    note_run(log, phase, task.fingerprint, started, reports, held_bytes)


def work_items(
    task: TaskDeclaration,
    phase: str,
    numbers: Sequence[int],
    ahead: Sequence[TaskDeclaration] = (),
) -> WorkItems:
    """Work items of one phase, for an executor; and the tasks that they are carried on through."""
    store, fingerprint, find = task.store, task.fingerprint, task.finder(phase)
    family = task.task_family
    return WorkItems(
        family=family,
        dump=str(task.dump),
        phase=phase,
        params=json.dumps(task.to_str_params(), sort_keys=True),
        fingerprint=fingerprint,
        options=given_settings(),
        data_root=store.storage.root,
        numbers=tuple(numbers),
        is_done=lambda number: find(number) is not None,
        is_written=lambda number: store.has(store.path(family, number, phase), fingerprint),
        ahead=tuple(map(next_of, ahead)),
    )


def _report_progress(
    task: TaskDeclaration, reports: Iterable[ShardReport], phase: str, size: int, done: int
) -> Iterator[ShardReport]:
    """The reports as they come, and how far the phase is to Luigi's scheduler."""
    failed, updated_at = 0, 0.0
    for report in reports:
        failed, done = failed + bool(report.error), done + (not report.error)
        if time.monotonic() > updated_at + PROGRESS_S or done + failed == size:
            updated_at = time.monotonic()
            text = f"{phase}: {done} of {size} work items done, {failed} failed"
            _update_scheduler(task, text, done / size)
        yield report


def _update_scheduler(task: TaskDeclaration, text: str, share: float) -> None:
    """Have Luigi's scheduler show it, if a worker of Luigi's runs this task."""
    message: Any = task.set_status_message
    percentage: Any = task.set_progress_percentage
    if message and percentage:
        message(text)
        percentage(round(100 * share))


# -- running ahead -----------------------------------------------------------------------
#
# With `[executor] run_ahead = true`, the process that has made shard k of a task goes on with
# shard k of the tasks that read it, as far as nothing else of theirs is missing. Only the order of
# work changes: each of those tasks runs in its turn all the same, makes what could not be made
# ahead, and alone writes its manifest. A shard that is not all that can be had, or that failed,
# carries nothing on, so that nothing is made of what will be made again.


def note_dependant(task: luigi.Task, dependency: luigi.Task) -> None:
    """Keep in mind that Luigi is about to run a task, and which one it waits for."""
    if isinstance(task, TaskDeclaration) and isinstance(dependency, TaskDeclaration):
        dependency.wanted_by = (*dependency.wanted_by, task)


luigi.Task.event_handler(luigi.Event.DEPENDENCY_DISCOVERED)(note_dependant)


def run_ahead_tasks(task: TaskDeclaration, phase: Phase) -> Sequence[TaskDeclaration]:
    """The tasks that a shard of a task is carried on through, in the order of work."""
    if phase.name != SHARD or not executor().run_ahead:
        return []
    carried = [task]
    while True:
        wanted = (later for member in carried for later in member.wanted_by)
        joining = (one for one in wanted if one not in carried and _can_join(one, carried))
        if (more := next(joining, None)) is None:
            return carried[1:]
        carried.append(more)


def _can_join(task: TaskDeclaration, carried: Sequence[TaskDeclaration]) -> bool:
    """Whether a shard of it needs no more than the same shard of those, and what is complete."""
    first = carried[0]
    return (
        task.reads_same_shard
        and (task.dump, task.gpus) == (first.dump, first.gpus)
        and executor_kind(needs_network=task.needs_network)
        == executor_kind(needs_network=first.needs_network)
        and not task.is_made
        and all(needed in carried or needed.is_made for needed in task.upstream())
    )


def next_of(task: TaskDeclaration) -> Next:
    """A task in the words that travel to a worker."""
    find = task.finder(SHARD)
    return Next(
        family=task.task_family,
        params=json.dumps(task.to_str_params(), sort_keys=True),
        fingerprint=task.fingerprint,
        mem_gb=task.mem_gb,
        is_done=lambda number: find(number) is not None,
    )


# -- the end -----------------------------------------------------------------------------


def write_task_manifest(task: TaskDeclaration) -> None:
    """Write the manifest: from here on the task is complete.

    Raises:
        ShardError: too many rows failed, some are lost, or yields are odd and that is an error.
    """
    store, family = task.store, task.task_family
    manifest = task.summary(summed_up(task))
    counts = manifest["counts"]
    failures = {k: v for k, v in counts.items() if k.startswith(("failure.", "bad_record."))}
    judged = counts.get("judged", 0) or counts.get("pages", 0)
    # Records that could not be read are no rows, but belong to what the share is of.
    judged += sum(v for k, v in failures.items() if k.startswith("bad_record."))
    share = sum(failures.values()) / max(judged, 1)
    if share > task.max_failure_share:
        raise ShardError(
            f"{family} {task.dump}: {share:.1%} of the rows failed ({failures}), "
            f"more than max_failure_share = {task.max_failure_share:g}: mend the cause and "
            f"remove the shards, or raise [{family}] max_failure_share"
        )
    task.check_counts(manifest)
    report_odd_yields(task, manifest)
    _remove_transient(task)
    _remove_beyond(task, manifest["num_shards"])
    store.note_made(family)
    # Last: with it the task is complete, and a kill before it leaves work that is done again.
    store.write_manifest(family, manifest)
    # Once more: a job that was thought lost may have made one of these in the meantime.
    _remove_transient(task)


def _remove_transient(task: TaskDeclaration) -> None:
    """Take away what only the task itself reads."""
    folder = task.store.folder(task.task_family)
    for name in [PARTIAL_FOLDER, *(phase.name for phase in task.phases() if phase.transient)]:
        task.store.storage.delete_folder(f"{folder}/_{name}")


def _remove_beyond(task: TaskDeclaration, num_shards: int) -> None:
    """Take away shards of an earlier run that had more of them, and those made again as damaged."""
    store = task.store
    folder = store.folder(task.task_family)
    for inner in [folder, *(f"{folder}/{name}" for name in task.beside())]:
        for name in store.storage.names(inner):
            if name.endswith(DAMAGED):
                store.storage.delete(f"{inner}/{name}")
    for number in store.shard_bytes(task.task_family):
        if number >= num_shards:
            store.storage.delete(store.path(task.task_family, number))


def summed_up(task: TaskDeclaration) -> dict[str, Any]:
    """Shards, rows and counts added up from the shards' footers.

    Raises:
        ShardError: a shard is missing or was made with other settings.
    """
    counts: Counter[str] = Counter()
    rows, ids = 0, hashlib.blake2b(digest_size=16)
    num_shards = task.phases()[-1].size()
    store, fingerprint = task.store, task.fingerprint
    paths = [store.path(task.task_family, shard) for shard in range(num_shards)]
    for path, footer in zip(paths, store.storage.each(store.footer, paths), strict=True):
        if footer is None or footer.fingerprint != fingerprint:
            raise ShardError(f"{store.storage.shown(path)} is missing or stale: run again")
        rows += footer.rows
        counts.update(footer.counts)
        ids.update((footer.ids or "").encode())
    counts.pop(GROUPING, None)
    held = store.shard_bytes(task.task_family)
    return {
        "task": task.task_family,
        "dump": str(task.dump),
        "stamp": fingerprint,
        "settings": task.to_str_params(only_significant=True),
        "num_shards": num_shards,
        "rows": rows,
        "counts": dict(counts),
        IDS: ids.hexdigest(),
        "bytes": [held[shard] for shard in range(num_shards)],
        BESIDE: {name: state.size for name, state in task.files_beside().items()},
    }
