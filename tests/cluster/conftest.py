"""A real Slurm cluster for the tests of this folder, and what they ask of it."""

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from skord.sample_crawl.faults import Faults
from skord.sample_crawl.server import CrawlServer
from tests.cluster.bench import DOWNLOAD, SlurmBench
from tests.graph.bench import Bench
from tests.testbed.cluster import Testbed, missing_programs

SLOW = Faults(slow=1.0, slow_s=0.2, burst=1_000_000)
"""Each file takes some 1.6 seconds, so that there is a middle for things to happen in."""


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


@pytest.fixture(scope="module")
def slow_server(crawl_folder):
    with CrawlServer(crawl_folder, SLOW) as server:
        yield server


@pytest.fixture(scope="session")
def local(tmp_path_factory, crawl_url) -> Bench:
    """The first task, done by one process on this machine."""
    bench = Bench(tmp_path_factory.mktemp("local"), crawl_url, num_shards=8)
    status, output = bench.luigi(*DOWNLOAD)
    assert status == 0, output
    return bench


@pytest.fixture(scope="session")
def downloaded(local) -> dict[str, str]:
    """The files that it made."""
    return local.files()


@pytest.fixture
def bench(testbed, tmp_path, slow_server, local) -> Iterator[SlurmBench]:
    """The first task's list of files is there; the files are still to come, slowly."""
    bench = SlurmBench(
        tmp_path / "slurm", slow_server.url, num_shards=8, bed=testbed, server=slow_server
    )
    listed = bench.store.path("DownloadWET", 0, "paths")
    (bench.folder / "data" / listed).parent.mkdir(parents=True)
    shutil.copyfile(local.folder / "data" / listed, bench.folder / "data" / listed)
    yield bench
    bench.end_drivers()


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
