"""Makes attempts and gets them into the queue; finds those that are there already."""

from __future__ import annotations

import json
import logging
import os
import secrets
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from skord.core.failures import ConfigError
from skord.core.work_item import Resources, WorkItems
from skord.slurm.commands import BusyError, FullError, submit_job
from skord.slurm.monitoring.diagnosis import Kind
from skord.slurm.monitoring.queue import own_arrays, queued_array_tasks
from skord.slurm.pilot_jobs.handover import hand_over, take_over_pilots
from skord.slurm.pilot_jobs.item_queue import ItemQueue, bucket_size
from skord.slurm.settings import SlurmSettings
from skord.slurm.submission.attempts import (
    FOLDER,
    Attempt,
    Manifest,
    attempts_in,
    next_folder,
    write_attempt,
)
from skord.slurm.submission.sbatch import (
    ArrayJob,
    Needs,
    group_size,
    grouped_numbers,
    job_script,
    name_prefix,
    sbatch_arguments,
    time_limit_min,
    warning_s,
)

logger = logging.getLogger("luigi-interface")

LEAST_ARRAY_TASKS = 10
"""An array is not made smaller than this to fit a limit on jobs: then it waits."""


class Submitter:
    """The way from items to arrays in the queue, for one phase.

    Args:
        work: the items of the phase.
        resources: what one item may take, unless the settings say otherwise.
        max_array: the most array tasks that the cluster allows in an array.
        lock: descriptor of the driver's lock.
    """

    def __init__(
        self,
        work: WorkItems,
        resources: Resources,
        folder: Path,
        settings: SlurmSettings,
        max_array: int,
        lock: int,
    ) -> None:
        self.work = work
        self.resources = resources
        self.folder = folder
        self.settings = settings
        self.cap = min(max_array, settings.max_array)
        self._lock = lock
        self._prefix = name_prefix(work)
        self._doubtful: set[str] = set()
        self._full: set[str] = set()

    # -- what is there already -----------------------------------------------------------

    def live(self) -> list[Attempt]:
        """Attempts of earlier drivers whose arrays are still in the queue, newest first.

        Raises:
            ConfigError: an array of this phase is alive whose attempt cannot be found.
        """
        known = {attempt.manifest.name: attempt for attempt in attempts_in(self.folder)}
        while (rows := own_arrays((self._prefix, *known))) is None:
            logger.warning("squeue does not answer: nothing is submitted until it does")
            time.sleep(self.settings.poll_s)
        jobs = {row.name: row.job_id for row in rows}
        for name in jobs.keys() - known.keys():
            raise ConfigError(
                f"job {jobs[name]} ({name}) is at work on the same data, and its attempt is not "
                f"in {self.folder}: wait for it, or `scancel {jobs[name]}`"
            )
        for name, attempt in known.items():
            if name not in jobs:
                ItemQueue(attempt.folder, 0).remove()
        for name, job_id in jobs.items():
            if not known[name].job_id:
                known[name].note_job(job_id)
        return sorted((known[name] for name in jobs), key=lambda a: a.number, reverse=True)

    # -- what is new ------------------------------------------------------------------------

    def fitting(self, numbers: Sequence[int], needs: Needs) -> Sequence[int]:
        """As many of the numbers as one array takes."""
        return numbers[: self.cap] if needs.alone and not self.settings.has_pilots else numbers

    def write(
        self,
        numbers: Sequence[int],
        needs: Needs,
        limit: int,
        exclude: tuple[str, ...],
        failure_history: Mapping[int, Sequence[Kind]],
    ) -> Attempt:
        """Write down an attempt at the numbers; nothing is submitted yet."""
        folder = next_folder(self.folder)
        manifest = self._manifest(folder, numbers, needs, limit, exclude, failure_history)
        if manifest.pilots:
            ItemQueue(folder, len(manifest.groups)).fill(manifest.groups, manifest.pilots)
        job = array_job(folder, manifest)
        attempt = write_attempt(folder, manifest, self._script(job))
        return self._handed_over(attempt, job, limit) if manifest.idle_s else attempt

    def preview(self, numbers: Sequence[int], needs: Needs) -> tuple[list[str], str]:
        """The command and the script of a first attempt; nothing is written or submitted.

        Raises:
            ConfigError: no partition holds it.
        """
        limit = self.settings.max_concurrent
        folder = self.folder / f"{FOLDER}001"
        job = array_job(folder, self._manifest(folder, numbers, needs, limit, (), {}))
        return sbatch_arguments(job, self.settings), self._script(job)

    def _manifest(
        self,
        folder: Path,
        numbers: Sequence[int],
        needs: Needs,
        limit: int,
        exclude: tuple[str, ...],
        failure_history: Mapping[int, Sequence[Kind]],
    ) -> Manifest:
        pilots = self._pilots(len(numbers), limit)
        groups = grouped_numbers(numbers, self._group_size(len(numbers), needs, pilots))
        time_min = time_limit_min(needs, 1 if pilots else len(groups[0]), self.settings)
        if pilots:
            most_min = self.settings.most_time_min(needs.mem_gb)
            time_min = max(time_min, min(self.settings.pilot_time_min, most_min))
        name = f"{self._prefix}{folder.name.removeprefix(FOLDER)}-{secrets.token_hex(2)}"
        return Manifest(
            name=name,
            family=self.work.family,
            dump=self.work.dump,
            params=self.work.params,
            phase=self.work.phase,
            fingerprint=self.work.fingerprint,
            options=self.work.options,
            groups=groups,
            mem_gb=needs.mem_gb,
            needs_min=needs.time_min,
            time_min=time_min,
            alone=needs.alone,
            warn_s=warning_s(time_min, self.settings),
            limit=limit if limit < len(groups) and not pilots else 0,
            exclude=exclude,
            failure_history={
                n: [str(kind) for kind in failure_history[n]]
                for n in numbers
                if n in failure_history
            },
            pilots=pilots,
            idle_s=self.settings.pilot_idle_s if pilots else 0,
            ahead=tuple(task.words for task in self.work.ahead),
        )

    def _pilots(self, items: int, limit: int) -> int:
        """How many pilots make the items; 0: array tasks do."""
        if not self.settings.has_pilots:
            return 0
        most = min(self.cap, limit or self.cap)
        return most if self.settings.pilot_idle_s else min(most, items)

    def _handed_over(self, attempt: Attempt, job: ArrayJob, limit: int) -> Attempt:
        """Give the attempt to pilots that wait for work, if there are any that will do."""
        manifest = attempt.manifest
        script = (attempt.folder / "job.sh").read_text()
        command = sbatch_arguments(job, self.settings)
        before = take_over_pilots(self.folder, command, script, manifest.mem_gb, limit or self.cap)
        if before is None:
            return attempt
        theirs = before.manifest
        changed = replace(
            manifest,
            name=theirs.name,
            pilots=theirs.pilots,
            time_min=theirs.time_min,
            predecessor=str(before.folder),
        )
        ItemQueue(attempt.folder, len(manifest.groups)).make_room(theirs.pilots)
        attempt = write_attempt(attempt.folder, changed, script)
        hand_over(before, attempt)
        return attempt

    def _group_size(self, count: int, needs: Needs, pilots: int) -> int:
        if pilots:
            return bucket_size(count, pilots)
        return group_size(
            count, 1 if needs.alone else self.settings.shards_per_array_task, self.cap
        )

    def _script(self, job: ArrayJob) -> str:
        config = os.environ.get("LUIGI_CONFIG_PATH", "")
        return job_script(
            job,
            self.settings,
            python=sys.executable,
            folder=str(Path.cwd()),
            config=str(Path(config).absolute()) if config else "",
            safe_path=not {"", str(Path.cwd())} & set(sys.path),
        )

    def send(self, attempt: Attempt) -> bool:
        """Try to submit the attempt; False when that has to wait.

        Raises:
            RefusedError: it will never be taken.
            FullError: it is too large for a limit on jobs.
        """
        if attempt.manifest.predecessor:
            return True
        if attempt.manifest.name in self._doubtful:
            rows = queued_array_tasks([attempt.manifest.name])
            if rows is None:
                return False
            if rows:
                attempt.note_job(rows[0].job_id)
                return True
        command = sbatch_arguments(array_job(attempt.folder, attempt.manifest), self.settings)
        (attempt.folder / "sbatch.json").write_text(json.dumps(command, indent=1) + "\n")
        try:
            attempt.note_job(submit_job(command, self._lock))
        except BusyError as error:
            self._doubtful.add(attempt.manifest.name)
            logger.warning("sbatch does not answer (%s): trying again", error)
            return False
        except FullError as error:
            array_tasks = attempt.manifest.array_tasks
            if array_tasks <= LEAST_ARRAY_TASKS:
                self._note_full(attempt, error)
                return False
            self.cap = max(array_tasks // 2, LEAST_ARRAY_TASKS)
            raise
        return True

    def _note_full(self, attempt: Attempt, error: FullError) -> None:
        """Say once that an array waits for others to end, since sbatch takes no more."""
        if attempt.manifest.name not in self._full:
            logger.warning("%s: waits for room in the queue (%s)", self.work.title, error)
        self._full.add(attempt.manifest.name)


def array_job(folder: Path, manifest: Manifest) -> ArrayJob:
    """What an attempt's submission is made from."""
    return ArrayJob(
        name=manifest.name,
        folder=folder,
        size=manifest.array_tasks,
        limit=manifest.limit,
        mem_gb=manifest.mem_gb,
        time_min=manifest.time_min,
        exclude=manifest.exclude,
        module="skord.slurm.pilot_jobs.pilot" if manifest.pilots else "skord.slurm.worker",
    )
