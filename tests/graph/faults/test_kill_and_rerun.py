"""Killed at any moment, the next run goes on, and ends where an undisturbed one does."""

import os
import shutil
import signal
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from skord.core.error_messages import interrupted_sentence
from tests.graph.bench import DUMP, LAST, Bench, kill_group, wait_until
from tests.processes import is_alive, workers_of

PAGES = ("pipeline.cc_net", "CCNet", "--dump", DUMP)
RECORDS = ("pipeline.warc_processing", "ConvertToMarkdown", "--dump", DUMP)
"""Up to where it is killed, and a little further: the rest of the graph would show nothing more."""


@pytest.fixture
def bench(bench):
    bench.workers = 2
    return bench


def test_a_killed_worker_fails_its_shard_alone_and_the_next_run_makes_it(bench, whole):
    process = bench.start("-m", "luigi", "--module", *RECORDS)
    wait_until(lambda: (bench.folder / "data/CCNet").exists())
    victims: set[int] = set()
    while process.poll() is None and not victims:
        victims = workers_of(process.pid) & _writing(bench.folder / "data/_partial")
        for pid in list(victims)[:1]:
            _kill(pid)
        time.sleep(0.002)
    output = process.communicate(timeout=240)[0]
    assert victims
    if process.returncode != 0:  # it may have been killed with its work done
        assert "its worker was killed by signal 9" in output

    status, output = bench.luigi(*RECORDS)

    assert status == 0, output
    assert bench.files().items() <= whole.files().items()
    assert bench.store.manifest(RECORDS[1])


@pytest.mark.parametrize("command", [("luigi", "--module", *PAGES), ("skord", "run", *PAGES[1:])])
def test_interrupting_stops_everything_and_the_next_run_goes_on(bench, whole, command):
    half_written = bench.folder / "data/_partial"
    process = bench.start("-m", *command)
    wait_until(lambda: (bench.folder / "data/HashParagraphs").exists())
    wait_until(lambda: any(half_written.glob("*")))
    workers = workers_of(process.pid)
    process.send_signal(signal.SIGINT)
    output = process.communicate(timeout=240)[0]
    assert process.returncode in (130, -signal.SIGINT)
    if command[0] == "skord":
        assert output.splitlines()[-1] == f"skord: {interrupted_sentence()}"
        assert "Traceback" not in output
    wait_until(lambda: not any(is_alive(pid) for pid in workers))
    assert list(half_written.glob("*")) == []

    status, output = bench.run("-m", *command)

    assert status == 0, output
    assert bench.files().items() <= whole.files().items()
    assert bench.store.manifest(PAGES[1])


def test_an_interrupted_shard_keeps_its_row_groups_and_ends_with_the_same_bytes(bench):
    bench.num_shards, bench.batch_documents, bench.workers = 1, 5, 0
    bench.extra = "[ConvertToMarkdown]\nconverter = pandoc\n"
    wanted = ("--dump", DUMP, "--languages", "sv,is")
    status, output = bench.luigi("pipeline.warc_processing", "FetchHTMLDocuments", *wanted)
    assert status == 0, output
    command = ("pipeline.warc_processing", "ConvertToMarkdown", *wanted)
    undisturbed = Bench(bench.folder.parent / "undisturbed", bench.url)
    vars(undisturbed).update({**vars(bench), "folder": undisturbed.folder})
    shutil.copytree(bench.folder, undisturbed.folder)
    status, output = undisturbed.luigi(*command)
    assert status == 0, output
    whole = undisturbed.folder / f"data/ConvertToMarkdown/{DUMP}/00000.parquet"
    begun = bench.folder / f"data/ConvertToMarkdown/{DUMP}/_begun/00000.parquet"
    half_written = bench.folder / "data/_partial"
    bench.workers = 1

    process = bench.start("-m", "luigi", "--module", *command)
    wait_until(lambda: any(path.stat().st_size > 10_000 for path in half_written.glob("*")))
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to the driver and all below it
    output = process.communicate(timeout=240)[0]

    assert "workers leave their shards off" in output
    assert 0 < pq.read_metadata(begun).num_row_groups < pq.read_metadata(whole).num_row_groups, (
        output
    )
    assert list(half_written.glob("*")) == []
    status, output = bench.luigi(*command)
    assert status == 0, output
    assert not begun.exists()
    assert bench.files() == undisturbed.files()


def test_workers_of_a_killed_driver_die_with_it(bench):
    process = bench.start("-m", "luigi", "--module", *LAST)
    workers: set[int] = set()
    while not workers and process.poll() is None:
        workers = workers_of(process.pid)
    kill_group(process)
    assert workers

    wait_until(lambda: not any(is_alive(pid) for pid in workers))


def _writing(half_written: Path) -> set[int]:
    """Process ids of those that have a file in the making, by its name."""
    return {int(path.name.split("-")[-2]) for path in half_written.glob("*-*-*")}


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return
