"""A shard goes on to the next tasks before the others are there: another order, the same bytes."""

from pathlib import Path

import pytest

from skord.core.run_log import noted_runs, runs_path
from tests.graph.bench import BEFORE, DUMP, LAST, Bench

AHEAD = ("--executor-run-ahead", "true")
CARRIED = ("FetchHTMLDocuments", "ConvertToMarkdown", "ProcessMarkdown", "FilterDocuments")
"""Tasks that WARCIndex carries its shards on through."""


def runs(bench: Bench, task: str):
    return list(noted_runs(runs_path(bench.folder / "logs", task, DUMP)))


@pytest.fixture
def ahead(crawl_url, whole, tmp_path) -> Bench:
    """Complete up to where shards are carried on."""
    bench = Bench(tmp_path / "ahead", crawl_url, workers=2)
    bench.copy_tasks(whole, BEFORE)
    return bench


def test_the_files_are_the_same_and_every_task_has_its_manifest(ahead, whole):
    status, output = ahead.luigi(*LAST, *AHEAD)

    assert status == 0, output
    assert ahead.files() == whole.files()
    *_, first = runs(ahead, "WARCIndex")
    for task in CARRIED:
        (run,) = runs(ahead, task)
        assert (run.items, run.started, run.errors) == (3, first.started, {})
        assert run.work_seconds > 0
    assert all(run.started != first.started for run in runs(ahead, "Deduplicate"))


def test_a_shard_that_fails_ahead_stops_there_and_its_own_task_tells_it(ahead, whole):
    bench = ahead
    shard = Path(bench.data) / bench.store.path("ConvertToMarkdown", 1)
    shard.mkdir(parents=True)  # in the way of the file

    status, output = bench.luigi(*LAST, *AHEAD)

    assert status != 0
    assert "ConvertToMarkdown 2024-10: 1 of 3 work items of phase shard failed, first 1" in output
    assert bench.store.manifest("FetchHTMLDocuments") is not None
    assert bench.store.manifest("ConvertToMarkdown") is None
    there = sorted(bench.store.shard_bytes("FilterDocuments"))
    assert there == [0, 2]
    assert bench.store.manifest("FilterDocuments") is None
    shard.rmdir()
    status, output = bench.luigi(*LAST, *AHEAD)
    assert status == 0, output
    assert bench.files() == whole.files()


def test_what_is_not_asked_for_is_not_made(ahead):
    status, output = ahead.luigi(
        "pipeline.warc_processing", "ConvertToMarkdown", "--dump", DUMP, *AHEAD
    )

    assert status == 0, output
    assert runs(ahead, "ConvertToMarkdown")[0].items == 3
    assert not (Path(ahead.data) / "ProcessMarkdown").exists()
