"""A disk that fills up in mid-run: said in a sentence, and no loss once there is room."""

import subprocess

import pytest

from tests.graph.bench import LAST, Bench


def mount(*arguments: str) -> bool:
    done = subprocess.run(["mount", *arguments], capture_output=True, check=False)
    return done.returncode == 0


@pytest.fixture
def small_disk(tmp_path):
    """A folder on a file system of its own, with room for a part of the run."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if not mount("-t", "tmpfs", "-o", "size=600k", "skord-test", str(folder)):
        pytest.skip("mounting a small file system needs root")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def test_a_full_disk_is_said_and_the_next_run_goes_on(tmp_path, small_disk, crawl_url, whole):
    data = f"{small_disk}/data\nmin_free_gb = 0"
    bench = Bench(tmp_path / "bench", crawl_url, data_dir=data, workers=2)
    status, output = bench.luigi(*LAST)
    assert status == 30
    assert "no space is left on the disk" in output

    assert mount("-o", "remount,size=64m", str(small_disk))
    status, output = bench.luigi(*LAST)

    assert status == 0, output
    bench.data_dir = f"{small_disk}/data"
    assert bench.files() == whole.files()
