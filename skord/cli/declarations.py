"""What an extra can add to the commands: a command, and parts of `why`, `what-if`, `report`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from skord.cli.parser import Command


@dataclass(frozen=True)
class ExtraCommand:
    """A command of an extra, in one of the groups of `skord --help`."""

    group: str
    command: Command


@dataclass(frozen=True)
class WhyPart:
    """Sentences of `skord why` on what a kept page bears that no export has decided by.

    Attributes:
        sentences: of the page's row in each task's table, and the ExportCorpus task with the
            settings in force.
    """

    sentences: Callable[[Mapping[str, Mapping[str, Any]], Any], Iterator[str]]


class SettingCount(Protocol):
    """What a setting of the export would do to the pages that pass.

    Attributes:
        room: how many pages may be kept to show, so far.
    """

    room: int

    def add(self, store: Any, shard: int, group: int, ids: set[str]) -> None:
        """Count these pages of a row group of a `ColumnStore`."""


@dataclass(frozen=True)
class WhatIfSetting:
    """A setting of [ExportCorpus] that `skord study what-if` tries, as `--set NAME=VALUE`.

    Attributes:
        task: the one whose columns are read; it must be complete.
        values: that it can have.
        count: a value to what is counted with it.
        lines: what was counted, for people.
    """

    name: str
    task: str
    values: Sequence[str]
    count: Callable[[str], SettingCount]
    lines: Callable[[Any], Iterator[str]]


@dataclass(frozen=True)
class ReportPart:
    """A section of the report.

    Attributes:
        name: of the section, and of its values in the report's JSON file.
        gather: a dump's `ColumnStore` and the shards that are read, to values for JSON; empty or
            None where the task has not run.
        html: the report's Jinja environment and the values, to HTML.
        without: the section's sentence for a dump without values.
    """

    name: str
    title: str
    about: str
    gather: Callable[[Any, Sequence[int]], Any]
    html: Callable[[Any, Any], str]
    without: str


@dataclass(frozen=True)
class SampleTask:
    """A task that `skord sample run` runs behind ExportCorpus.

    Attributes:
        install: the command that installs them.
        harvest_settings: its section of luigi.cfg for the Latvian crawl.
    """

    task: str
    packages: tuple[str, ...] = ()
    install: str = ""
    harvest_settings: str = ""
