"""People, nodes and controllers make trouble; each ends with the tree of an undisturbed run."""

import time

import pytest

from tests.cluster.bench import finished
from tests.cluster.conftest import eventually, job_states, submit
from tests.testbed.cluster import Testbed
from tests.testbed.configuration import Settings

# -- people -----------------------------------------------------------------------------------


def test_a_cancelled_array_task_is_reported_as_such_and_not_tried_again(bench, testbed, downloaded):
    with bench.slower():
        driver = bench.start_download()
        eventually(lambda: bench.at_work(3))
        (attempt,) = bench.attempts()
        testbed.run("scancel", f"{attempt.job_id}_3")
    output = driver.communicate(timeout=240)[0]

    assert driver.returncode != 0
    assert "1 of 8 work items of phase shard failed, first 3: it was cancelled (scancel)" in output
    assert str(attempt.log(3)) in output
    assert bench.attempts() == [attempt]
    assert list((bench.folder / "data/_partial").glob("*")) == []
    status, output = bench.download()
    assert status == 0, output
    assert bench.files() == downloaded


def test_a_held_array_task_is_reported_and_the_others_finish(bench, testbed, downloaded):
    bench.slurm = {"max_concurrent": 4}
    with bench.slower():
        driver = bench.start_download()
        eventually(lambda: bench.at_work(0))
        (attempt,) = bench.attempts()
        testbed.run("scontrol", "hold", f"{attempt.job_id}_7")
    output = driver.communicate(timeout=240)[0]

    assert "waits in the queue for what will not come (JobHeld" in output
    assert f"scontrol release {attempt.job_id}_7" in output
    assert "1 of 8 work items" in output
    testbed.run("scontrol", "release", f"{attempt.job_id}_7")
    status, output = bench.download()
    assert status == 0, output
    assert bench.attempts() == [attempt]
    assert bench.files() == downloaded


# -- nodes and the controller -----------------------------------------------------------------


def test_a_node_lost_in_mid_array_is_made_up_for_by_others(bench, testbed, downloaded):
    with bench.slower():
        driver = bench.start_download()
        eventually(lambda: bench.at_work(0))
        host = bench.heartbeat(0).host
        testbed.kill_node(host)
        testbed.down_node(host)
    finished(driver)
    testbed.start_slurmd(host)
    testbed.resume_node(host)
    testbed.wait_for_nodes(testbed.nodes)

    words = [bench.heartbeat(index) for index in range(8)]
    assert any(said.restarts == 1 for said in words)
    assert bench.files() == downloaded


def test_a_slurmd_killed_in_mid_array_and_started_again_costs_nothing(bench, testbed, downloaded):
    bench.slurm = {"max_concurrent": 2}
    with bench.slower():
        driver = bench.start_download()
        eventually(lambda: bench.at_work(0))
        host = bench.heartbeat(0).host
        testbed.kill_slurmd(host)
    eventually(lambda: bench.at_work(2))
    testbed.start_slurmd(host)
    testbed.wait_for_nodes(testbed.nodes)
    finished(driver)

    assert bench.starts() == list(range(8))
    assert bench.files() == downloaded


def test_where_slurm_does_not_requeue_the_driver_submits_again(bench, testbed, downloaded):
    bench.slurm = {"extra_args": "--no-requeue"}
    with bench.slower():
        driver = bench.start_download()
        eventually(lambda: bench.at_work(0))
        host = bench.heartbeat(0).host
        testbed.kill_node(host)
        testbed.down_node(host)
    output = finished(driver)
    testbed.start_slurmd(host)
    testbed.resume_node(host)
    testbed.wait_for_nodes(testbed.nodes)

    assert "the node failed or was taken away" in output
    assert bench.attempts()[1].manifest.failure_history[0] == ["node"]
    assert bench.files() == downloaded


def test_an_array_task_that_an_administrator_requeues_runs_again(bench, testbed, downloaded):
    bench.slurm = {"max_concurrent": 2}
    with bench.slower():
        driver = bench.start_download()
        eventually(lambda: bench.at_work(0))
        (attempt,) = bench.attempts()
        testbed.run("scontrol", "requeue", f"{attempt.job_id}_0")
    finished(driver)

    assert bench.attempts() == [attempt]
    assert attempt.heartbeat(0).restarts == 1
    assert bench.files() == downloaded


def test_an_array_task_that_must_make_room_for_urgent_work_runs_again(
    bench, bed_folder, downloaded
):
    preemption = "PreemptType=preempt/partition_prio\nPreemptMode=REQUEUE"
    with Testbed(bed_folder, Settings(nodes=1, cpus=1, extra=preemption)) as bed:
        bed.run("scontrol", "create", "PartitionName=urgent", "Nodes=n1", "PriorityTier=10")
        bench.bed = bed
        with bench.slower():
            driver = bench.start_download()
            eventually(lambda: bench.at_work(0))
            submit(bed, "--partition=urgent", "--job-name=urgent", "--wrap", "sleep 1")
            eventually(lambda: "PENDING" not in job_states(bed, "urgent"))
        finished(driver)

        (attempt,) = bench.attempts()
        assert [attempt.heartbeat(index).restarts for index in range(8)].count(1) == 1
    assert bench.files() == downloaded


def test_a_controller_killed_in_mid_array_changes_nothing(bench, testbed, downloaded):
    bench.slurm = {"max_concurrent": 2}
    driver = bench.start_download()
    eventually(lambda: bench.at_work(2))
    eventually(lambda: saved_since(testbed, bench.attempts()[0].heartbeat_path(2)))

    testbed.kill_controller()
    testbed.start_controller()
    finished(driver)

    assert bench.starts() == list(range(8))
    assert bench.files() == downloaded


@pytest.mark.minutes
def test_a_controller_that_forgot_what_runs_changes_nothing(bench, testbed, downloaded):
    bench.slurm = {"max_concurrent": 2}
    driver = bench.start_download()
    eventually(lambda: bench.at_work(2))

    testbed.kill_controller()
    testbed.start_controller()
    while driver.poll() is None:
        testbed.resume_nodes()
        time.sleep(0.5)
    finished(driver)

    assert bench.files() == downloaded


def saved_since(testbed, path) -> bool:
    """Whether the controller has written its state down since the file was first there."""
    return (testbed.folder / "state/job_state").stat().st_mtime > path.stat().st_mtime


def test_a_node_that_loses_one_array_task_after_another_is_left_out(bench, crawl_url, downloaded):
    bench.url = crawl_url
    bench.slurm = {"setup_lines": 'if [ "$SLURMD_NODENAME" = n1 ]; then exit 1; fi'}

    status, output = bench.download()

    assert status == 0, output
    assert "its process never got to work (on n1: FAILED" in output
    assert bench.attempts()[-1].manifest.exclude == ("n1",)
    assert bench.files() == downloaded
