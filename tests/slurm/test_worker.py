"""One task of an array, in this process: what it makes, says, and how it is told to stop."""

import contextlib
import errno
import os
import resource
import signal
import sys
import time

import pytest

from pipeline.dedup import ComputeSignatures
from skord.core.cancellation import checkpoint_requested, clear_cancellation, request_checkpoint
from skord.core.driver import work_items
from skord.core.failures import DamagedError, lacks_memory
from skord.extras.education.task import ScoreEducation
from skord.slurm.monitoring.heartbeat import Reason
from skord.slurm.pilot_jobs import pilot
from skord.slurm.pilot_jobs.handover import hand_over
from skord.slurm.pilot_jobs.item_queue import ItemQueue
from skord.slurm.pilot_jobs.journal import Journals
from skord.slurm.pilot_jobs.pilot import Pilot
from skord.slurm.submission.attempts import Manifest, next_folder, write_attempt
from skord.slurm.submission.sbatch import STOPPED
from skord.slurm.worker import USAGE, Item, _reason_of, main
from tests.near_duplicates.conftest import FIRST, cut, some_pages, write_texts

MEM_GB = 4000.0
"""More than any machine has: this process keeps the limit that an item sets it."""

SIGNALS = (signal.SIGUSR1, signal.SIGALRM, signal.SIGTERM)


@pytest.fixture
def attempt(tmp_path, settings):
    """Makes an attempt at the signatures of three shards, of which each is an item."""
    settings("[ComputeSignatures]\nshards_at_once = 1\n")
    write_texts(FIRST, cut(some_pages(18), [9, 2]))
    words = work_items(ComputeSignatures(dump=FIRST), "shard", range(3))

    def made(*groups, name="one", pilots=0, time_min=60, **more):
        manifest = Manifest(
            name="a.1", dump=FIRST, phase="shard", options=(), groups=groups, mem_gb=MEM_GB,
            needs_min=30, time_min=time_min, alone=False, warn_s=120, limit=0, pilots=pilots,
            **{"family": words.family, "params": words.params, "fingerprint": words.fingerprint,
               **more},
        )  # fmt: skip
        folder = next_folder(tmp_path / "logs/ComputeSignatures" / FIRST / "slurm" / name)
        ItemQueue(folder, len(groups)).fill(groups, pilots) if pilots else None
        return write_attempt(folder, manifest, "#!/bin/sh\nexec python\n")

    before = [signal.getsignal(name) for name in SIGNALS]
    timer = signal.getitimer(signal.ITIMER_REAL)
    yield made
    for name, handler in zip(SIGNALS, before, strict=True):
        signal.signal(name, handler)
    signal.setitimer(signal.ITIMER_REAL, *timer)
    clear_cancellation()


def are_made(*numbers):
    find = ComputeSignatures(dump=FIRST).finder("shard")
    return [find(number) is not None for number in numbers]


@pytest.mark.parametrize("words", [[], ["attempt"], ["attempt", "first"], ["attempt", "1", "2"]])
@pytest.mark.parametrize(("command", "usage"), [(main, USAGE), (pilot.main, pilot.USAGE)])
def test_other_words_than_a_folder_and_a_number_are_told_the_usage(words, command, usage, capsys):
    assert command(words) == 2
    assert capsys.readouterr().err == f"{usage}\n"


def test_an_array_task_makes_the_items_of_its_group_and_passes_over_what_is_done(attempt, capfd):
    one = attempt((0, 1), (2,))

    assert main([str(one.folder), "0"]) == 0
    assert are_made(0, 1, 2) == [True, True, False]
    limit = int(MEM_GB * 0.95 * 2**30)
    assert resource.getrlimit(resource.RLIMIT_DATA) == (limit, limit)
    first = one.heartbeat(0)
    assert (first.reason, first.item, first.restarts) == (Reason.done, None, 0)
    assert [outcome.reason for outcome in first.outcomes.values()] == [Reason.done] * 2
    for outcome in first.outcomes.values():
        assert 0 <= outcome.seconds <= first.seconds < 600
        assert 0 <= outcome.cpu_s < 600
        assert 10 < outcome.peak_mb <= first.peak_mb < 1e5
    lines = capfd.readouterr().out.splitlines()
    events = [dict(word.split("=", 1) for word in line.split()[1:]) for line in lines]
    assert [row["event"] for row in events] == ["begin", *["start", "finish"] * 2, "end"]
    assert {row["job"] for row in events} == {"_0"}
    assert events[1]["item"] == "0"
    assert "gpus" not in events[0]

    written = ComputeSignatures(dump=FIRST).store
    before = written.storage.size(written.path("ComputeSignatures", 0))
    again = Item(one, 0, {"SLURM_ARRAY_JOB_ID": "7", "SLURM_RESTART_COUNT": "2",
                          "CUDA_VISIBLE_DEVICES": "1", "SLURMD_NODENAME": "n3"})  # fmt: skip
    assert again.run() == 0
    assert written.storage.size(written.path("ComputeSignatures", 0)) == before
    assert (one.heartbeat(0).job_id, one.heartbeat(0).restarts) == ("7", 2)
    assert one.heartbeat(0).host == "n3"
    last = capfd.readouterr().out.splitlines()[-1]
    assert " job=7_0 host=n3 restart=2 gpus=1 reason=done" in last


def test_an_item_that_fails_is_told_and_the_next_is_made(attempt, capfd):
    one = attempt((9, 1))

    assert main([str(one.folder), "0"]) == 1
    outcomes = one.heartbeat(0).outcomes
    assert [outcomes[number].reason for number in (9, 1)] == [Reason.error, Reason.done]
    assert outcomes[9].error
    assert "Traceback" in capfd.readouterr().err
    assert one.heartbeat(0).reason == Reason.done


def test_settings_that_changed_since_are_an_error_of_the_item(attempt, capfd):
    one = attempt((0,), fingerprint="other")

    assert main([str(one.folder), "0"]) == 1
    assert "the settings changed" in one.heartbeat(0).outcomes[0].error
    assert are_made(0) == [False]


def test_after_the_warning_nothing_is_begun(attempt, capfd):
    one = attempt((0, 1))
    item = Item(one, 0, {})

    item._warn(signal.SIGUSR1, None)

    assert checkpoint_requested()
    assert signal.getsignal(signal.SIGUSR1) == signal.SIG_IGN
    left = signal.getitimer(signal.ITIMER_REAL)[0]
    assert 60 < left <= 90, "three quarters of what is left"
    assert item.run() == STOPPED
    assert are_made(0, 1) == [False, False]
    assert one.heartbeat(0).reason == Reason.time
    assert " event=end " in capfd.readouterr().out.splitlines()[-1]


def test_what_is_under_way_at_the_warning_is_left_off(attempt, capfd):
    """ScoreEducation writes row group after row group, unlike the signatures."""
    words = work_items(ScoreEducation(dump=FIRST), "shard", [0])
    one = attempt((0,), family=words.family, params=words.params, fingerprint=words.fingerprint)
    item = Item(one, 0, {})
    request_checkpoint()

    assert item.run() == STOPPED
    assert item.heartbeat.item == 0
    assert item.heartbeat.outcomes == {}
    assert " event=checkpoint " in capfd.readouterr().out


@pytest.mark.parametrize(("warned", "reason"), [(False, Reason.stopped), (True, Reason.time)])
def test_told_to_stop_it_goes_at_once(attempt, capfd, warned, reason):
    class Stopping(Item):
        def numbers(self):
            if warned:
                signal.raise_signal(signal.SIGUSR1)
            signal.raise_signal(signal.SIGTERM)
            yield 0

    one = attempt((0,))

    assert Stopping(one, 0, {}).run() == STOPPED
    assert one.heartbeat(0).reason == reason
    assert [signal.getsignal(name) for name in SIGNALS] == [signal.SIG_IGN] * 3
    assert "event=stop" in (last := capfd.readouterr().out.splitlines()[-1])
    assert last.endswith("signal=SIGTERM")


def test_errors_are_of_memory_of_damage_or_others():
    assert lacks_memory(MemoryError())
    assert lacks_memory(OSError(errno.ENOMEM, "no"))
    assert lacks_memory(ImportError("libx.so: failed to map segment from shared object"))
    assert not lacks_memory(OSError(errno.ENOENT, "can't start new thread"))
    assert lacks_memory(RuntimeError("can't start new thread"))
    assert not lacks_memory(RuntimeError("else"))
    assert lacks_memory(SystemError("error return without exception set"))
    assert lacks_memory(SystemError("<built-in f> returned NULL without setting an exception"))
    assert not lacks_memory(SystemError("bad argument to internal function"))
    assert _reason_of(SystemError("error return without exception set")) == Reason.memory
    assert _reason_of(DamagedError("x")) == Reason.damaged
    assert _reason_of(MemoryError()) == Reason.memory
    assert _reason_of(ValueError()) == Reason.error


@contextlib.contextmanager
def streams_kept():
    """A pilot that goes on elsewhere writes into that log from then on."""
    numbers = [stream.fileno() for stream in (sys.stdout, sys.stderr)]
    kept = [os.dup(number) for number in numbers]
    yield
    for number, copy in zip(numbers, kept, strict=True):
        os.dup2(copy, number)
        os.close(copy)


def outcomes_of(one):
    return {number: outcome.reason for _, number, outcome in Journals(one.folder).news()}


def test_a_pilot_takes_all_items_and_goes_on_at_the_next_attempt(attempt, capfd):
    one, two = attempt((0,), (9,), pilots=1, idle_s=0), attempt((2,), pilots=1)
    one.note_job("812")
    (one.folder / "sbatch.json").write_text("[]")
    hand_over(one, two)

    with streams_kept():
        assert Pilot(one, 0, {}).run() == 0

    assert are_made(0, 1, 2) == [True, False, True]
    assert outcomes_of(one) == {0: Reason.done, 9: Reason.error}
    assert outcomes_of(two) == {2: Reason.done}
    assert "event=begin" in capfd.readouterr().out
    assert [line.split()[1] for line in two.log(0).read_text().splitlines()] == [
        "event=begin", "event=start", "event=finish", "event=end",
    ]  # fmt: skip
    assert ItemQueue(one.folder, 2).waiting() == set()
    assert ItemQueue(one.folder, 2).held(0) == []
    life = Journals(two.folder)
    list(life.news())
    assert life.last_life(0).words.reason == Reason.done


def test_a_pilot_without_time_for_an_item_begins_none_but_its_first(attempt, capfd):
    one = attempt((0,), (1,), pilots=1, time_min=29)

    assert pilot.main([str(one.folder), "0"]) == 0

    assert are_made(0, 1) == [True, False]
    assert ItemQueue(one.folder, 2).waiting() == {1}


def test_a_pilot_that_was_handed_over_asks_for_time_before_its_first(attempt, capfd):
    one = attempt((0,), pilots=1, time_min=29, predecessor="/before")

    assert Pilot(one, 0, {}).run() == 0
    assert are_made(0) == [False]


def test_a_pilot_has_time_while_what_is_left_is_what_an_item_may_need(attempt):
    item = Pilot(attempt((0,), pilots=1), 0, {})
    now = time.monotonic()

    item.began = now - 29.8 * 60
    assert item._has_time()
    item.began = now - 30.2 * 60
    assert not item._has_time()


def test_a_pilot_that_was_warned_takes_nothing_more(attempt, capfd):
    one = attempt((0,), pilots=1)
    item = Pilot(one, 0, {})
    item._warn(signal.SIGUSR1, None)

    assert item.run() == STOPPED
    assert ItemQueue(one.folder, 1).waiting() == {0}
    journals = Journals(one.folder)
    list(journals.news())
    assert journals.last_life(0).words.reason == Reason.time
