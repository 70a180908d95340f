"""What runs the work items of a phase, and how the one that luigi.cfg names is found.

An executor is a class that an entry point of the group `skord.executors` names; `[executor]
kind` gives the entry point's name, and the sections `[NAME]` and `[NAME.Task]` are its own.
"""

from __future__ import annotations

import logging
from collections.abc import Generator, Iterable, Iterator, Sequence
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Protocol

from skord.core.config import executor
from skord.core.failures import ConfigError
from skord.core.progress import with_progress
from skord.core.tasks.phases import ShardReport
from skord.core.work_item import Resources, WorkItems

logger = logging.getLogger("luigi-interface")

GROUP = "skord.executors"
"""The group of entry points."""

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
def registered_executors() -> dict[str, EntryPoint]:
    """Every executor that there is, by the word for it in luigi.cfg; none is imported yet."""
    return {point.name: point for point in entry_points(group=GROUP)}


def executor_class(kind: str) -> type[Executor]:
    """The executor of that name.

    Raises:
        ConfigError: there is none.
    """
    known = registered_executors()
    if kind not in known:
        raise ConfigError(
            f"[executor] there is no kind {kind!r}: set it to {' or '.join(sorted(known))}"
        )
    cls: type[Executor] = known[kind].load()
    return cls


def executor_kind(*, needs_network: bool = False) -> str:
    """The name of the executor of a task, by whether it needs the internet."""
    chosen = executor()
    return str((needs_network and chosen.network_kind) or chosen.kind)


def executor_from_config(kind: str = "") -> Executor:
    """The executor of that name; the one that [executor] kind names when left out.

    Raises:
        ConfigError: there is no such executor, or it cannot work here.
    """
    return executor_class(kind or executor_kind()).from_config()


def executor_of_section(section: str) -> str | None:
    """The executor whose section of luigi.cfg this is.

    >>> executor_of_section("slurm.CCNet"), executor_of_section("CCNet")
    ('slurm', None)
    """
    kind = section.partition(".")[0]
    return kind if kind in registered_executors() else None


def with_progress_bar(
    reports: Iterable[ShardReport], work: WorkItems, *, show: bool
) -> Iterator[ShardReport]:
    """The reports as they come, with a progress bar if wanted, and errors in the log."""
    show = show and bool(work.numbers)
    for report in with_progress(reports, work.title, len(work.numbers), show=show):
        if report.error:
            logger.error("%s %s: %s", work.family, report.number, report.error)
        yield report
