"""What sacct knows when squeue has forgotten it, and that nothing depends on it."""

import os
import shutil
import signal
import tempfile
from pathlib import Path

import pytest

from skord.slurm.monitoring.queue import accounted_array_tasks
from tests.cluster.bench import SlurmBench
from tests.cluster.conftest import eventually, submit
from tests.cluster.test_testbed import listening_addresses, processes_of
from tests.testbed.cluster import Testbed, missing_programs
from tests.testbed.configuration import Settings
from tests.testbed.machine import ACCOUNTING_PROGRAMS

ENDS = """case $SLURM_ARRAY_TASK_ID in
    0) ;;
    1) exit 3;;
    2) kill -9 $$;;
    *) sleep 600;;
esac"""
BEGUN = ["COMPLETED", "FAILED", "FAILED", *["RUNNING"] * 4]
"""States of its seven items when all that end have ended."""


@pytest.fixture(scope="module")
def programs(slurm_installed):
    """As for Slurm itself: skip where they are missing, fail where they must not be."""
    missing = ", ".join(missing_programs(ACCOUNTING_PROGRAMS))
    if missing and os.environ.get("SKORD_REQUIRE_SLURM") == "1":
        pytest.fail(f"SKORD_REQUIRE_SLURM=1, but {missing} missing")
    if missing:
        pytest.skip(f"{missing} missing: make slurm-accounting installs what keeps accounts")


@pytest.fixture(scope="module")
def bed(programs):
    """One node, accounts, and a queue that forgets what ended within seconds."""
    folder = Path(tempfile.mkdtemp(prefix="skord-slurm-"))
    with Testbed(folder, Settings(nodes=1, min_job_age_s=2, accounting=True)) as bed:
        yield bed
    shutil.rmtree(folder)


@pytest.fixture
def here(bed, monkeypatch):
    """This process calls the bed's Slurm, as a driver would."""
    monkeypatch.setenv("SLURM_CONF", bed.environment["SLURM_CONF"])


@pytest.fixture(scope="module", autouse=True)
def cancelled(bed) -> tuple[str, str]:
    """Two arrays: one cancelled when all of it had begun, and one before any of it had."""
    begun = submit(bed, "--array=0-6%4", "--mem=100", "--wrap", ENDS)
    waiting = submit(bed, "--hold", "--array=0-2,7,10-20:5", "--wrap", "true")
    eventually(lambda: sorted(queued(bed, begun)) == BEGUN)
    bed.run("scancel", begun, waiting)
    return begun, waiting


@pytest.fixture
def bench(bed, tmp_path, slow_server) -> SlurmBench:
    """Two items, one at a time."""
    slurm = {"max_concurrent": 1}
    return SlurmBench(
        tmp_path / "slurm", slow_server.url, num_shards=2, bed=bed, slurm=slurm, server=slow_server
    )


def queued(bed, job: str) -> list[str]:
    """States of the items that squeue knows, ended ones too."""
    return bed.run("squeue", "-h", "-r", "-t", "all", "-j", job, "-o", "%T").stdout.split()


def forgotten(bed, job: str) -> bool:
    return queued(bed, job) == []


def cancel_unseen(bench, bed) -> str:
    """Run a driver that looks away from its job being cancelled until squeue has forgotten it.

    The first item is at work then, the second has not begun. Returns what it said.
    """
    with bench.slower():
        driver = bench.start_download()
        eventually(lambda: bench.at_work(0))
        os.killpg(driver.pid, signal.SIGSTOP)
        try:
            (attempt,) = bench.attempts()
            bed.run("scancel", attempt.job_id)
            eventually(lambda: forgotten(bed, attempt.job_id))
        finally:
            os.killpg(driver.pid, signal.SIGCONT)
    output = driver.communicate(timeout=240)[0]
    assert driver.returncode != 0
    return output


def test_an_end_that_squeue_has_forgotten_is_told_from_the_accounts(bench, bed):
    output = cancel_unseen(bench, bed)

    assert "2 of 2 work items of phase shard failed, first 0: it was cancelled (scancel)" in output
    assert "no longer known to Slurm" not in output
    assert len(bench.attempts()) == 1


def test_the_ends_of_an_array_are_known_when_squeue_has_forgotten_it(bed, here, cancelled):
    begun, _ = cancelled
    eventually(lambda: forgotten(bed, begun))
    ends = eventually(lambda: len(records := accounted_array_tasks(begun)) == 7 and records)

    assert [(ends[index].state, ends[index].node, ends[index].reason) for index in range(3)] == [
        ("COMPLETED", "n1", ""),
        ("FAILED", "n1", "NonZeroExitCode"),
        ("FAILED", "n1", "RaisedSignal:9"),
    ]
    assert {(ends[index].state, ends[index].node) for index in range(3, 7)} == {("CANCELLED", "n1")}


def test_what_never_began_is_one_line_and_every_place_of_it_is_told(bed, here, cancelled):
    _, waiting = cancelled
    eventually(lambda: forgotten(bed, waiting))
    ends = eventually(lambda: accounted_array_tasks(waiting))

    assert bed.run("sacct", "-X", "-n", "-P", "-j", waiting).stdout.count("\n") == 1
    assert {(seen.state, seen.node) for seen in ends.values()} == {("CANCELLED", "")}
    assert sorted(ends) == [0, 1, 2, 7, 10, 15, 20]


def test_without_an_answer_from_the_accounts_nothing_is_given_up(bench, bed, here, cancelled):
    begun, _ = cancelled
    eventually(lambda: len(accounted_array_tasks(begun)) == 7)
    bed.kill_accounting()
    try:
        assert accounted_array_tasks(begun) == {}
        output = cancel_unseen(bench, bed)
    finally:
        bed.start_accounting()

    assert "1: it ended without telling why (no longer known to Slurm); again" in output
    assert "1 of 2 work items of phase shard failed, first 0: it was cancelled (scancel)" in output
    (_, again) = bench.attempts()
    assert again.manifest.failure_history == {1: ["unknown"]}
    assert len(accounted_array_tasks(begun)) == 7


def test_the_accounts_are_open_to_nobody_outside(bed):
    processes = processes_of(bed.folder)
    pids = [pid for pid, name in processes.items() if name in {"slurmdbd", "mariadbd"}]

    assert len(pids) == 2
    assert listening_addresses(pids) == {"0100007F"}
    assert (bed.folder / "database").stat().st_mode & 0o077 == 0
