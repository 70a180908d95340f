"""What a process imports only when it uses it, though a package that it needs asks for it first.

Luigi imports its scheduler with an HTTP client, and a validator of JSON schemas, for settings and
a server that we do not have: two thirds of the time that it takes. So they are modules that load
themselves when an attribute is looked up, and Luigi is in part: parameters, tasks and targets come
without what runs them. Whoever imports them besides gets what he would have got. What is asked for
and would not be used is not found.

`importlib.util.LazyLoader` does not serve: a module of its own is loaded when it is imported a
second time, and half-loaded ones are seen by other threads before Python 3.12.
"""

from __future__ import annotations

import importlib
import sys
import threading
from collections.abc import Mapping, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

OF_LUIGI = {
    "jsonschema": ("luigi.parameter", "Parameter"),
    "requests": ("luigi.rpc", "RemoteScheduler"),
}
"""For settings with a schema, and for a server that is told of tasks; by which module, and what it
has when it is imported."""

UNSEEN = {
    "tornado": ("luigi.rpc", "RemoteScheduler"),
    "fsspec": ("warcio.utils", "fsspec_open"),
}
"""What is imported where it is found, and of no use here: tenacity serves tornado for Luigi's
client, and warcio opens files by fsspec that it is never asked to open."""

DEFINITIONS = ("luigi.parameter", "luigi.task", "luigi.event", "luigi.target", "luigi.local_target")
"""Where the names lie that a task is written with."""

COMMAND_LINE = "luigi.retcodes"
"""Reads Luigi's command line, and leaves it to others to import what declares its options."""

OF_COMMANDS = frozenset(["pyarrow.compute", "pyarrow.parquet"])
"""What many commands leave alone."""

WITHOUT_NUMPY = frozenset(
    [
        "skord.cli.look.contamination",
        "skord.cli.look.funnel",
        "skord.cli.look.what_if",
        "skord.cli.look.why",
        "skord.cli.repair.verify",
    ]
)
"""Commands that read columns and never as numpy's, whose import takes longer than all of Arrow's.
Arrow then gives no arrays of numpy's for as long as the process lives."""

_ARROW = ("pyarrow.lib", "pyarrow._compute")
"""What asks for numpy and does without where there is none."""

_lock = threading.RLock()


class _Deferred(ModuleType):
    """A module whose first use loads it."""

    def __getattribute__(self, name: str) -> Any:
        if name != "__spec__":  # a further import asks whether the first has ended
            _load(self)
        return ModuleType.__getattribute__(self, name)


class _Deferring(Loader):
    def __init__(self, loader: Loader) -> None:
        self.loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self.loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        module.__class__ = _Deferred


class _InPart(ModuleType):
    """Luigi, of which a task's definition imports no more than it names.

    Any other name, such as `luigi.build`, has all of Luigi imported.
    """

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") and name not in ("__all__", "__version__"):
            raise AttributeError(f"module 'luigi' has no attribute {name!r}")
        if name[:1].isupper():
            for module in map(importlib.import_module, DEFINITIONS):
                found = vars(module).get(name)
                if getattr(found, "__module__", None) == module.__name__:
                    setattr(self, name, found)
                    return found
        elif not name.startswith("_") and PathFinder.find_spec(
            f"luigi.{name}", list(self.__path__)
        ):
            return importlib.import_module(f"luigi.{name}")
        _load(self)
        return ModuleType.__getattribute__(self, name)


def _load(module: ModuleType) -> None:
    """Make a deferred module an ordinary one, unless it is."""
    with _lock:
        spec = ModuleType.__getattribute__(module, "__spec__")
        if isinstance(spec.loader, _Deferring):
            spec.loader = spec.loader.loader
            spec.loader.exec_module(module)
            module.__class__ = ModuleType


class _DeferringInPart(_Deferring):
    def exec_module(self, module: ModuleType) -> None:
        module.__class__ = _InPart


class DeferredImports(MetaPathFinder):
    """Comes before the finders of `sys.meta_path`, and passes over all but a few names."""

    def __init__(self) -> None:
        self.deferred: frozenset[str] = frozenset()
        self.without_numpy = False

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """A module that loads itself later, or None: not one of ours to defer.

        Raises:
            ModuleNotFoundError: Luigi need not know of it.
        """
        if fullname == COMMAND_LINE:
            importlib.import_module("luigi.interface")
        if _is_asked_for(fullname, UNSEEN):
            by = UNSEEN[fullname][0]
            raise ModuleNotFoundError(f"{fullname} is of no use to {by} here", name=fullname)
        if fullname == "numpy" and self.without_numpy and any(map(_is_half_imported, _ARROW)):
            raise ModuleNotFoundError("this command does without numpy", name=fullname)
        if fullname == "luigi" and "skord.core.console.before_luigi" not in sys.modules:
            deferring: type[_Deferring] = _DeferringInPart
        elif fullname in self.deferred or _is_asked_for(fullname, OF_LUIGI):
            deferring = _Deferring
        else:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec and spec.loader:
            spec.loader = deferring(spec.loader)
        return spec


def _is_asked_for(fullname: str, by: Mapping[str, tuple[str, str]]) -> bool:
    """Whether the module that asks for it is half imported."""
    module, name = by.get(fullname, ("", ""))
    return module in sys.modules and not hasattr(sys.modules[module], name)


def _is_half_imported(name: str) -> bool:
    spec = getattr(sys.modules.get(name), "__spec__", None)
    return bool(getattr(spec, "_initializing", False))


finder = DeferredImports()
"""At work once `skord.core` is imported."""
