"""What the tasks of a dump took so far, of `pipeline.cli.planning.pilot`."""

import pyarrow as pa
import pytest

from pipeline.cli.planning.pilot import PhaseSeen, read_pilot
from pipeline.core.failures import ConfigError
from pipeline.core.run_log import note_run, runs_path
from pipeline.core.storage.column_store import FAILURE, ColumnStore
from pipeline.core.storage.filesystem import Storage
from pipeline.core.tasks.phases import ShardReport
from pipeline.crawl.http.settings import CrawlSettings

SETTINGS = CrawlSettings("http://localhost", coalesce_gap_bytes=10, max_request_bytes=1000)


@pytest.fixture
def store(tmp_path):
    return ColumnStore(Storage(str(tmp_path / "data")), "2024-10")


BYTES = (("bytes", pa.int64()),)


def write(store, task, shard=0, rows=(), columns=BYTES, counts=None):
    with store.writer(store.path(task, shard), pa.schema([*columns, FAILURE]), "f") as writer:
        for row in rows:
            writer.append({**row, "failure": None})
        writer.counts.update(counts or {})


def note(tmp_path, task, phase, *reports, fingerprint="f", held=0):
    note_run(runs_path(tmp_path, task, "2024-10"), phase, fingerprint, 0.0, reports, held)


PLACES = (
    ("warc_file", pa.string()), ("warc_record_offset", pa.int64()),
    ("warc_record_length", pa.int32()),
)  # fmt: skip


@pytest.fixture
def pilot(store, tmp_path):
    for shard in range(2):
        write(store, "DownloadWET", shard, [{"bytes": 100}, {"bytes": 50 + shard}])
        write(store, "HashParagraphs", shard, counts={"pages": 7})
    write(store, "CCIndex", 0, [{"bytes": 1000}])
    write(store, "CCNet", 0, [{"bytes": 1}] * 3)
    places = [("a", 0, 20), ("a", 25, 5), ("a", 500, 10), ("b", 0, 40), (None, None, None)]
    names = [name for name, _ in PLACES]
    rows = [dict(zip(names, place, strict=True)) for place in places]
    write(store, "WARCIndex", 0, rows, PLACES)
    note(tmp_path, "CCNet", "shard", ShardReport(0, None, 9.0, 4.0, 80.0, ready_s=1.0), held=10**9)
    note(tmp_path, "CCNet", "shard", ShardReport(1, None, 8.0, 2.0, 90.0))
    note(tmp_path, "CCNet", "merge-4", ShardReport(0, None, 1.0, 0.0, 5.0))
    note(tmp_path, "CCNet", "shard", ShardReport(0, None, 500.0, 500.0), fingerprint="other")
    return read_pilot(store, tmp_path, SETTINGS)


def test_files_and_their_bytes_are_those_that_are_there(pilot):
    assert (pilot.wet_files, pilot.wet_bytes) == (4, 301)
    assert (pilot.cdx_files, pilot.cdx_bytes) == (1, 1000)
    assert (pilot.pages, pilot.selected) == (14, 3)


def test_ranges_near_each_other_are_one_request(pilot):
    assert (pilot.requests, pilot.fetched_bytes) == (3, 30 + 10 + 40)


def test_a_task_has_the_wet_bytes_of_its_shards_and_the_index_those_of_all(pilot):
    assert pilot.tasks["CCNet"].wet_bytes == 150
    assert pilot.tasks["CCIndex"].wet_bytes == 301
    assert pilot.tasks["HashParagraphs"].shards == 2
    assert "Deduplicate" not in pilot.tasks
    assert pilot.per_wet_byte("CCNet", 300.0) == 2.0
    assert pilot.per_wet_byte("Deduplicate", 300.0) == 0.0


def test_runs_under_the_shards_settings_count(pilot):
    shard, merge = pilot.tasks["CCNet"].phases

    assert (shard.items, shard.seconds, shard.wall_s) == (2, 6.0, 17.0)
    assert (shard.peak_rss_mb, shard.ready_s, shard.processes) == (90.0, 0.5, 2)
    assert (shard.first_s, shard.first_share) == (6.0, 1.0)
    assert (merge.name, merge.base, merge.seconds, merge.ready_s) == ("merge-4", "merge", 1.0, 0.0)
    assert pilot.tasks["CCNet"].seconds == 7.0
    assert pilot.tasks["CCNet"].held_bytes == 10**9
    assert pilot.tasks["CCIndex"].held_bytes == pilot.tasks["CCIndex"].kept_bytes > 0


def test_without_a_wet_file_there_is_nothing_to_plan_from(store, tmp_path):
    with pytest.raises(ConfigError, match="has no WET file of 2024-10"):
        read_pilot(store, tmp_path, SETTINGS)


def test_a_phase_is_known_without_the_number_of_its_parts():
    assert PhaseSeen("buckets-300", 1, 1.0, 1.0, 1.0, 1.0, 0.0, 1, 1.0).base == "buckets"
