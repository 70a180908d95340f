"""The campaign itself: a round ends as the calm run, and what does not is noticed."""

import random
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from tests.chaos.blows import Blows, at_work_in
from tests.chaos.rounds import ChaosError, Place, compare, play_here
from tests.chaos.views import built_stale_views, late_disk
from tests.graph.publishing.export_forms import copy_of

SEES = """
import os, sys
path, others = sys.argv[1:]
def seen(path):
    try:
        open(path).close(); os.stat(path)
        return True
    except FileNotFoundError:
        return False
open(path + ".new", "w").close()
os.rename(path + ".new", path)
print(seen(others), seen(path))
"""


@pytest.mark.slow
def test_a_round_of_blows_ends_as_the_calm_run(tmp_path, crawl_folder, whole):
    counts: Counter[str] = Counter()
    calm = whole.files()
    place = Place(crawl_folder, calm, built_stale_views(tmp_path), blows=6, damages=1)

    play_here("7 0", tmp_path / "round", place, counts)

    assert sum(counts[kind] for kind in Blows(random.Random(1), tmp_path, counts).here()) >= 6
    assert sum(number for kind, number in counts.items() if kind.startswith("damage, ")) >= 2


@pytest.mark.slow
def test_another_byte_and_a_leftover_are_noticed(tmp_path, whole):
    bench = copy_of(whole, tmp_path / "bench")
    place = Place(tmp_path, whole.files(), tmp_path)
    compare(bench, place)

    half_written = Path(bench.data, "_partial/host-1-x")
    half_written.parent.mkdir(exist_ok=True)
    half_written.touch()
    with pytest.raises(ChaosError, match="half-written"):
        compare(bench, place)
    half_written.unlink()
    with next(Path(bench.data).rglob("*.parquet")).open("ab") as shard:
        shard.write(b" ")
    with pytest.raises(ChaosError, match="1 files differ"):
        compare(bench, place)


def test_a_disk_seen_late_hides_what_others_wrote_just_now(tmp_path):
    library = built_stale_views(tmp_path)
    others = tmp_path / "others"
    others.write_text("x")

    def told(late_ms):
        command = [sys.executable, "-c", SEES, str(tmp_path / "mine"), str(others)]
        view = late_disk(library, str(tmp_path), late_ms)
        return subprocess.run(command, env=view, capture_output=True, text=True, check=True).stdout

    assert told(10_000_000) == "False True\n"
    assert told(0) == "True True\n"


def test_processes_are_known_by_their_settings(tmp_path):
    view = {"LUIGI_CONFIG_PATH": f"{tmp_path}/luigi.cfg"}
    with subprocess.Popen(["sleep", "600"], env=view) as process:
        try:
            # A new program has no environment for a moment after Popen knows that it began.
            guard = time.monotonic() + 120
            while not at_work_in(tmp_path) and time.monotonic() < guard:
                time.sleep(0.01)
            assert at_work_in(tmp_path) == {process.pid}
            assert at_work_in(tmp_path, "other words") == set()
        finally:
            process.kill()
    assert at_work_in(tmp_path) == set()
