"""Limits are reached, shards are poisoned, programs do not answer; each ends with the same tree."""

import json
import shutil

import pytest

from skord.sample_crawl.faults import Faults
from skord.sample_crawl.server import CrawlServer
from skord.slurm.monitoring.heartbeat import Reason
from tests.cluster.bench import DOWNLOAD, SlurmBench, finished
from tests.cluster.conftest import eventually
from tests.graph.bench import DUMP, Bench

# -- memory and time ----------------------------------------------------------------------------


def test_an_array_task_out_of_memory_runs_again_with_more(bench, downloaded, crawl_url):
    bench.url = crawl_url
    bench.slurm = {"mem_gb": 0.05, "memory_factor": 16, "poll_s": 0.5}

    status, output = bench.download()

    assert status == 0, output
    assert bench.attempts()[0].manifest.mem_gb == 0.05
    assert {attempt.manifest.mem_gb for attempt in bench.attempts()[1:]} == {0.8}
    assert all(len(group) == 1 for a in bench.attempts()[1:] for group in a.manifest.groups)
    kinds = {
        kind
        for a in bench.attempts()[1:]
        for ks in a.manifest.failure_history.values()
        for kind in ks
    }
    assert kinds == {"memory"}
    assert bench.files() == downloaded


def test_an_array_task_out_of_memory_moves_on_to_the_partition_that_has_more(
    bench, testbed, downloaded, crawl_url
):
    bench.url = crawl_url
    testbed.run("scontrol", "create", "PartitionName=large", f"Nodes={testbed.nodes[3]}")
    bench.slurm = {
        "mem_gb": 0.05,
        "memory_factor": 16,
        "partitions": "\n    main mem_gb=0.1\n    large mem_gb=1.5",
    }

    status, output = bench.download()
    testbed.run("scontrol", "delete", "PartitionName=large")

    assert status == 0, output
    asked = [json.loads((a.folder / "sbatch.json").read_text()) for a in bench.attempts()]
    assert "--partition=main" in asked[0]
    assert all("--partition=large" in words for words in asked[1:])
    assert {said.host for a in bench.attempts()[1:] if (said := a.heartbeat(0))} == {"n4"}
    assert bench.files() == downloaded


def test_an_array_task_warned_of_its_end_stops_clean_and_runs_again(bench, testbed, downloaded):
    bench.slurm = {"shards_per_array_task": 4, "warn_s": 2}
    driver = bench.start_download()
    eventually(lambda: bench.at_work(0))
    (attempt,) = bench.attempts()

    testbed.run("scancel", "--signal=USR1", "--batch", f"{attempt.job_id}_0")
    output = finished(driver)

    said = attempt.heartbeat(0)
    assert said.reason == Reason.time
    assert "its time limit was reached; again with 0.8 GB, 20 min" in output
    longer, same = sorted(bench.attempts()[1:], key=lambda a: -a.manifest.time_min)
    assert (longer.manifest.time_min, longer.manifest.alone) == (20, True)
    assert len(longer.manifest.groups) == 1
    assert (same.manifest.time_min, same.manifest.failure_history) == (10, {})
    assert list((bench.folder / "data/_partial").glob("*")) == []
    assert bench.files() == downloaded


def test_a_shard_warned_in_its_middle_goes_on_from_the_row_group_it_had_reached(
    testbed, tmp_path, crawl_url
):
    small = ("pipeline.warc_processing", "ConvertToMarkdown", "--dump", DUMP)
    alone = Bench(tmp_path / "alone", crawl_url, batch_documents=4)
    assert alone.luigi(*small)[0] == 0
    bench = SlurmBench(tmp_path / "slurm", crawl_url, batch_documents=4, bed=testbed)
    shutil.copytree(alone.data, bench.data)
    shutil.rmtree(f"{bench.data}/ConvertToMarkdown")

    driver = bench.start("-m", "luigi", "--module", *small)
    eventually(lambda: bench.at_work(0, task="ConvertToMarkdown"))
    (attempt,) = bench.attempts("ConvertToMarkdown")
    testbed.run("scancel", "--signal=USR1", "--batch", f"{attempt.job_id}_0")
    output = finished(driver)

    assert "its time limit was reached; again with 0.8 GB, 20 min" in output
    assert "event=checkpoint task=ConvertToMarkdown" in attempt.log(0).read_text()
    assert bench.files() == alone.files()


@pytest.mark.minutes
def test_an_array_task_over_its_real_time_limit_runs_again_with_more(
    testbed, tmp_path, crawl_folder, crawl_url
):
    slower = Faults(slow=1.0, slow_s=3.75, burst=1_000_000)  # 30 s for each of four files
    with CrawlServer(crawl_folder, slower) as server:
        bench = SlurmBench(tmp_path / "slurm", server.url, num_shards=2, bed=testbed)
        bench.slurm = {"time_min": 1, "time_factor": 3, "warn_s": 0}
        driver = bench.start_download()
        eventually(lambda: len(bench.attempts()) > 1)
        server.faults = Faults()  # the limit was reached; the rest need not be slow
        output = finished(driver)

    assert "its time limit was reached; again with 0.8 GB, 3 min" in output
    assert bench.attempts()[0].heartbeat(0).reason == Reason.stopped
    alone = Bench(tmp_path / "alone", crawl_url, num_shards=2)
    assert alone.luigi(*DOWNLOAD)[0] == 0
    assert bench.files() == alone.files()


# -- poison -----------------------------------------------------------------------------------


def test_a_shard_that_fails_is_named_after_its_tries_and_the_others_finish(bench, crawl_url):
    bench.url = crawl_url
    (bench.folder / "data" / bench.store.path("DownloadWET", 5)).mkdir(parents=True)  # in the way

    status, output = bench.download()

    assert status != 0
    first, second = bench.attempts()
    assert len(first.manifest.groups) == 8
    assert second.manifest.groups == ((5,),)
    assert "1 of 8 work items of phase shard failed, first 5: " in output
    assert "(2 tries: error, error)" in output
    assert str(second.log(0)) in output
    made = (bench.folder / f"data/DownloadWET/{DUMP}").glob("*.parquet")
    assert sorted(path.name for path in made if path.is_file()) == [
        f"{n:05d}.parquet" for n in range(8) if n != 5
    ]


def test_what_is_damaged_is_told_once_and_the_same_command_mends_it(bench, crawl_url):
    bench.url = crawl_url
    status, output = bench.download()
    assert status == 0, output
    wet = sorted((bench.folder / f"data/DownloadWET/{DUMP}/files").glob("*.wet.gz"))[5]
    whole = wet.read_bytes()
    wet.write_bytes(whole[:600])
    command = ("pipeline.cc_net", "HashParagraphs", "--dump", DUMP)

    status, output = bench.luigi(*command)

    assert status != 0
    assert len(bench.attempts("HashParagraphs")) == 1
    assert "shard failed, first 5: " in output
    assert "has 600 bytes where" in output
    assert "again with" not in output
    status, output = bench.luigi(*command)
    assert status == 0, output
    assert wet.read_bytes() == whole


def test_set_up_lines_that_do_not_work_are_told_apart_from_array_tasks(bench):
    bench.slurm = {"setup_lines": "exec /no/such/python", "retries": 1}

    status, output = bench.luigi(*DOWNLOAD)

    assert status != 0
    assert "its process never got to work" in output
    log = bench.attempts()[0].log(0)
    assert "/no/such/python" in log.read_text()
