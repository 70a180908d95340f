"""What the tasks of a dump took so far, of `skord.cli.planning.pilot`."""

import pytest

from skord.cli.planning.pilot import _amounts, read_pilot
from skord.core.failures import ConfigError
from skord.crawl.http.settings import CrawlSettings

SETTINGS = CrawlSettings("http://localhost", coalesce_gap_bytes=10, max_request_bytes=1000)


@pytest.fixture
def pilot(begun, tmp_path):
    return read_pilot(begun, tmp_path, SETTINGS)


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
    assert (shard.peak_mb, shard.ready_s, shard.processes) == (90.0, 0.5, 2)
    assert (shard.first_s, shard.first_share) == (6.0, 1.0)
    assert (merge.name, merge.seconds, merge.ready_s) == ("merge", 1.0, 0.0)
    assert pilot.tasks["CCNet"].held_bytes == 10**9
    assert pilot.tasks["CCIndex"].held_bytes == pilot.tasks["CCIndex"].kept_bytes > 0


@pytest.mark.parametrize(
    ("wet_bytes", "amounts"),
    [({3: 50}, {3: 1.0}), ({0: 100, 1: 300}, {0: 0.5, 1: 1.5}), ({0: 0}, {}), ({}, {})],
)
def test_what_a_shard_has_to_do_is_told_in_means_of_them(store, wet_bytes, amounts):
    wet = {shard: (1, size) for shard, size in wet_bytes.items()}
    assert _amounts(store, "DownloadWET", [*range(5)], wet) == amounts


def test_without_a_wet_file_there_is_nothing_to_plan_from(store, tmp_path):
    with pytest.raises(ConfigError, match="has no WET file of 2024-10"):
        read_pilot(store, tmp_path, SETTINGS)
