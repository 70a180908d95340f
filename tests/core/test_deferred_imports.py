"""Which modules load themselves when they are used, of `skord.core.start.deferred_imports`."""

import subprocess
import sys
import types

import pytest

from skord.core.start.deferred_imports import UNSEEN, DeferredImports, _Deferred


@pytest.fixture
def finder():
    return DeferredImports()


@pytest.fixture
def half_imported(monkeypatch):
    for name in ("luigi.parameter", "luigi.rpc", "warcio.utils"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))


def test_while_luigi_is_imported_what_it_asks_for_is_deferred(finder, half_imported):
    for name in ("jsonschema", "requests"):
        assert finder.find_spec(name, None) is not None
    assert finder.find_spec("json", None) is None
    for name in UNSEEN:
        with pytest.raises(ModuleNotFoundError, match=f"{name} is of no use to"):
            finder.find_spec(name, None)


def test_afterwards_only_what_is_named_is(finder):
    for name in ("jsonschema", "requests", *UNSEEN):
        assert finder.find_spec(name, None) is None
    finder.deferred = frozenset(["colorsys"])
    assert finder.find_spec("colorsys", None) is not None
    assert finder.find_spec("jsonschema", None) is None


def test_a_deferred_module_is_loaded_by_its_first_attribute(finder, monkeypatch):
    finder.deferred = frozenset(["colorsys"])
    monkeypatch.delitem(sys.modules, "colorsys", raising=False)
    monkeypatch.setattr(sys, "meta_path", [finder, *sys.meta_path])

    import colorsys  # noqa: PLC0415

    assert type(colorsys) is _Deferred
    assert colorsys.rgb_to_hsv(1, 0, 0) == (0.0, 1.0, 1)
    assert type(colorsys) is types.ModuleType


def test_a_module_that_is_not_there_has_no_spec(finder):
    finder.deferred = frozenset(["no_such_module_at_all"])
    assert finder.find_spec("no_such_module_at_all", None) is None


IN_PART = """
import sys
import skord.core
import luigi
before = set(sys.modules)
assert luigi.Task.__module__ == "luigi.task" and luigi.Config.__module__ == "luigi.task"
assert luigi.IntParameter.__module__ == "luigi.parameter" and luigi.Event.START
assert luigi.LocalTarget.__module__ == "luigi.local_target"
from luigi import configuration, freezing
assert luigi.freezing is freezing
assert not hasattr(luigi, "__wrapped__")
assert "IntParameter" in vars(luigi)
assert "luigi.interface" not in sys.modules
"""


@pytest.mark.parametrize(
    "use",
    [
        "assert luigi.build.__module__ == 'luigi.interface'",
        "assert luigi.interface.build",
        "assert luigi.RemoteScheduler.__module__ == 'luigi.rpc'",
        "from luigi import *; assert 'Task' in luigi.__all__ and WrapperTask",
        "from luigi.retcodes import run_with_retcodes; assert luigi.run",
        "assert luigi.__version__ and type(luigi).__name__ == 'module'",
        "assert luigi.namespace and not hasattr(luigi, 'no_such_name')",
    ],
)
def test_luigi_in_part_is_all_of_it_where_more_is_asked_for(use):
    subprocess.run([sys.executable, "-c", IN_PART + use], check=True, timeout=600)


def test_a_name_that_luigi_has_not_is_an_error():
    words = [sys.executable, "-c", IN_PART + "luigi.no_such_name"]
    done = subprocess.run(words, check=False, capture_output=True, timeout=600)
    assert b"module 'luigi' has no attribute 'no_such_name'" in done.stderr
