"""What goes wrong on a cluster, made to happen; each ends with the tree of an undisturbed run."""
# ruff: noqa: F811 - fixtures are imported by name and asked for by name

import shutil
import time

import pytest

from pipeline.rehearsal.faults import Faults
from pipeline.rehearsal.server import CrawlServer
from slurm.last_words import Reason
from slurm.testbed.cluster import Testbed
from tests.cluster.bench import DOWNLOAD, SlurmBench
from tests.cluster.conftest import eventually, submit
from tests.cluster.test_executor import (  # noqa: F401 - fixtures
    bench,
    downloaded,
    local,
    slow_url,
)
from tests.graph.conftest import (  # noqa: F401 - fixtures
    DUMP,
    Bench,
    crawl_folder,
    crawl_url,
)


def mend(testbed):
    """What an administrator does: give nodes back that the controller has no trust in."""
    for name, state in testbed.node_states().items():
        if state.startswith(("drain", "down")):
            testbed.resume_node(name)


def finished(driver) -> str:
    output = driver.communicate(timeout=200)[0]
    assert driver.returncode == 0, output
    return output


# -- people -----------------------------------------------------------------------------------


def test_a_cancelled_element_is_reported_as_such_and_not_tried_again(bench, testbed, downloaded):
    driver = bench.start_download()
    eventually(lambda: bench.at_work(3), 60)
    (attempt,) = bench.attempts()

    testbed.run("scancel", f"{attempt.job_id}_3")
    output = driver.communicate(timeout=60)[0]

    assert driver.returncode != 0
    assert "1 of 8 elements of phase shard failed, first 3: it was cancelled (scancel)" in output
    assert str(attempt.log(3)) in output
    assert bench.attempts() == [attempt]
    assert list((bench.folder / "data/_partial").glob("*")) == []
    status, output = bench.download()
    assert status == 0, output
    assert bench.files() == downloaded


def test_a_held_element_is_reported_and_the_others_finish(bench, testbed, downloaded):
    bench.slurm = {"max_concurrent": 4}
    driver = bench.start_download()
    eventually(lambda: bench.at_work(0), 60)
    (attempt,) = bench.attempts()

    testbed.run("scontrol", "hold", f"{attempt.job_id}_7")
    output = driver.communicate(timeout=60)[0]

    assert "waits in the queue for what will not come (JobHeld" in output
    assert f"scontrol release {attempt.job_id}_7" in output
    assert "1 of 8 elements" in output
    testbed.run("scontrol", "release", f"{attempt.job_id}_7")
    status, output = bench.download()
    assert status == 0, output
    assert bench.attempts() == [attempt]
    assert bench.files() == downloaded


# -- nodes and the controller -----------------------------------------------------------------


def test_a_node_lost_in_mid_array_is_made_up_for_by_others(bench, testbed, downloaded):
    driver = bench.start_download()
    eventually(lambda: bench.at_work(0), 60)
    host = bench.words(0).host

    testbed.kill_node(host)
    testbed.down_node(host)
    finished(driver)
    testbed.start_slurmd(host)
    testbed.resume_node(host)
    testbed.wait_for_nodes(testbed.nodes)

    words = [bench.words(index) for index in range(8)]
    assert any(said.restarts == 1 for said in words)
    assert bench.files() == downloaded


def test_a_slurmd_killed_in_mid_array_and_started_again_costs_nothing(bench, testbed, downloaded):
    bench.slurm = {"max_concurrent": 2}
    driver = bench.start_download()
    eventually(lambda: bench.at_work(0), 60)
    host = bench.words(0).host

    testbed.kill_slurmd(host)
    eventually(lambda: bench.at_work(2), 60)
    testbed.start_slurmd(host)
    testbed.wait_for_nodes(testbed.nodes)
    finished(driver)

    assert bench.starts() == list(range(8))
    assert bench.files() == downloaded


def test_where_slurm_does_not_requeue_the_driver_submits_again(bench, testbed, downloaded):
    bench.slurm = {"extra_args": "--no-requeue"}
    driver = bench.start_download()
    eventually(lambda: bench.at_work(0), 60)
    host = bench.words(0).host

    testbed.kill_node(host)
    testbed.down_node(host)
    output = finished(driver)
    testbed.start_slurmd(host)
    testbed.resume_node(host)
    testbed.wait_for_nodes(testbed.nodes)

    assert "the node failed or was taken away" in output
    assert bench.attempts()[1].manifest.strikes[0] == ["node"]
    assert bench.files() == downloaded


def test_an_element_that_an_administrator_requeues_runs_again(bench, testbed, downloaded):
    bench.slurm = {"max_concurrent": 2}
    driver = bench.start_download()
    eventually(lambda: bench.at_work(0), 60)
    (attempt,) = bench.attempts()

    testbed.run("scontrol", "requeue", f"{attempt.job_id}_0")
    finished(driver)

    assert bench.attempts() == [attempt]
    assert attempt.words(0).restarts == 1
    assert bench.files() == downloaded


def test_an_element_that_must_make_room_for_urgent_work_runs_again(bench, bed_folder, downloaded):
    preemption = "PreemptType=preempt/partition_prio\nPreemptMode=REQUEUE"
    with Testbed(bed_folder, nodes=1, cpus=1, extra=preemption) as bed:
        bed.run("scontrol", "create", "PartitionName=urgent", "Nodes=n1", "PriorityTier=10")
        bench.bed = bed
        driver = bench.start_download()
        eventually(lambda: bench.at_work(0), 60)
        submit(bed, "--partition=urgent", "--wrap", "sleep 1")
        finished(driver)

        (attempt,) = bench.attempts()
        assert [attempt.words(index).restarts for index in range(8)].count(1) == 1
    assert bench.files() == downloaded


def test_a_controller_killed_in_mid_array_changes_nothing(bench, testbed, downloaded):
    bench.slurm = {"max_concurrent": 2}
    driver = bench.start_download()
    eventually(lambda: bench.at_work(2), 60)
    eventually(lambda: saved_since(testbed, bench.attempts()[0].words_path(2)))

    testbed.kill_controller()
    testbed.start_controller()
    finished(driver)

    assert bench.starts() == list(range(8))
    assert bench.files() == downloaded


@pytest.mark.minutes
@pytest.mark.timeout(200)
def test_a_controller_that_forgot_what_runs_changes_nothing(bench, testbed, downloaded):
    bench.slurm = {"max_concurrent": 2}
    driver = bench.start_download()
    eventually(lambda: bench.at_work(2), 60)

    testbed.kill_controller()
    testbed.start_controller()
    while driver.poll() is None:
        mend(testbed)
        time.sleep(0.5)
    finished(driver)

    assert bench.files() == downloaded


def saved_since(testbed, path) -> bool:
    """Whether the controller has written its state down since the file was first there."""
    return (testbed.folder / "state/job_state").stat().st_mtime > path.stat().st_mtime


def test_a_node_that_loses_element_after_element_is_left_out(bench, crawl_url, downloaded):
    bench.url = crawl_url
    bench.slurm = {"setup_lines": 'if [ "$SLURMD_NODENAME" = n1 ]; then exit 1; fi'}

    status, output = bench.download()

    assert status == 0, output
    assert "its process never got to work (on n1: FAILED" in output
    assert bench.attempts()[-1].manifest.exclude == ("n1",)
    assert bench.files() == downloaded


# -- memory and time ----------------------------------------------------------------------------


def test_an_element_out_of_memory_runs_again_with_more(bench, downloaded):
    bench.slurm = {"mem_gb": 0.05, "memory_factor": 16, "poll_s": 0.5}

    status, output = bench.download()

    assert status == 0, output
    assert bench.attempts()[0].manifest.mem_gb == 0.05
    assert {attempt.manifest.mem_gb for attempt in bench.attempts()[1:]} == {0.8}
    assert all(len(group) == 1 for a in bench.attempts()[1:] for group in a.manifest.groups)
    kinds = {
        kind for a in bench.attempts()[1:] for ks in a.manifest.strikes.values() for kind in ks
    }
    assert kinds == {"memory"}
    assert bench.files() == downloaded


def test_memory_is_not_raised_above_its_limit(bench):
    bench.slurm = {"mem_gb": 0.05, "memory_factor": 2, "max_mem_gb": 0.06}

    status, output = bench.download()

    assert status != 0
    assert "8 of 8 elements of phase shard failed, first 0: it " in output
    assert "2 tries: memory, memory" in output
    assert {a.manifest.mem_gb for a in bench.attempts()} == {0.05, 0.06}


def test_an_element_warned_of_its_end_stops_clean_and_runs_again(bench, testbed, downloaded):
    bench.slurm = {"shards_per_element": 4, "warn_s": 2}
    driver = bench.start_download()
    eventually(lambda: bench.at_work(0), 60)
    (attempt,) = bench.attempts()

    testbed.run("scancel", "--signal=USR1", "--batch", f"{attempt.job_id}_0")
    output = finished(driver)

    said = attempt.words(0)
    assert said.reason == Reason.time
    assert "its time limit was reached; again with 0.8 GB, 20 min" in output
    longer, same = sorted(bench.attempts()[1:], key=lambda a: -a.manifest.time_min)
    assert (longer.manifest.time_min, longer.manifest.alone) == (20, True)
    assert len(longer.manifest.groups) == 1
    assert (same.manifest.time_min, same.manifest.strikes) == (10, {})
    assert list((bench.folder / "data/_partial").glob("*")) == []
    assert bench.files() == downloaded


def test_a_shard_warned_in_its_middle_goes_on_from_the_row_group_it_had_reached(
    testbed,
    tmp_path,
    crawl_url,
):
    small = ("pipeline.warc_processing", "ConvertToMarkdown", "--dump", DUMP)
    alone = Bench(tmp_path / "alone", crawl_url, batch_documents=4)
    assert alone.luigi(*small)[0] == 0
    bench = SlurmBench(tmp_path / "slurm", crawl_url, batch_documents=4, bed=testbed)
    shutil.copytree(alone.data, bench.data)
    shutil.rmtree(f"{bench.data}/ConvertToMarkdown")

    driver = bench.start("-m", "luigi", "--module", *small)
    eventually(lambda: bench.at_work(0, task="ConvertToMarkdown"), 60)
    (attempt,) = bench.attempts("ConvertToMarkdown")
    testbed.run("scancel", "--signal=USR1", "--batch", f"{attempt.job_id}_0")
    output = finished(driver)

    assert "its time limit was reached; again with 0.8 GB, 20 min" in output
    assert "event=put_down task=ConvertToMarkdown" in attempt.log(0).read_text()
    assert bench.files() == alone.files()


@pytest.mark.minutes
@pytest.mark.timeout(400)
def test_an_element_over_its_real_time_limit_runs_again_with_more(
    testbed,
    tmp_path,
    crawl_folder,
    crawl_url,
):
    slower = Faults(slow=1.0, slow_s=2.5, burst=1_000_000)  # 20 s for each of a shard's four files
    with CrawlServer(crawl_folder, slower) as server:
        bench = SlurmBench(tmp_path / "slurm", server.url, num_shards=2, bed=testbed)
        bench.slurm = {"time_min": 1, "time_factor": 3, "warn_s": 0}
        status, output = bench.download()

    assert status == 0, output
    assert "its time limit was reached; again with 0.8 GB, 3 min" in output
    assert bench.attempts()[0].words(0).reason == Reason.stopped
    alone = Bench(tmp_path / "alone", crawl_url, num_shards=2)
    assert alone.luigi(*DOWNLOAD)[0] == 0
    assert bench.files() == alone.files()


# -- poison -----------------------------------------------------------------------------------


def test_a_poisoned_shard_is_named_after_its_tries_and_the_others_finish(bench, crawl_url):
    bench.url = crawl_url
    status, output = bench.download()
    assert status == 0, output
    wet = sorted((bench.folder / f"data/DownloadWET/{DUMP}/files").glob("*.wet.gz"))[5]
    wet.write_bytes(b"\x1f\x8b" + b"poison" * 100)

    status, output = bench.luigi("pipeline.cc_net", "HashParagraphs", "--dump", DUMP)

    assert status != 0
    first, second = bench.attempts("HashParagraphs")
    assert len(first.manifest.groups) == 8
    assert second.manifest.groups == ((5,),)
    assert "1 of 8 elements of phase shard failed, first 5: the WET files of shard 5" in output
    assert "(2 tries: error, error)" in output
    assert str(second.log(0)) in output
    made = (bench.folder / f"data/HashParagraphs/{DUMP}").glob("*.parquet")
    assert sorted(path.name for path in made) == [f"{n:05d}.parquet" for n in range(8) if n != 5]


def test_set_up_lines_that_do_not_work_are_told_apart_from_elements(bench):
    bench.slurm = {"setup_lines": "exec /no/such/python", "retries": 1}

    status, output = bench.luigi(*DOWNLOAD)

    assert status != 0
    assert "its process never got to work" in output
    log = bench.attempts()[0].log(0)
    assert "/no/such/python" in log.read_text()


# -- answers that cannot be had from a cluster at will: in front of the real programs ------------


def in_front_of(bench, tmp_path, monkeypatch, program: str, script: str):
    """Have the driver find a script before the real program, which it knows as $REAL."""
    folder = tmp_path / "front"
    folder.mkdir()
    real = shutil.which(program, path=bench.bed.environment["PATH"])
    path = folder / program
    path.write_text(f"#!/bin/bash\nREAL={real}\ncount={folder}/count\necho >> $count\n{script}\n")
    path.chmod(0o755)
    environment = bench.environment()
    environment["PATH"] = f"{folder}:{environment['PATH']}"
    monkeypatch.setattr(bench, "environment", lambda: environment)


def test_a_submission_that_was_heard_but_not_answered_is_not_repeated(
    bench,
    tmp_path,
    monkeypatch,
    crawl_url,
    downloaded,
):
    bench.url = crawl_url
    script = """"$REAL" "$@" >/dev/null
echo "sbatch: error: Batch job submission failed: Socket timed out on send/recv operation" >&2
exit 1"""
    in_front_of(bench, tmp_path, monkeypatch, "sbatch", script)

    status, output = bench.download()

    assert status == 0, output
    assert "sbatch does not answer (Batch job submission failed: Socket timed out" in output
    assert len((tmp_path / "front/count").read_text().splitlines()) == 1
    assert bench.starts() == list(range(8))
    assert bench.files() == downloaded


def test_a_queue_that_cannot_be_read_is_not_an_empty_one(
    bench,
    tmp_path,
    monkeypatch,
    downloaded,
):
    script = '''[ $(wc -l < $count) -gt 3 ] && [ $(wc -l < $count) -lt 12 ] && exit 1
exec "$REAL" "$@"'''
    in_front_of(bench, tmp_path, monkeypatch, "squeue", script)

    status, output = bench.download()

    assert status == 0, output
    assert "squeue does not answer" in output
    assert len(bench.attempts()) == 1
    assert bench.starts() == list(range(8))
    assert bench.files() == downloaded


def test_a_limit_on_jobs_makes_smaller_arrays(testbed, tmp_path, monkeypatch, crawl_url):
    bench = SlurmBench(tmp_path / "slurm", crawl_url, num_shards=2, bed=testbed)
    status, output = bench.luigi("pipeline.cc_net", "HashParagraphs", "--dump", DUMP)
    assert status == 0, output
    script = '''[[ "$*" =~ --array=0-23 ]] && echo "sbatch: error: QOSMaxSubmitJobPerUserLimit
sbatch: error: Batch job submission failed: Job violates accounting/QOS policy" >&2 && exit 1
exec "$REAL" "$@"'''
    in_front_of(bench, tmp_path, monkeypatch, "sbatch", script)

    status, output = bench.luigi(
        "pipeline.cc_net", "CCNet", "--dump", DUMP, "--CCNet-num-partitions", "24"
    )

    assert status == 0, output
    refused, taken = bench.attempts("CCNet", "repeats")
    assert (len(refused.manifest.groups), refused.job_id) == (24, "")
    assert taken.manifest.groups == tuple((n, n + 1) for n in range(0, 24, 2))
    assert taken.manifest.options == ("--CCNet-num-partitions", "24")
