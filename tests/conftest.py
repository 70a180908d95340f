"""What every test may use: where the project and the shared data lie, and settings of its own."""

import contextlib
import fcntl
import gc
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from skord.core.made_with import MADE_WITH
from tests.forked import run_forked

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
    ROOT / f"tests/graph/{folder}/test_{name}.py"
    for folder, names in {
        "": ("fingerprints", "setting_limits"),
        "looking": ("record", "report_figures", "what_if", "why"),
        "on_request": ("decontamination", "reservations"),
        "publishing": ("ccnet_export", "export_corpus", "removals_command"),
    }.items()
    for name in names
]
"""One whole run is made for the quick tests, too: what reads it sees wrong lines in every task."""


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Modules and ten thousand items stay to the end: no search for garbage goes through them."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items):
    """What waits for a cluster's clock begins first: it keeps nobody from computing.

    Slow is, too, what reads the data beside a checkout: evaluations, and comparisons by thousands.
    """
    paths = {item.path for item in items}
    of_cluster = {path for path in paths if path.is_relative_to(CLUSTER)}
    slow = {path for path in paths if any(map(path.is_relative_to, SLOW))}.difference(QUICK)
    items.sort(key=lambda item: item.path not in of_cluster)
    for item in items:
        if item.path in slow or "shared" in getattr(item, "fixturenames", ()):
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


@contextlib.contextmanager
def settings_of_file(path: Path):
    """Have this process, and those that it starts, read this luigi.cfg and no other."""
    from luigi.configuration import get_config

    config = get_config()
    sections = {name: dict(config.items(name, raw=True)) for name in config.sections()}
    named = os.environ.get("LUIGI_CONFIG_PATH")
    os.environ["LUIGI_CONFIG_PATH"] = str(path)
    try:
        read_settings(path)
        yield
    finally:
        config.clear()
        config.read_dict(sections)
        os.environ.pop("LUIGI_CONFIG_PATH")
        os.environ.update({"LUIGI_CONFIG_PATH": named} if named else {})


def read_settings(path: Path) -> None:
    """Forget all settings, and read those of a file."""
    from luigi.configuration import get_config

    config = get_config()
    config.clear()
    config.read([path])


@pytest.fixture
def settings(tmp_path):
    """Write a luigi.cfg of the test's own and make this process read it alone."""
    path = tmp_path / "luigi.cfg"

    def write(text: str = "") -> Path:
        path.write_text(
            f"[core]\nautoload_range = false\n[pipeline]\ndata_dir = {tmp_path}/data\n"
            f"[executor]\nworkers = 0\nprogress = false\nlog_dir = {tmp_path}/logs\n{text}"
        )
        read_settings(path)
        return path

    with settings_of_file(path):
        write()
        yield write


# Runs over the sample crawl; what they need is imported where they are asked for.


def made_once(tmp_path_factory, name: str, make: Callable[[Path], object]) -> Path:
    """The folder that `make` fills: one for all processes of this run of the tests."""
    own = tmp_path_factory.getbasetemp()
    shared = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    with (shared / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (shared / name).exists():
            making = shared / f"{name}.making"
            shutil.rmtree(making, ignore_errors=True)
            make(making)
            making.rename(shared / name)
    return shared / name


@pytest.fixture(scope="session")
def crawl_folder(tmp_path_factory) -> Path:
    """The bundled sample crawl, with one record damaged in each way."""
    from skord.cli.sample import build
    from tests.graph.bench import DUMP

    return made_once(tmp_path_factory, "crawl", lambda folder: build(folder, DUMP))


@pytest.fixture(scope="session")
def crawl_url(crawl_folder):
    from skord.sample_crawl.faults import NO_FAULTS
    from skord.sample_crawl.server import CrawlServer

    with CrawlServer(crawl_folder, NO_FAULTS) as server:
        yield server.url


@pytest.fixture(scope="session")
def whole(crawl_url, tmp_path_factory):
    """The `Bench` of the whole graph, run cold by the published command for its last task."""
    from tests.graph.bench import LAST, Bench

    def run(folder: Path) -> None:
        status, output = Bench(folder, crawl_url, workers=2).luigi(*LAST)
        assert status == 0, output

    made = made_once(tmp_path_factory, "whole", run)
    bench = Bench(tmp_path_factory.mktemp("whole"), crawl_url)
    for name in ("data", "logs"):
        shutil.copytree(made / name, bench.folder / name, copy_function=os.link)
    yield from only_read(bench)


@pytest.fixture(scope="session")
def exported(whole, tmp_path_factory):
    """A `Bench` with the corpus of the whole graph, published in a few files; only to be read.

    A test that writes (`removals check` does: it logs) works on a `copy_of` it.
    """
    from tests.graph.bench import DUMP
    from tests.graph.publishing.export_forms import command, copy_of

    bench = copy_of(whole, tmp_path_factory.mktemp("corpus") / "bench")
    status, output = command(bench, "export", "--dumps", DUMP)
    assert status == 0, output
    yield from only_read(bench)


def only_read(bench):
    """Hand on a bench of many tests, and see at the end that none of them wrote into its results.

    What one wrote would be seen by another only if both ran in one process, in that order.
    """

    def state() -> dict[str, int]:
        files = (path for path in Path(bench.data).rglob("*") if path.is_file())
        return {str(path): path.stat().st_mtime_ns for path in files if path.name != MADE_WITH}

    before = state()
    yield bench
    after = state()
    changed = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
    assert not changed, "a test wrote into the results that others read"


def run_python(*arguments: str, env: dict[str, str] | None = None, cwd: Path = ROOT):
    """Run this Python with arguments; returns the finished process with its output.

    A module (`-m`) runs in a forked process.
    """
    if arguments[0] == "-m":
        return run_forked(arguments[1:], env={**os.environ, **(env or {})}, cwd=cwd)
    return subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, **(env or {})},
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        timeout=840,
    )
