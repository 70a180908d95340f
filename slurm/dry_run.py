"""What Slurm would get for some tasks: the command and the script of each array, none submitted."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path

import luigi

from skord.core.config import executor
from skord.core.driver import note_dependant, run_ahead_tasks, work_items
from skord.core.failures import ConfigError, PipelineError
from skord.core.preflight import check_tasks
from skord.core.tasks.declaration import TaskDeclaration
from skord.core.tasks.phases import Phase
from skord.core.work_item import Resources
from skord.slurm.executor import carried_on, cluster_max_array
from skord.slurm.settings import settings_for
from skord.slurm.submission.attempts import phase_folder
from skord.slurm.submission.sbatch import Needs
from skord.slurm.submission.submitter import Submitter

NO_LOCK = -1


def dry_run_lines(tasks: Iterable[luigi.Task]) -> Iterator[str]:
    """For each phase that has work left, first those upstream: what is submitted, and its script.

    How many items a phase has may depend on a task that is not complete; then one stands for all.

    Args:
        tasks: with all that they need.

    Raises:
        ConfigError: the tasks would not run on Slurm, or none of its partitions holds them.
    """
    if executor().kind != "slurm":
        raise ConfigError(
            "--dry-run prints what Slurm would get: set [executor] kind = slurm, or add "
            "--executor-kind slurm"
        )
    wanted = _to_be_made(tasks)
    max_array, note = _max_array()
    yield f"# {sum(len(task.phases()) for task in wanted)} phases of {len(wanted)} tasks; {note}"
    for task in wanted:
        for phase in task.phases():
            yield from _phase_lines(task, phase, max_array)


def _to_be_made(tasks: Iterable[luigi.Task]) -> list[TaskDeclaration]:
    """The tasks that are not complete, those upstream first, each once."""
    declared = list(_declared(tasks))
    wanted = list({task.task_id: task for task in check_tasks(declared)}.values())
    for task in wanted:
        for needed in task.upstream():
            note_dependant(task, needed)
    return wanted


def _declared(tasks: Iterable[luigi.Task]) -> Iterator[TaskDeclaration]:
    """The tasks that have phases; of one that only names others, those."""
    for task in tasks:
        if isinstance(task, TaskDeclaration):
            yield task
        else:
            yield from _declared(luigi.task.flatten(task.requires()))


def _max_array() -> tuple[int, str]:
    """The cluster's largest array; where it cannot be asked, the settings alone."""
    try:
        return cluster_max_array(), "nothing is submitted"
    except ConfigError:
        return settings_for("").max_array, "nothing is submitted; no cluster answers here"


def _phase_lines(task: TaskDeclaration, phase: Phase, max_array: int) -> Iterator[str]:
    title = f"{task.task_family} {task.dump}, phase {phase.name}"
    try:
        size = phase.size()
        done = task.in_place(phase.name, size)
    except PipelineError:
        numbers = [0]
        counted = "one item; how many there are is known once what it needs is complete"
    else:
        numbers = [number for number in range(size) if number not in done]
        counted = f"{len(numbers)} of {size} items"
    if not numbers:
        return
    ahead = run_ahead_tasks(task, phase)
    work = work_items(task, phase.name, numbers, ahead)
    work, settings, resources = carried_on(work, Resources(task.mem_gb, task.gpus))
    log_dir = Path(executor().log_dir)
    folder = phase_folder(log_dir, work.family, work.dump, work.phase, work.fingerprint)
    submitter = Submitter(work, resources, folder, settings, max_array, NO_LOCK)
    needs = Needs(settings.mem_gb or resources.mem_gb, settings.time_min)
    command, script = submitter.preview(numbers, needs)
    through = "".join(f", then {later.family}" for later in work.ahead)
    yield f"\n# {title}: {counted}{through}"
    yield shlex.join(command)
    yield f"# {command[-1]}:"
    yield from (f"#   {line}" for line in script.splitlines())
