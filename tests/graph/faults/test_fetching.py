"""Holes are filled by asking for the holes."""

from collections import Counter

import pytest

from skord.core.cancellation import CheckpointedError, clear_cancellation, request_checkpoint
from skord.core.registry import task_class
from skord.sample_crawl.faults import Faults
from skord.sample_crawl.server import CrawlServer
from tests.conftest import read_settings
from tests.graph.bench import DUMP, Bench

FETCH = ("pipeline.warc_processing", "FetchHTMLDocuments", "--dump", DUMP)


def failures(bench):
    codes = [
        code
        for shard in range(bench.num_shards)
        for code in bench.store.read_table(bench.store.path("FetchHTMLDocuments", shard))[
            "failure"
        ].to_pylist()
        if code
    ]
    return [code for code in codes if code.startswith("http_")]


def test_a_run_after_failures_asks_for_the_holes_alone(tmp_path, crawl_folder, crawl_url, whole):
    impatient = "[FetchHTMLDocuments]\nmax_failure_share = 0.05\n"
    bench = Bench(tmp_path / "bench", crawl_url, coalesce_gap_bytes=0, extra=impatient)
    status, output = bench.luigi("pipeline.warc_processing", "WARCIndex", "--dump", DUMP)
    assert status == 0, output

    with CrawlServer(crawl_folder, Faults(seed=5, unavailable=0.5, burst=9)) as server:
        bench.url = server.url
        status, output = bench.luigi(
            *FETCH, "--crawl-attempts", "1", "--crawl-max-exhausted-requests", "1000"
        )
    holes = failures(bench)
    assert status == 30
    assert "of the rows failed" in output
    assert "max_failure_share = 0.05" in output
    assert 20 < len(holes) < 250
    assert set(holes) == {"http_server_error"}

    with CrawlServer(crawl_folder) as server:
        bench.url = server.url
        status, output = bench.luigi(*FETCH)
        ranges = [request for request in server.requests if request.range]

    assert status == 0, output
    repeats_of_the_corrupt_member = 3
    assert len(ranges) <= len(holes) + repeats_of_the_corrupt_member
    fetched = {n: d for n, d in bench.files().items() if n.startswith("FetchHTMLDocuments")}
    expected = {n: d for n, d in whole.files().items() if n.startswith("FetchHTMLDocuments")}
    assert fetched == expected


def test_a_shard_left_off_while_fetching_is_resumed_without_asking_twice(
    settings, tmp_path, crawl_folder
):
    with CrawlServer(crawl_folder) as server:
        bench = Bench(
            tmp_path, server.url, num_shards=1, batch_documents=40, coalesce_gap_bytes=0, workers=0
        )
        status, output = bench.luigi("pipeline.warc_processing", "WARCIndex", "--dump", DUMP)
        assert status == 0, output
        read_settings(tmp_path / "luigi.cfg")  # which was just written
        task = task_class("FetchHTMLDocuments")(dump=DUMP)

        request_checkpoint()
        with pytest.raises(CheckpointedError):
            task.run_item("shard", 0)
        clear_cancellation()
        first = ranges_of(server)
        task.run_item("shard", 0)
        second = ranges_of(server)[len(first) :]

    assert len(set(first)) == 40
    assert len(second) > 80
    sound = {asked for asked, times in Counter(first).items() if times == 1}
    assert len(sound) > 35, "damaged records were asked for twice, and are again"
    assert not sound & set(second)
    path, ledger = (task.store.path("FetchHTMLDocuments", 0, p) for p in ("shard", "ledger"))
    rows = task.store.read_table(path).select(["id", "failure"]).to_pylist()
    asked_for = [row["id"] for row in rows if row["failure"] != "upstream"]
    assert task.store.read_table(ledger)["id"].to_pylist() == asked_for


def ranges_of(server):
    return [(request.path, request.range) for request in server.requests if request.range]
