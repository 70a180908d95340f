"""What every test may use: where the project and the shared data lie, and settings of its own."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SHARED = ROOT.parent / "shared"
CLUSTER = ROOT / "tests/cluster"
CASE_GROUPS = ("in_the_wild", "negative", "synthetic", "known_failures")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that takes `x_case` runs once for each case of `cases/x.json` beside its module.

    One that takes `case` runs for those of its module's `CASE_FILE`.
    """
    module = metafunc.module
    for fixture in metafunc.fixturenames:
        if fixture == "case" and hasattr(module, "CASE_FILE"):
            file = module.CASE_FILE
        elif fixture.endswith("_case"):
            file = f"{fixture.removesuffix('_case')}.json"
        else:
            continue
        path = Path(module.__file__).parent / "cases" / file
        groups = json.loads(path.read_text(encoding="utf-8"))
        assert tuple(groups) == CASE_GROUPS
        cases = [p for name in CASE_GROUPS for p in params(name, groups[name])]
        metafunc.parametrize(fixture, cases)


def params(group: str, cases: list[dict]) -> list:
    """The cases of one group; known failures must fail."""
    marks = (pytest.mark.xfail(strict=True),) if group == "known_failures" else ()
    return [pytest.param(case, id=f"{group}: {case['label']}", marks=marks) for case in cases]


SLOW = [ROOT / "tests" / folder for folder in ("cluster", "browser", "graph", "floors")]
"""Folders of tests that start clusters, browsers, whole runs or evaluations, all of them slow."""
QUICK = [
    ROOT / f"tests/graph/looking/test_{name}.py" for name in ("report_figures", "what_if", "why")
]
"""One whole run is made for the quick tests, too: what reads it sees wrong lines in every task."""


def pytest_collection_modifyitems(items):
    """What waits for a cluster's clock begins first: it keeps nobody from computing."""
    items.sort(key=lambda item: CLUSTER not in item.path.parents)
    for item in items:
        if any(folder in item.path.parents for folder in SLOW) and item.path not in QUICK:
            item.add_marker(pytest.mark.slow)


def pytest_make_parametrize_id(val):
    """Bytes are known by their size: packed ones hold the time at which they were packed.

    Workers whose tests have different names refuse to run any of them.
    """
    return f"{len(val)} bytes" if isinstance(val, bytes) else None


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of shared data beside a development checkout."""
    if not SHARED.exists():
        pytest.skip("needs the data beside a development checkout (../shared)")
    return SHARED


@pytest.fixture(scope="session")
def shared_data(shared) -> Path:
    """The evaluation data in it; no part of the project."""
    return shared / "data"


@pytest.fixture
def settings(tmp_path, monkeypatch):
    """Write a luigi.cfg of the test's own and make this process read it alone."""
    from luigi.configuration import LuigiConfigParser  # noqa: PLC0415

    def write(text: str = "") -> Path:
        path = tmp_path / "luigi.cfg"
        path.write_text(
            f"[core]\nautoload_range = false\n[pipeline]\ndata_dir = {tmp_path}/data\n"
            f"[executor]\nworkers = 0\nprogress = false\nlog_dir = {tmp_path}/logs\n{text}"
        )
        monkeypatch.setattr(LuigiConfigParser, "_config_paths", [str(path)])
        monkeypatch.setattr(LuigiConfigParser, "_instance", None)
        monkeypatch.setenv("LUIGI_CONFIG_PATH", str(path))
        return path

    write()
    return write


def run_python(*arguments: str, env: dict[str, str] | None = None, cwd: Path = ROOT):
    """Run this Python with arguments; returns the finished process with its output."""
    return subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, **(env or {})},
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        timeout=840,
    )
