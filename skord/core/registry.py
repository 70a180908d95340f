"""Where the tasks of the graph and of extras live: a worker finds a task class by its name.

Only names stand here; nothing of them is imported until it is asked for.
"""

from __future__ import annotations

import difflib
import functools
import importlib
import sys

from luigi.task_register import Register

from skord.core.failures import ConfigError
from skord.core.tasks.declaration import TaskDeclaration
from skord.extras import TaskModule, declared

GRAPH_MODULES = (
    "pipeline.cc_net",
    "pipeline.warc_processing",
    "pipeline.markdown_processing",
    "pipeline.quality_filtering",
    "pipeline.dedup",
    "pipeline.reservations",
    *(one.module for one in declared(TaskModule)),
    "pipeline.export",
)
"""Modules of tasks: those of the graph, and before the last of them those of the extras."""


def load_graph() -> None:
    """Import every module of the graph, so that all tasks are registered."""
    for module in GRAPH_MODULES:
        _import_module(module)


def _import_module(module: str) -> None:
    """Import one module of the graph.

    Raises:
        ConfigError: another `pipeline`, of the user's own, stands before it on the path.
    """
    try:
        importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name not in ("pipeline", *GRAPH_MODULES):
            raise
        other = getattr(sys.modules.get("pipeline"), "__file__", None) or "a module pipeline"
        raise ConfigError(
            f"{other} is imported in place of the package's tasks: give the command as skord, or "
            "as python -P -m skord"
        ) from error


@functools.cache
def task_class(family: str) -> type[TaskDeclaration]:
    """The task class of that name; no module is imported that comes after its own.

    Raises:
        ConfigError: there is no such task.
    """
    for module in GRAPH_MODULES:
        _import_module(module)
        if family in (known := _registered_tasks()):
            return known[family]
    by_letters = {name.lower(): name for name in task_classes()}
    near = difflib.get_close_matches(family.lower(), by_letters, n=1)
    hint = (
        f"did you mean {by_letters[near[0]]}?"
        if near
        else f"the tasks are {', '.join(task_classes())}"
    )
    raise ConfigError(f"there is no task {family!r}; {hint}")


def task_classes() -> dict[str, type[TaskDeclaration]]:
    """Every task of the graph that works on shards, by name, in graph order."""
    load_graph()
    classes = _registered_tasks().values()
    return {cls.get_task_family(): cls for cls in sorted(classes, key=_graph_order)}


def module_of(family: str) -> str:
    """The module of a task of any kind, such as one that only names others.

    Raises:
        ConfigError: there is no such task.
    """
    load_graph()
    if family in Register.task_names():
        cls = Register.get_task_cls(family)
        if cls.__module__ in GRAPH_MODULES and not vars(cls).get("is_abstract"):
            return str(cls.__module__)
    return task_class(family).__module__


def _registered_tasks() -> dict[str, type[TaskDeclaration]]:
    """Those whose modules are imported so far; what others of them extend is none itself."""
    classes = [
        cls
        for name in Register.task_names()
        if "." not in name and not name.startswith("_")
        if (cls := Register.get_task_cls(name)).__module__ in GRAPH_MODULES
        if hasattr(cls, "phases") and not vars(cls).get("is_abstract")
    ]
    return {cls.get_task_family(): cls for cls in classes}


def _graph_order(cls: type[TaskDeclaration]) -> tuple[int, int]:
    """Modules as listed, and in each the order in which the classes stand."""
    names = list(vars(sys.modules[cls.__module__]))
    return GRAPH_MODULES.index(cls.__module__), names.index(cls.__name__)
