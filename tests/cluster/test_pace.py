"""How soon the driver sees what has happened, and how often it asks."""
# ruff: noqa: F811 - fixtures are imported by name and asked for by name

import time

from slurm.monitoring.polling import Pace
from tests.cluster.bench import SlurmBench
from tests.graph.conftest import crawl_folder, crawl_url  # noqa: F401 - fixtures


def test_files_are_glanced_at_between_two_looks_at_the_queue():
    start = time.monotonic()

    moments = [time.monotonic() - start for _ in Pace(2.5, 60).polls()]

    assert 1 <= len(moments) <= 2, "a slow machine may miss the second"
    assert moments[0] >= 0.9
    assert time.monotonic() - start >= 2.2


def test_looks_at_the_queue_become_rarer_until_something_is_submitted():
    pace = Pace(0.1, 0.3)

    def pause_s() -> float:
        start = time.monotonic()
        assert list(pace.polls()) == []
        return time.monotonic() - start

    first, *_, last = [pause_s() for _ in range(6)]
    pace.restart()

    assert first >= 0.09
    assert last >= 0.26
    assert pace._pause_s == 0.1


def test_a_slow_disk_is_glanced_at_less_often():
    polls = 0
    for _ in Pace(2.5, 60).polls():
        polls += 1
        time.sleep(0.1)

    assert polls == 1


def test_the_end_of_an_array_is_seen_before_the_next_look(testbed, tmp_path, crawl_url):
    bench = SlurmBench(tmp_path / "slurm", crawl_url, num_shards=4, bed=testbed)
    bench.slurm = {"poll_s": 100, "max_poll_s": 100}
    status, output = bench.download()

    assert status == 0, output
    assert len(bench.attempts()) == 1
