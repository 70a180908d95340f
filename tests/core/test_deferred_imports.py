"""Which modules load themselves when they are used, of `pipeline.core.start.deferred_imports`."""

import sys
import types

import pytest

from pipeline.core.start.deferred_imports import UNSEEN_BY_LUIGI, DeferredImports, _Deferred


@pytest.fixture
def finder():
    return DeferredImports()


@pytest.fixture
def half_imported(monkeypatch):
    monkeypatch.setitem(sys.modules, "luigi", types.ModuleType("luigi"))


def test_while_luigi_is_imported_what_it_asks_for_is_deferred(finder, half_imported):
    assert finder.find_spec("jsonschema", None) is not None
    assert finder.find_spec("json", None) is None
    with pytest.raises(ModuleNotFoundError, match="tornado is of no use to Luigi here"):
        finder.find_spec(UNSEEN_BY_LUIGI, None)


def test_afterwards_only_what_is_named_is(finder):
    for name in ("jsonschema", "requests", UNSEEN_BY_LUIGI):
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
