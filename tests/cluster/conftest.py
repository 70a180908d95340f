"""A real Slurm cluster for the tests of this folder, and what they ask of it."""

import os
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from slurm.testbed.cluster import Testbed, missing_programs


def require_slurm():
    """Skip where Slurm is not installed; fail where SKORD_REQUIRE_SLURM=1 says that it must be."""
    missing = missing_programs()
    if missing and os.environ.get("SKORD_REQUIRE_SLURM") == "1":
        pytest.fail(f"SKORD_REQUIRE_SLURM=1, but {', '.join(missing)} missing")
    if missing:
        pytest.skip(f"{', '.join(missing)} missing: make slurm installs it")


def pytest_runtest_setup(item):
    if item.get_closest_marker("minutes") and os.environ.get("SKORD_MINUTES") != "1":
        pytest.skip("waits for a minute or two of Slurm's own time: SKORD_MINUTES=1 runs it")


@pytest.fixture(scope="session")
def slurm_installed():
    require_slurm()


@pytest.fixture
def bed_folder(slurm_installed):
    """A folder with a path short enough for unix sockets; pytest's own are not."""
    folder = Path(tempfile.mkdtemp(prefix="skord-slurm-"))
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def testbed(slurm_installed):
    """Four nodes for all tests; a test that breaks a node mends it, or takes a bed of its own."""
    folder = Path(tempfile.mkdtemp(prefix="skord-slurm-"))
    with Testbed(folder) as bed:
        yield bed
    shutil.rmtree(folder)


def eventually(what: Callable[[], object], timeout_s: float = 300.0):
    """Ask until the answer is true, and return it; fail the test when it never is."""
    end = time.monotonic() + timeout_s
    while not (answer := what()):
        assert time.monotonic() < end, f"not so after {timeout_s:g} s"
        time.sleep(0.1)
    return answer


def submit(bed: Testbed, *arguments: str | Path) -> str:
    """Hand a job to the cluster; returns its id."""
    done = bed.run("sbatch", "--parsable", "--output=/dev/null", *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def job_states(bed: Testbed, name: str) -> list[str]:
    """States of the items, of jobs of this name, that wait or run; empty when all is over."""
    done = bed.run("squeue", "--noheader", "--array", f"--name={name}", "--format=%T")
    assert done.returncode == 0, done.stderr
    return done.stdout.split()
