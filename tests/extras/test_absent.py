"""Every extra can be deleted: what is left works as before."""

import os
import subprocess
import sys
from itertools import combinations
from pathlib import Path

import pytest

from skord.cli.sample import SETTINGS
from skord.extras import rooms
from tests.conftest import ROOT

QUICK = """
import importlib, pkgutil, sys
from luigi.configuration import add_config_path
import pipeline, skord, skord.extras

settings, recorded, *absent = sys.argv[1:]
assert not {*absent} & {*skord.extras.rooms()}

# Every other module can be imported; those of models, of which some need torch, import no extra.
beside = ("skord.models", "skord.slurm", "skord.annotation_tool", "skord.__main__")
for folder in (pipeline, skord):
    for found in pkgutil.walk_packages(folder.__path__, folder.__name__ + "."):
        if not found.name.startswith(beside) and not found.name.endswith("__main__"):
            importlib.import_module(found.name)

# The tasks that are left have the fingerprints that are on record.
from skord.core.registry import task_classes
assert add_config_path(settings)
classes, known = task_classes(), dict(line.split() for line in open(recorded))
left = {name: known[name] for name in known if name in classes}
assert len(left) >= len(known) - 1, left
assert {name: classes[name](dump="2024-10").fingerprint for name in left} == left

# Settings are checked, commands are listed, measures are shown.
from skord.cli.commands import GROUPS, command_line
from skord.core.settings import default_settings
from skord.cli.look.features import feature_lines
from skord.core.preflight import check_settings
check_settings()
for command in (one for group in GROUPS for one in group.commands):
    assert not any(f"skord.extras.{room}." in command.module for room in absent)
command_line().format_help()
assert list(feature_lines())
sections = {line[1:-1] for line in default_settings().splitlines() if line.startswith("[")}
assert {name for name in sections if name[0].isupper()} <= {*classes}
"""
"""What is looked at without an extra, in a process of its own."""

TESTS = (
    "tests/core/tasks/test_recorded_fingerprints.py",
    "tests/core/test_registry.py",
    "tests/quality/test_features_command.py",
    "tests/publishing/card",
    "tests/publishing/test_exporting.py",
    "tests/cli/look",
    "tests/cli/report",
)
"""Tests that pass without any of the extras."""


@pytest.fixture
def without(tmp_path):
    """Makes a copy of the tree without some rooms; says in which folder it lies."""

    def copy(*absent: str) -> Path:
        for folder in ("skord", "pipeline", "tests"):
            _link(ROOT / folder, tmp_path / folder, {f"extras/{name}" for name in absent})
        for entry in ROOT.iterdir():
            if entry.name not in ("skord", "pipeline", "tests", ".git", ".venv", "luigi.cfg"):
                (tmp_path / entry.name).symlink_to(entry)
        return tmp_path

    return copy


def _link(source: Path, target: Path, absent: set[str]) -> None:
    """Real folders, where a room or a test lies in them, with links to what is in them."""
    target.mkdir()
    for entry in source.iterdir():
        inner = {name.partition("/")[2] for name in absent if name.startswith(f"{entry.name}/")}
        if entry.name in absent or entry.name == "__pycache__":
            continue
        if entry.is_dir() and (inner or "tests" in entry.parts):
            _link(entry, target / entry.name, inner)
        else:
            (target / entry.name).symlink_to(entry)


def run(tree: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *words],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": str(tree)},
        capture_output=True,
        text=True,
        check=False,
    )


def sample_settings(folder: Path) -> Path:
    values = {"folder": folder, "url": "http://127.0.0.1:9", "executor": "local", "workers": 2}
    path = folder / "sample.cfg"
    path.write_text(SETTINGS.format(**values, selection=""))
    return path


def check_what_is_left(tree: Path, *absent: str) -> None:
    recorded = ROOT / "tests/core/tasks/cases/fingerprints.txt"
    done = run(tree, "-c", QUICK, str(sample_settings(tree)), str(recorded), *absent)
    assert done.returncode == 0, done.stderr


def test_what_is_left_works_without_any_extra(without):
    check_what_is_left(without(*rooms()), *rooms())


def halves_of_rooms() -> list[tuple[str, ...]]:
    """Six sets of rooms; of every two rooms, some set has the one without the other.

    Each room is in three of them, and no two in the same three.
    """
    threes = list(zip(rooms(), combinations(range(6), 3), strict=False))
    assert len(threes) == len(rooms())
    return [tuple(room for room, three in threes if number in three) for number in range(6)]


@pytest.mark.slow
@pytest.mark.parametrize("absent", halves_of_rooms(), ids=",".join)
def test_no_extra_needs_another(without, absent):
    check_what_is_left(without(*absent), *absent)


@pytest.mark.slow
def test_tests_of_what_is_left_pass_without_any_extra(without):
    done = run(
        without(*rooms()), "-m", "pytest", "-q", "-m", "not slow", "-p", "no:cacheprovider", *TESTS
    )

    assert done.returncode == 0, done.stdout[-5000:]


@pytest.mark.slow
def test_a_sample_run_completes_without_any_extra(without, tmp_path_factory):
    tree, folder = without(*rooms()), tmp_path_factory.mktemp("sample") / "run"

    done = run(tree, "-m", "skord", "sample", "run", str(folder), "--workers", "1")

    assert done.returncode == 0, done.stderr[-5000:]
    assert run(tree, "-c", "import skord.extras as e; assert e.rooms() == ()").returncode == 0
    assert list((folder / "data" / "ExportCorpus").rglob("*.parquet"))
