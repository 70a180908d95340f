"""What a process imports only when it uses it, though a package that it needs asks for it first.

Luigi imports a validator of JSON schemas and an HTTP client, for settings and a server that we do
not have: half of the time that a command takes to start. So they are modules that load themselves
when an attribute is looked up. Whoever imports them besides gets what he would have got.

`importlib.util.LazyLoader` does not serve: a module of its own is loaded when it is imported a
second time, and half-loaded ones are seen by other threads before Python 3.12.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

OF_LUIGI = frozenset(["jsonschema", "requests", "luigi.tools.range"])
"""For settings with a schema, for a server that is told of tasks, for tasks of every day."""

UNSEEN_BY_LUIGI = "tornado"
"""tenacity, which Luigi imports, serves it too where it finds it: all of it is imported."""

OF_COMMANDS = frozenset(["pyarrow.compute", "pyarrow.parquet"])
"""What many commands leave alone."""

_lock = threading.RLock()


class _Deferred(ModuleType):
    """A module whose first use loads it."""

    def __getattribute__(self, name: str) -> Any:
        if name == "__spec__":  # a further import asks whether the first has ended
            return ModuleType.__getattribute__(self, name)
        with _lock:
            spec = ModuleType.__getattribute__(self, "__spec__")
            if isinstance(spec.loader, _Deferring):
                spec.loader = spec.loader.loader
                spec.loader.exec_module(self)
                self.__class__ = ModuleType  # type: ignore[assignment]
        return ModuleType.__getattribute__(self, name)


class _Deferring(Loader):
    def __init__(self, loader: Loader) -> None:
        self.loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self.loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        module.__class__ = _Deferred


class DeferredImports(MetaPathFinder):
    """Comes before the finders of `sys.meta_path`, and passes over all but a few names."""

    def __init__(self) -> None:
        self.deferred: frozenset[str] = frozenset()

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """A module that loads itself later, or None: not one of ours to defer.

        Raises:
            ModuleNotFoundError: Luigi need not know of it.
        """
        is_luigis = _is_luigi_half_imported()
        if is_luigis and fullname == UNSEEN_BY_LUIGI:
            raise ModuleNotFoundError(f"{fullname} is of no use to Luigi here", name=fullname)
        if fullname not in (self.deferred | OF_LUIGI if is_luigis else self.deferred):
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec and spec.loader:
            spec.loader = _Deferring(spec.loader)
        return spec


def _is_luigi_half_imported() -> bool:
    return "luigi" in sys.modules and not hasattr(sys.modules["luigi"], "build")


finder = DeferredImports()
"""At work once `pipeline.core` is imported."""
