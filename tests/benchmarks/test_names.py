"""Benchmarks are called by name, and lie in folders of subjects."""

import ast
import re
from pathlib import Path

from benchmarks.__main__ import MODULES, first_line
from tests.conftest import run_python

FOLDER = Path(__file__).parents[2] / "benchmarks"
NAMED = re.compile(r"^    (?:make bench-|python -m benchmarks )([a-z0-9-]+)", re.MULTILINE)


def test_every_benchmark_is_called_by_the_name_that_it_gives():
    given = {}
    for path in FOLDER.rglob("[a-z]*.py"):
        if names := set(NAMED.findall(ast.get_docstring(ast.parse(path.read_text())) or "")):
            module = ".".join(path.relative_to(FOLDER).with_suffix("").parts)
            given |= dict.fromkeys(names, module)

    assert given.keys() <= MODULES.keys()
    assert {name: MODULES[name] for name in given} == given
    assert all((FOLDER / f"{m.replace('.', '/')}.py").is_file() for m in MODULES.values())


def test_rows_of_the_page_of_figures_have_names_that_run():
    page = (FOLDER / "README.md").read_text(encoding="utf-8")

    assert set(re.findall(r"make bench-([a-z0-9-]+)", page)) <= MODULES.keys()


def test_names_are_listed_and_a_wrong_one_is_an_error():
    listed = run_python("-m", "benchmarks")
    assert listed.returncode == 0
    assert f"ccnet                 {first_line('ccnet.selection')}\n" in listed.stdout
    assert run_python("-m", "benchmarks", "no-such").returncode == 2
    helped = run_python("-m", "benchmarks", "matching", "--help")
    assert "--texts" in helped.stdout
