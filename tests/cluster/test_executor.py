"""The graph on a real cluster: the same bytes as on one machine, whatever becomes of the driver."""

import contextlib
import json
import os
import pty
import signal
import subprocess
import sys

import pytest

from tests.cluster.bench import DOWNLOAD, SlurmBench
from tests.cluster.conftest import eventually, job_states
from tests.graph.bench import BEFORE, DUMP, LAST, kill_group


def test_the_trees_of_a_local_run_and_of_four_nodes_are_equal(testbed, tmp_path, crawl_url, whole):
    bench = SlurmBench(tmp_path / "slurm", crawl_url, bed=testbed)

    status, output = bench.luigi(*LAST)

    assert status == 0, output
    assert bench.files() == whole.files()
    hosts = {bench.attempts("CCNet")[0].heartbeat(index).host for index in range(3)}
    assert hosts <= set(testbed.nodes)


NO_ROUTE = "unshare --map-root-user --net"
"""Starts a program in a network of its own without any route: as on nodes without internet."""


def test_tasks_that_need_the_internet_run_here_and_the_others_on_nodes_without_a_route(
    testbed, tmp_path, crawl_url, whole
):
    ask = f"import urllib.request; urllib.request.urlopen({crawl_url!r} + '/collinfo.json')"
    if subprocess.run([*NO_ROUTE.split(), "true"], check=False).returncode:
        pytest.skip("this system lets nobody make a network of his own")
    assert subprocess.run([sys.executable, "-c", ask], check=False).returncode == 0
    cut_off = [*NO_ROUTE.split(), sys.executable, "-c", ask]
    assert subprocess.run(cut_off, check=False, stderr=subprocess.DEVNULL).returncode != 0
    bench = SlurmBench(tmp_path / "slurm", crawl_url, bed=testbed, slurm={"launcher": NO_ROUTE})

    fetch = ("pipeline.warc_processing", "FetchHTMLDocuments", "--dump", DUMP)
    status, output = bench.luigi(*fetch, "--executor-network-kind", "local")

    assert status == 0, output
    assert bench.files().items() <= whole.files().items()
    assert not bench.attempts("DownloadWET")
    assert not bench.attempts("FetchHTMLDocuments")
    (attempt,) = bench.attempts("CCNet")
    assert f"exec {NO_ROUTE} {sys.executable} " in (attempt.folder / "job.sh").read_text()


def test_a_phase_is_one_array_that_is_grouped_to_fit(bench, downloaded, crawl_url):
    bench.url = crawl_url
    bench.slurm = {"max_array": 3, "max_concurrent": 2, "shards_per_array_task": 2}

    status, output = bench.download()

    assert status == 0, output
    assert bench.files() == downloaded
    (attempt,) = bench.attempts()
    assert attempt.manifest.groups == ((0, 1, 2), (3, 4, 5), (6, 7))
    assert f"job {attempt.job_id}, 8 items in 3 array tasks, 0.8 GB, 20 min" in output
    arguments = json.loads((attempt.folder / "sbatch.json").read_text())
    assert "--array=0-2%2" in arguments
    assert bench.starts() == list(range(8))
    # One place of the array, typed by hand, makes what is missing of its group.
    (bench.folder / "data" / bench.store.path("DownloadWET", 4)).unlink()
    status, output = bench.run("-m", "skord.slurm.worker", str(attempt.folder), "1")
    assert status == 0, output
    assert output.count("event=start task=DownloadWET dump=2024-10 phase=shard") == 3
    assert bench.files() == downloaded


def killed_at_work(bench):
    """Start a driver, and kill it while its job is at work; returns the attempt."""
    bench.slurm = {"max_concurrent": 2}  # so that there is something left for the second
    driver = bench.start_download()
    eventually(lambda: bench.at_work(0))
    kill_group(driver)
    (attempt,) = bench.attempts()
    return attempt


@pytest.mark.parametrize("noted", [True, False], ids=["noted", "killed before it noted its job"])
def test_a_driver_killed_and_started_again_adopts_what_is_alive(bench, downloaded, noted):
    with bench.slower(0.6):
        first = killed_at_work(bench)
        job_id = first.job_id
        if not noted:
            (first.folder / "job.json").unlink()

        status, output = bench.download()

    assert status == 0, output
    assert f"job {job_id} goes on" in output
    assert len(bench.attempts()) == 1
    assert bench.starts() == list(range(8))
    assert bench.files() == downloaded


def test_a_second_driver_waits_for_the_first_and_submits_nothing(bench, downloaded):
    bench.slurm = {"max_concurrent": 2}
    with bench.slower(0.6):
        first = bench.start_download()
        eventually(lambda: bench.at_work(0))

        status, output = bench.luigi(*DOWNLOAD, "--no-lock")  # Luigi's own lock, on this machine

    said = first.communicate(timeout=300)[0]
    assert (status, first.returncode) == (0, 0), (output, said)
    assert "another process is at work on it; waiting for its end" in output
    assert len(bench.attempts()) == 1
    assert bench.starts() == list(range(8))
    assert bench.files() == downloaded


def test_a_job_whose_folder_is_gone_is_not_submitted_twice(bench, testbed):
    with bench.slower():
        attempt = killed_at_work(bench)
        # Tasks that wait would fail without the folder.
        testbed.run("scontrol", "hold", attempt.job_id)
        attempt.folder.rename(bench.folder / "elsewhere")

        status, output = bench.download()

    testbed.run("scancel", attempt_job(bench.folder / "elsewhere"))
    assert status != 0
    assert "is at work on the same data" in output
    assert bench.attempts() == []


def test_interrupting_leaves_the_jobs_running_and_says_how_to_cancel_them(bench, testbed):
    with bench.slower():
        driver = bench.start_download()
        eventually(lambda: bench.at_work(0))
        (attempt,) = bench.attempts()

        driver.send_signal(signal.SIGINT)
        output = driver.communicate(timeout=240)[0]

        assert driver.returncode != 0
        assert f"scancel {attempt.job_id}" in output
        assert job_states(testbed, attempt.manifest.name)
    eventually(lambda: not job_states(testbed, attempt.manifest.name))
    assert len(list((bench.folder / "data/DownloadWET/2024-10").glob("*.parquet"))) == 8


def test_interrupting_cancels_the_jobs_where_that_is_wanted(bench, testbed):
    bench.slurm = {"on_interrupt": "cancel"}
    with bench.slower():
        driver = bench.start_download()
        eventually(lambda: bench.at_work(0))
        (attempt,) = bench.attempts()

        driver.send_signal(signal.SIGINT)
        output = driver.communicate(timeout=240)[0]

    assert f"cancelled job {attempt.job_id}" in output
    eventually(lambda: not job_states(testbed, attempt.manifest.name))
    assert list((bench.folder / "data/_partial").glob("*")) == []


def read_until(terminal: int, words: str) -> str:
    shown = ""
    while words not in shown:
        shown += os.read(terminal, 4096).decode()
    return shown


@pytest.mark.parametrize(("answer", "cancelled"), [("c", True), ("", False)])
def test_interrupting_at_a_terminal_asks(bench, testbed, answer, cancelled):
    ours, theirs = pty.openpty()
    with bench.slower(), bench.start_download(stdin=theirs, stderr=theirs) as driver:
        os.close(theirs)
        eventually(lambda: bench.at_work(0))
        (attempt,) = bench.attempts()

        driver.send_signal(signal.SIGINT)
        shown = read_until(ours, "leave it, or cancel it? [L/c]")
        os.write(ours, f"{answer}\n".encode())
        shown += read_until(ours, "interrupted: ")
        driver.wait(timeout=240)
        with contextlib.suppress(OSError):  # all is read, and nobody holds the other end
            shown += os.read(ours, 4096).decode()
        os.close(ours)

        assert f"job {attempt.job_id} is in the queue" in shown
        assert (f"cancelled job {attempt.job_id}" in shown) == cancelled
        if cancelled:
            eventually(lambda: not job_states(testbed, attempt.manifest.name))
        else:
            assert job_states(testbed, attempt.manifest.name)
            testbed.run("scancel", attempt.job_id)


def test_without_slurm_nothing_starts(bench, tmp_path):
    environment = {**bench.environment(), "PATH": str(tmp_path)}

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bench, "environment", lambda: environment)
        status, output = bench.download()

    assert status != 0
    assert "[executor] kind = slurm needs sbatch and squeue" in output


def test_a_controller_that_does_not_answer_is_told_before_anything_is_submitted(bench, tmp_path):
    conf = tmp_path / "slurm.conf"
    conf.write_text("ClusterName=x\nSlurmctldHost=localhost(127.0.0.1)\nSlurmctldPort=1\n"
                    "AuthType=auth/none\nCredType=cred/none\nMessageTimeout=2\n"
                    "NodeName=n1\nPartitionName=p Nodes=n1\n")  # fmt: skip
    environment = {**bench.environment(), "SLURM_CONF": str(conf)}

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bench, "environment", lambda: environment)
        status, output = bench.download()

    assert status != 0
    assert "controller does not answer" in output
    assert bench.attempts() == []


def attempt_job(folder) -> str:
    return json.loads((folder / "job.json").read_text())["job"]


@pytest.mark.parametrize("mode", [{}, {"mode": "pilot_jobs", "max_array": 2}])
def test_shards_carried_on_by_one_array_task_are_the_same(
    testbed, tmp_path, crawl_url, whole, mode
):
    """By pilot jobs the whole graph, by arrays from where shards are carried on."""
    bench = SlurmBench(tmp_path / "slurm", crawl_url, bed=testbed, slurm=mode)
    if not mode:
        bench.copy_tasks(whole, BEFORE)

    status, output = bench.luigi(*LAST, "--executor-run-ahead", "true")

    assert status == 0, output
    assert bench.files() == whole.files()
    (first,) = bench.attempts("WARCIndex")
    assert [name for name, *_ in first.manifest.ahead] == [
        "FetchHTMLDocuments", "ConvertToMarkdown", "ProcessMarkdown", "FilterDocuments"
    ]  # fmt: skip
    assert first.manifest.needs_min == 50
    assert bench.attempts("ProcessMarkdown") == []
    logs = "".join(log.read_text() for log in (first.folder / "logs").glob("*.out"))
    assert logs.count(" task_ahead=FilterDocuments item=") == 3
