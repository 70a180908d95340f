"""One place of an array, without Slurm: what it makes, and how it takes being told to stop."""

import signal
import subprocess
import sys

import pytest

from skord.core.driver import work_items
from skord.core.registry import task_class
from skord.sample_crawl.server import CrawlServer
from skord.slurm.monitoring.heartbeat import Reason
from skord.slurm.submission.attempts import Attempt, Manifest, next_folder, write_attempt
from skord.slurm.submission.sbatch import STOPPED
from tests.cluster.conftest import SLOW, eventually
from tests.graph.bench import DUMP


@pytest.fixture
def task(settings, tmp_path, crawl_folder):
    """The first task, its path list made, on a slow crawl."""
    with CrawlServer(crawl_folder, SLOW) as server:
        settings(
            f"[crawl]\nbase_url = {server.url}\nrequests_per_s = 500\nconnections = 8\n"
            f"rate_limit_dir = {tmp_path}/budget\n[DownloadWET]\nnum_shards_wanted = 8\n"
        )
        task = task_class("DownloadWET")(dump=DUMP)
        task.run_item("paths", 0)
        yield task


def attempt(task, tmp_path, **more) -> Attempt:
    words = work_items(task, "shard", [0])
    manifest = {
        "name": "by-hand", "family": words.family, "dump": DUMP, "params": words.params,
        "phase": "shard", "fingerprint": words.fingerprint, "options": (), "groups": ((0, 1),),
        "mem_gb": 2.0, "needs_min": 10, "time_min": 10, "alone": False, "warn_s": 8,
        "limit": 0, **more,
    }  # fmt: skip
    return write_attempt(next_folder(tmp_path / "attempts"), Manifest(**manifest), "")


def start(made: Attempt) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-m", "skord.slurm.worker", str(made.folder), "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def at_work(made: Attempt) -> bool:
    words = made.heartbeat(0)
    return words is not None and words.item is not None


def leftovers(tmp_path):
    return list((tmp_path / "data/_partial").glob("*"))


def test_it_makes_its_group_and_says_so(task, tmp_path):
    made = attempt(task, tmp_path)

    with start(made) as process:
        output = process.communicate(timeout=240)[0]

    assert process.returncode == 0, output
    assert task.done("shard", 0)
    assert task.done("shard", 1)
    words = made.heartbeat(0)
    assert (words.reason, words.item, words.pid) == (Reason.done, None, process.pid)
    assert {number: o.reason for number, o in words.outcomes.items()} == {0: "done", 1: "done"}
    assert 20 < words.peak_mb < 2000
    events = [line.split("event=")[1].split()[0] for line in output.splitlines()]
    assert events == ["begin", "start", "finish", "start", "finish", "end"]


def test_told_to_end_it_leaves_nothing_half_written(task, tmp_path):
    made = attempt(task, tmp_path)
    with start(made) as process:
        eventually(lambda: at_work(made))
        process.send_signal(signal.SIGTERM)
        output = process.communicate(timeout=240)[0]

    assert process.returncode == STOPPED, output
    assert (made.heartbeat(0).reason, made.heartbeat(0).item) == (Reason.stopped, 0)
    assert not task.done("shard", 0)
    assert leftovers(tmp_path) == []


def test_warned_it_finishes_what_it_is_at_and_begins_no_other(task, tmp_path):
    made = attempt(task, tmp_path)
    with start(made) as process:
        eventually(lambda: at_work(made))
        process.send_signal(signal.SIGUSR1)
        output = process.communicate(timeout=240)[0]

    assert process.returncode == STOPPED, output
    assert made.heartbeat(0).reason == Reason.time
    assert task.done("shard", 0)
    assert not task.done("shard", 1)


def test_warned_too_late_it_gives_up_what_it_is_at(task, tmp_path):
    made = attempt(task, tmp_path, warn_s=2)
    with start(made) as process:
        eventually(lambda: at_work(made))
        process.send_signal(signal.SIGUSR1)
        output = process.communicate(timeout=240)[0]

    assert process.returncode == STOPPED, output
    assert (made.heartbeat(0).reason, made.heartbeat(0).item) == (Reason.time, 0)
    assert "signal=SIGALRM" in output
    assert not task.done("shard", 0)
    assert leftovers(tmp_path) == []


def test_what_is_done_is_not_made_again(task, tmp_path):
    task.run_item("shard", 0)
    path = tmp_path / "data" / task.store.path("DownloadWET", 0)
    before = path.stat().st_mtime_ns

    with start(attempt(task, tmp_path, groups=((0,),))) as process:
        process.communicate(timeout=240)

    assert process.returncode == 0
    assert path.stat().st_mtime_ns == before


def test_one_that_fails_does_not_keep_the_others_from_being_made(task, tmp_path):
    made = attempt(task, tmp_path, groups=((99, 1),))

    with start(made) as process:
        process.communicate(timeout=240)

    assert process.returncode == 1
    outcomes = made.heartbeat(0).outcomes
    assert outcomes[99].reason == Reason.error
    assert "items 0 to 7" in outcomes[99].error
    assert outcomes[1].reason == Reason.done


def test_memory_that_runs_out_is_told(task, tmp_path):
    made = attempt(task, tmp_path, mem_gb=0.04)

    with start(made) as process:
        output = process.communicate(timeout=240)[0]

    assert process.returncode == 1, output
    assert made.heartbeat(0).outcomes[0].reason == Reason.memory


def test_settings_that_changed_since_are_refused(task, tmp_path):
    made = attempt(task, tmp_path, fingerprint="0" * 16, groups=((0,),))

    with start(made) as process:
        process.communicate(timeout=240)

    assert process.returncode == 1
    assert (
        "the settings changed between submission and start" in made.heartbeat(0).outcomes[0].error
    )
