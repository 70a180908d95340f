"""The graph by pilot jobs on a real cluster: the same bytes, whatever is killed."""

import contextlib
import json
import os
import random
import shutil
import signal
import time
from pathlib import Path

import pytest

from skord.cli.look.logs import log_lines
from skord.slurm.pilot_jobs.item_queue import LEASES, QUEUE, WITHDRAWN
from skord.slurm.pilot_jobs.journal import Journals, Life
from tests.cluster.bench import SlurmBench, finished
from tests.cluster.conftest import eventually, job_states
from tests.conftest import ROOT
from tests.docs.blocks import blocks_of
from tests.graph.bench import DUMP, kill_group

PILOTS = {"mode": "pilot_jobs", "max_array": 3}


def lives(bench: SlurmBench, attempt: int = 0) -> list[Life]:
    """All lives of the pilots of an attempt, as their journals tell."""
    attempts = bench.attempts()
    if len(attempts) <= attempt:
        return []
    journals = Journals(attempts[attempt].folder)
    list(journals.news())
    return [life for life in journals._lives.values() if life.words]


def at_work(bench: SlurmBench) -> list[Life]:
    """Pilots that live and are at an item right now, as far as is known."""
    attempts = range(len(bench.attempts()))
    every = [life for attempt in attempts for life in lives(bench, attempt)]
    return [life for life in every if life.words.item is not None and is_alive(life.words.pid)]


def is_alive(pid: int) -> bool:
    try:
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


def left_behind(bench: SlurmBench) -> list[str]:
    """Items in queues or leased, and half-written files."""
    folders = [a.folder / name for a in bench.attempts() for name in (QUEUE, LEASES, WITHDRAWN)]
    paths = [*(path for folder in folders for path in folder.rglob("*") if path.is_file())]
    return [str(path) for path in [*paths, *(bench.folder / "data/_partial").glob("*")]]


def test_few_pilots_make_all_items_and_nothing_is_left_behind(bench, crawl_url, downloaded):
    bench.url = crawl_url
    bench.slurm = PILOTS

    status, output = bench.download()

    assert status == 0, output
    (attempt,) = bench.attempts()
    assert f"job {attempt.job_id}, 8 items in 3 pilot jobs, 0.8 GB, 1440 min" in output
    arguments = json.loads((attempt.folder / "sbatch.json").read_text())
    assert "--array=0-2" in arguments
    assert "--time=1440" in arguments
    assert bench.starts() == list(range(8))
    assert left_behind(bench) == []
    assert bench.files() == downloaded
    lines = list(log_lines(bench.folder / "logs", "DownloadWET", DUMP, 5))
    assert "job " in lines[0]
    assert [line.rpartition(" ")[2] for line in lines if "event=start" in line] == ["item=5"]
    assert sum("event=finish" in line for line in lines) == 1


def test_the_settings_on_the_page_about_clusters_work(bench, crawl_url, downloaded):
    blocks = [block.text for block in blocks_of(ROOT / "docs/how-to/cluster.md")]
    (text,) = [block for block in blocks if "mode = pilot_jobs" in block]
    bench.url = crawl_url
    bench.slurm = dict(line.split(" = ") for line in text.splitlines()[1:])

    status, output = bench.download()

    assert status == 0, output
    assert "8 items in 3 pilot jobs, 0.8 GB, 480 min" in output
    assert bench.files() == downloaded


def test_status_shows_the_pilots_while_they_are_at_work(bench, testbed):
    bench.slurm = {**PILOTS, "max_array": 1}
    with bench.slower():
        driver = bench.start_download()
        eventually(lambda: at_work(bench))

        status, output = bench.run("-m", "pipeline", "status", "--dump", DUMP)

    assert status == 0, output
    assert f"job {bench.attempts()[0].job_id}: 1 running, logs in " in output
    finished(driver)


def test_a_pilot_out_of_memory_gives_its_item_to_one_with_more(bench, downloaded, crawl_url):
    bench.url = crawl_url
    bench.slurm = {**PILOTS, "mem_gb": 0.05, "memory_factor": 16, "poll_s": 0.5}

    status, output = bench.download()

    assert status == 0, output
    last = bench.attempts()[-1].manifest
    assert (last.mem_gb, last.alone) == (0.8, True)
    kinds = [kind for a in bench.attempts() for ks in a.manifest.failure_history.values()
             for kind in ks]  # fmt: skip
    assert "memory" in kinds
    assert bench.files() == downloaded
    assert left_behind(bench) == []


def test_an_item_that_fails_is_tried_again_and_named(bench, downloaded, crawl_url):
    bench.url = crawl_url
    bench.slurm = PILOTS
    shard = bench.folder / "data" / bench.store.path("DownloadWET", 3)
    shard.mkdir(parents=True)  # in the way of the file

    status, output = bench.download()

    assert status != 0
    assert "1 of 8 work items of phase shard failed, first 3" in output
    assert "2 tries: error, error" in output
    shard.rmdir()
    assert bench.download()[0] == 0
    assert bench.files() == downloaded


def test_a_killed_pilots_item_is_taken_up_by_another(bench, testbed, downloaded):
    bench.slurm = {**PILOTS, "extra_args": "--no-requeue"}
    with bench.slower():
        driver = bench.start_download()
        (life, *_) = eventually(lambda: at_work(bench))
        os.kill(life.words.pid, signal.SIGKILL)
    finished(driver)

    assert len(bench.attempts()) > 1
    assert bench.starts().count(life.words.item) == 2
    assert set(bench.starts()) == set(range(8))
    assert bench.files() == downloaded
    assert left_behind(bench) == []


def test_a_pilot_whose_node_is_lost_goes_on_elsewhere_with_its_own_item(bench, testbed, downloaded):
    bench.slurm = PILOTS
    with bench.slower():
        driver = bench.start_download()
        (life, *_) = eventually(lambda: at_work(bench))
        host = life.words.host
        testbed.kill_node(host)
        testbed.down_node(host)
    finished(driver)
    testbed.start_slurmd(host)
    testbed.resume_node(host)
    testbed.wait_for_nodes(testbed.nodes)

    assert bench.starts().count(life.words.item) == 2
    assert bench.files() == downloaded


def test_a_driver_killed_and_started_again_adopts_the_pilots(bench, downloaded):
    bench.slurm = {**PILOTS, "max_array": 2}
    with bench.slower(0.6):
        driver = bench.start_download()
        eventually(lambda: at_work(bench))
        kill_group(driver)
        (first,) = bench.attempts()

        status, output = bench.download()

    assert status == 0, output
    assert f"job {first.job_id} goes on" in output
    assert bench.attempts() == [first]
    assert bench.starts() == list(range(8))
    assert bench.files() == downloaded


def test_a_driver_adopts_what_another_mode_submitted(bench, downloaded):
    bench.slurm = {"max_concurrent": 2}
    with bench.slower(0.6):
        driver = bench.start_download()
        eventually(lambda: bench.at_work(0))
        kill_group(driver)
        (first,) = bench.attempts()
        bench.slurm = PILOTS

        status, output = bench.download()

    assert status == 0, output
    assert f"job {first.job_id} goes on" in output
    assert bench.attempts() == [first]
    assert bench.files() == downloaded


def test_pilots_that_nothing_is_left_for_do_not_wait_in_the_queue(bench, testbed, crawl_url):
    bench.url = crawl_url
    held = testbed.nodes[1:]
    for name in held:
        testbed.run("scontrol", "update", f"NodeName={name}", "State=DRAIN", "Reason=test")
    try:
        bench.slurm = {**PILOTS, "max_array": 8}  # one node has room for two
        status, output = bench.download()
    finally:
        for name in held:
            testbed.resume_node(name)

    assert status == 0, output
    (attempt,) = bench.attempts()
    eventually(lambda: not job_states(testbed, attempt.manifest.name))
    assert len(lives(bench)) < 8


def test_a_pilot_takes_nothing_that_it_has_no_time_for(bench, downloaded, crawl_url):
    bench.url = crawl_url
    bench.slurm = {**PILOTS, "max_array": 1, "pilot_job_min": 10, "time_min": 10}

    status, output = bench.download()

    assert status == 0, output
    assert len(bench.attempts()) == 8  # time for one item each
    assert all(a.manifest.failure_history == {} for a in bench.attempts())
    assert bench.files() == downloaded


def test_idle_pilots_go_on_with_the_next_phase(bench, testbed, crawl_url, downloaded):
    shutil.rmtree(bench.data)  # the list of files is a phase of its own
    bench.url = crawl_url
    bench.slurm = {**PILOTS, "max_array": 2, "pilot_idle_s": 60}

    status, output = bench.download()

    assert status == 0, output
    (first,), (second,) = bench.attempts(phase="paths"), bench.attempts()
    assert second.manifest.predecessor == str(first.folder)
    assert second.job_id == first.job_id
    assert second.manifest.name == first.manifest.name
    assert bench.starts() == list(range(8))
    logged = "\n".join(log_lines(bench.folder / "logs", "DownloadWET", DUMP, 5))
    assert logged.count("event=finish task=DownloadWET dump=2024-10 phase=shard") == 1
    assert bench.files() == downloaded
    assert left_behind(bench) == []
    testbed.run("scancel", first.job_id)


def test_a_pilot_that_was_handed_on_and_loses_its_node_finds_its_item_again(
    bench, testbed, downloaded
):
    shutil.rmtree(bench.data)
    bench.slurm = {**PILOTS, "max_array": 2, "pilot_idle_s": 60}
    with bench.slower():
        driver = bench.start_download()
        (life, *_) = eventually(lambda: at_work(bench))
        (first,) = bench.attempts(phase="paths")
        host = life.words.host
        testbed.kill_node(host)
        testbed.down_node(host)
    output = finished(driver)
    testbed.start_slurmd(host)
    testbed.resume_node(host)
    testbed.wait_for_nodes(testbed.nodes)

    assert bench.attempts()[0].manifest.predecessor == str(first.folder)
    assert "again with" not in output
    assert {life.words.restarts for life in lives(bench)} == {0, 1}
    assert bench.files() == downloaded
    assert left_behind(bench) == []
    testbed.run("scancel", first.job_id)


def test_pilots_that_were_idle_for_too_long_are_replaced(bench, testbed, crawl_url, downloaded):
    shutil.rmtree(bench.data)
    bench.url = crawl_url
    bench.slurm = {**PILOTS, "max_array": 2, "pilot_idle_s": 600, "poll_s": 2, "max_poll_s": 2}
    driver = bench.start_download()
    eventually(lambda: bench.attempts(phase="paths"))
    (first,) = bench.attempts(phase="paths")
    eventually(lambda: first.job_id)
    eventually(lambda: (bench.folder / "logs/pilots").exists() or bench.attempts())
    testbed.run("scancel", "--signal=USR1", "--batch", first.job_id)  # as when their time is up

    finished(driver)

    assert bench.files() == downloaded
    assert left_behind(bench) == []
    for attempt in bench.attempts():
        testbed.run("scancel", attempt.job_id)


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "idle_s"), [(1, 0), (3, 20)])
def test_whatever_is_killed_when_the_trees_are_equal(bench, testbed, downloaded, seed, idle_s):
    chance = random.Random(seed)
    bench.slurm = {**PILOTS, "max_array": 2, "retries": 20, "pilot_idle_s": idle_s}
    bench.slurm["memory_factor"] = (
        1.05  # a kill looks like one for memory, of which nodes have 2 GB
    )
    if idle_s:
        shutil.rmtree(bench.data)  # so that there are two phases
    killed = []
    driver = bench.start_download()
    while len(killed) < 8:
        eventually(lambda: driver.poll() is not None or at_work(bench))  # noqa: B023
        time.sleep(chance.uniform(0, 1.5))
        if driver.poll() is not None:
            break
        killed.append(chance.choice(["pilot", "pilot", "slurmd", "driver"]))
        if killed[-1] == "pilot" and (working := at_work(bench)):
            with contextlib.suppress(ProcessLookupError):
                os.kill(chance.choice(working).words.pid, signal.SIGKILL)
        elif killed[-1] == "slurmd":
            name = chance.choice(testbed.nodes)
            testbed.kill_slurmd(name)
            testbed.start_slurmd(name)
        elif killed[-1] == "driver":
            kill_group(driver)
            driver = bench.start_download()

    finished(driver)
    testbed.wait_for_nodes(testbed.nodes)
    assert killed
    assert bench.files() == downloaded
    assert left_behind(bench) == []
