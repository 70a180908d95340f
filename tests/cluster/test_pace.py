"""How soon the driver sees what has happened, and how often it asks."""

from tests.cluster.bench import SlurmBench


def test_the_end_of_an_array_is_seen_before_the_next_look(testbed, tmp_path, crawl_url):
    bench = SlurmBench(tmp_path / "slurm", crawl_url, num_shards=4, bed=testbed)
    bench.slurm = {"poll_s": 100, "max_poll_s": 100}
    status, output = bench.download()

    assert status == 0, output
    assert len(bench.attempts()) == 1
