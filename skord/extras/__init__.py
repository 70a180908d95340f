"""Extras: what few users ask for, each in a room, a folder that holds all of it.

A room holds its Luigi tasks, their computation, its commands, and in its `__init__` DECLARES: what
it adds to the rest, as objects of a few kinds, each defined where it is used. Nothing outside names
a room: whoever has a use for objects of a kind asks `declared` for them. So a room is added by a
folder, and removed by deleting it.

| kind | defined in | what it adds |
|---|---|---|
| `TaskModule` | here | Luigi tasks, which `skord run` finds by their names |
| `GraphCheck` | here | a check before a run, after all others |
| `Feature`, `Label` | `skord.quality.features` | what limits may use and the export may publish |
| `TextModel` | `skord.quality.features` | a measure of FilterDocuments by a model |
| `CardPart` | `skord.publishing.card.dataset_card` | a sentence of the dataset card |
| `ExtraCommand` | `skord.cli.declarations` | a command of `skord` |
| `WhyPart` | `skord.cli.declarations` | sentences of `skord why` on a kept page |
| `WhatIfSetting` | `skord.cli.declarations` | a setting that `skord study what-if` tries |
| `SampleTask` | `skord.cli.declarations` | a task of `skord sample run` |
| `ReportPart` | `skord.cli.declarations` | a section of the report |

The rooms: `grading`, `paragraphs` (Uzushio's), `ccnet_files` (CCNet's published forms),
`references` (pages that resemble those Wikipedia cites), `contamination` (by evaluation sets),
`passages` (repeated text), `registers`, `unwanted` (spam), `education`, `warc_export`,
`evaluation` (of corpora and languages), `figures` (of the CCNet paper), `canaries` (known pages that
go before a run).

A room imports the graph, the library and the command line, never another room. Its `__init__` is
read with every `import skord`: it imports neither Luigi nor the graph, and names functions of the
room's other modules by `Function`.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
from dataclasses import dataclass
from typing import Any, TypeVar

ORDER = (
    "passages", "ccnet_files", "paragraphs", "grading", "contamination", "unwanted", "registers",
    "education", "warc_export", "references", "evaluation", "figures", "canaries",
)  # fmt: skip
"""The order of columns and tasks; a room that is not listed comes last."""

Kind = TypeVar("Kind")


@dataclass(frozen=True)
class TaskModule:
    """A module of Luigi tasks.

    Attributes:
        module: its name.
        of_pages: those of its tasks whose columns `skord why` shows, and the report counts.
    """

    module: str
    of_pages: tuple[str, ...] = ()


@dataclass(frozen=True)
class Function:
    """A function of a module that is imported when the function is called."""

    module: str
    name: str

    def __call__(self, *arguments: Any) -> Any:
        """Import the module, and call the function."""
        return getattr(importlib.import_module(self.module), self.name)(*arguments)


@dataclass(frozen=True)
class GraphCheck:
    """A look at what a run would come to, before it starts.

    Attributes:
        check: takes the task asked for, and raises a PipelineError where it is not to start.
    """

    check: Function


@functools.cache
def rooms() -> tuple[str, ...]:
    """Names of the rooms that are there.

    >>> rooms()[:2]
    ('passages', 'ccnet_files')
    """
    found = sorted(module.name for module in pkgutil.iter_modules(__path__) if module.ispkg)
    listed = [name for name in ORDER if name in found]
    return (*listed, *(name for name in found if name not in ORDER))


@functools.cache
def declared(kind: type[Kind]) -> tuple[Kind, ...]:
    """All that rooms declare of a kind, in the order of the rooms.

    >>> [one.of_pages for one in declared(TaskModule) if one.of_pages][0]
    ('FindRepeatedPassages',)
    """
    modules = [importlib.import_module(f"{__name__}.{name}") for name in rooms()]
    return tuple(one for module in modules for one in module.DECLARES if isinstance(one, kind))
