"""What runs the work items of a phase, and how the one that luigi.cfg names is found.

`[executor] kind` names one of the two that come with this package, or an entry point of the
group `skord.executors`, which any other package may have; the sections `[NAME]` and `[NAME.Task]`
are its own.
"""

from __future__ import annotations

import logging
from collections.abc import Generator, Iterable, Iterator, Sequence
from functools import cache
from importlib import import_module
from typing import Protocol

from pipeline.core.config import executor
from pipeline.core.console.progress import with_progress
from pipeline.core.failures import ConfigError
from pipeline.core.tasks.phases import ShardReport
from pipeline.core.work_item import Resources, WorkItems

logger = logging.getLogger("luigi-interface")

GROUP = "skord.executors"
"""The group of entry points."""

SHIPPED = {
    "local": "pipeline.core.local.executor:LocalExecutor",
    "slurm": "slurm.executor:SlurmExecutor",
}
"""Where their classes lie. To ask what is installed for entry points takes a tenth of a start."""

Reports = Generator[ShardReport, None, None]
"""One report for each work item, as it comes."""


class Executor(Protocol):
    """Runs work items and reports on each."""

    @classmethod
    def from_config(cls) -> Executor:
        """The executor as luigi.cfg describes it.

        Raises:
            ConfigError: it cannot work here.
        """
        ...

    @classmethod
    def check_config(cls, sections: Sequence[str]) -> None:
        """Check its own sections of luigi.cfg.

        Raises:
            ConfigError: something in them cannot be meant.
        """
        ...

    def map(self, work: WorkItems, resources: Resources) -> Reports:
        """Run the work items; yield one report for each, in any order.

        Closed early, it stops what runs on this machine before it returns.
        """
        ...


@cache
def registered_executors() -> dict[str, str]:
    """Where the class of every executor lies that there is, by the word for it in luigi.cfg."""
    from importlib.metadata import entry_points

    return SHIPPED | {point.name: point.value for point in entry_points(group=GROUP)}


def executor_class(kind: str) -> type[Executor]:
    """The executor of that name.

    Raises:
        ConfigError: there is none.
    """
    if not _is_executor(kind):
        known = " or ".join(sorted(registered_executors()))
        raise ConfigError(f"[executor] kind = {kind!r} is unknown: set it to {known}")
    module, _, name = (SHIPPED.get(kind) or registered_executors()[kind]).partition(":")
    cls: type[Executor] = getattr(import_module(module), name)
    return cls


def _is_executor(kind: str) -> bool:
    return kind in SHIPPED or kind in registered_executors()


def executor_from_config() -> Executor:
    """The executor that [executor] names.

    Raises:
        ConfigError: there is no such executor, or it cannot work here.
    """
    return executor_class(executor().kind).from_config()


def executor_of_section(section: str) -> str | None:
    """The executor whose section of luigi.cfg this is.

    >>> executor_of_section("slurm.CCNet"), executor_of_section("CCNet")
    ('slurm', None)
    """
    kind = section.partition(".")[0]
    return kind if _is_executor(kind) else None


def with_progress_bar(
    reports: Iterable[ShardReport], work: WorkItems, *, show: bool
) -> Iterator[ShardReport]:
    """The reports as they come, with a progress bar if wanted, and errors in the log."""
    show = show and bool(work.numbers)
    for report in with_progress(reports, work.title, len(work.numbers), show=show):
        if report.error:
            logger.error("%s %s: %s", work.family, report.number, report.error)
        yield report
