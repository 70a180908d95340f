"""What is said where Luigi's own command cannot begin, of `skord.core.console.before_luigi`."""

import configparser
import importlib
import sys

import pytest


@pytest.fixture
def say(monkeypatch):
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    module = importlib.reload(importlib.import_module("skord.core.console.before_luigi"))
    assert sys.excepthook is module._say
    return lambda error: sys.excepthook(type(error), error, None)


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (ModuleNotFoundError("x", name="pipeline.cc_nett"), "there is no module pipeline.cc_nett:"),
        (configparser.MissingSectionHeaderError("luigi.cfg", 3, "x"), "luigi.cfg"),
        (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"), "utf-8"),
    ],
)
def test_a_wrong_module_or_file_of_settings_is_one_sentence(say, capsys, error, sentence):
    say(error)
    said = capsys.readouterr().err
    assert sentence in said
    assert "Traceback" not in said
    assert len(said.splitlines()) == 1


@pytest.mark.parametrize("error", [ModuleNotFoundError("no", name="numpyy"), ValueError("a")])
def test_other_errors_are_told_as_python_does(say, capsys, error):
    say(error)
    assert capsys.readouterr().err.splitlines()[-1].startswith(f"{type(error).__name__}: ")


def test_a_module_without_a_name_is_no_module_of_ours(say, capsys):
    say(ModuleNotFoundError("nothing"))
    assert "skord run" not in capsys.readouterr().err
