"""Attempts get into the queue, or wait, or are refused; programs stand in for Slurm's own."""

import json

import pytest

from skord.core.failures import ConfigError
from skord.slurm.commands import FullError, RefusedError
from skord.slurm.settings import SlurmSettings
from skord.slurm.submission.sbatch import Needs
from skord.slurm.submission.submitter import LEAST_ARRAY_TASKS, array_job

NEEDS = Needs(2.0, 60)


def write(submitter, numbers=(0, 1, 2, 3), needs=NEEDS, limit=0, exclude=(), history=None):
    return submitter.write(numbers, needs, limit, exclude, history or {})


def test_an_attempt_is_written_down_before_anything_is_submitted(submitter, programs, tmp_path):
    attempt = write(submitter(), exclude=("n3",), history={2: ["memory"], 9: ["time"]})

    manifest = attempt.manifest
    assert manifest.groups == ((0,), (1,), (2,), (3,))
    assert manifest.name.startswith("CCNet.2024-10.shard.f00d.")
    assert "001-" in manifest.name
    assert (manifest.mem_gb, manifest.needs_min, manifest.time_min) == (2.0, 60, 60)
    assert (manifest.alone, manifest.warn_s, manifest.limit) == (False, 120, 0)
    assert manifest.failure_history == {2: ["memory"]}
    assert (manifest.pilots, manifest.idle_s, manifest.predecessor) == (0, 0, "")
    assert "python" in (attempt.folder / "job.sh").read_text()
    assert programs.asked("sbatch") == []
    assert write(submitter()).number == 2


def test_memory_is_not_raised_above_a_small_partition():
    assert SlurmSettings(partitions="a mem_gb=0.5").most_mem_gb(60) == 0.5


@pytest.mark.parametrize(("limit", "kept"), [(3, 3), (4, 0), (5, 0)])
def test_a_limit_is_said_where_it_is_one(submitter, limit, kept):
    assert write(submitter(), limit=limit).manifest.limit == kept


def test_more_items_than_the_array_may_have_share_its_tasks(submitter):
    groups = write(submitter(max_array=3), numbers=range(7)).manifest.groups
    assert groups == ((0, 1, 2), (3, 4, 5), (6,))


def test_one_that_is_to_be_alone_shares_with_none(submitter):
    submits = submitter(shards_per_array_task=2, max_array=3)

    together = write(submits)
    alone = write(submits, numbers=(0, 1), needs=Needs(4.0, 60, alone=True))

    assert together.manifest.groups == ((0, 1), (2, 3))
    assert alone.manifest.groups == ((0,), (1,))
    assert list(submits.fitting(range(5), Needs(4.0, 60, alone=True))) == [0, 1, 2]
    assert list(submits.fitting(range(5), NEEDS)) == [0, 1, 2, 3, 4]


def test_pilots_are_as_many_as_may_run_and_find_the_items_in_their_queue(submitter):
    submits = submitter(mode="pilot_jobs", max_array=3, pilot_job_min=600)

    attempt = write(submits, numbers=range(8), limit=2)

    assert attempt.manifest.pilots == 2
    assert attempt.manifest.time_min == 600
    assert array_job(attempt.folder, attempt.manifest).size == 2
    assert array_job(attempt.folder, attempt.manifest).module == "skord.slurm.pilot_jobs.pilot"
    assert len(list((attempt.folder / "queue").glob("*/*"))) == 8
    assert write(submits, numbers=range(2)).manifest.pilots == 2
    assert write(submits, numbers=range(8)).manifest.pilots == 3
    assert list(submits.fitting(range(5), Needs(4.0, 60, alone=True))) == [0, 1, 2, 3, 4]


def test_pilots_that_stay_are_as_many_as_may_be(submitter):
    submits = submitter(mode="pilot_jobs", max_array=5, pilot_idle_s=30)
    attempt = write(submits, numbers=(0, 1))
    assert (attempt.manifest.pilots, attempt.manifest.idle_s) == (5, 30)


def test_what_is_sent_has_a_job_and_its_command(submitter, programs):
    submits = submitter()
    attempt = write(submits)

    assert submits.send(attempt)

    assert attempt.job_id == "101"
    command = json.loads((attempt.folder / "sbatch.json").read_text())
    assert programs.asked("sbatch") == [" ".join(command[1:])]
    assert "--array=0-3" in command


@pytest.mark.parametrize(
    ("complaint", "error"),
    [
        ("sbatch: error: invalid account", RefusedError),
        ("sbatch: error: QOSMaxSubmitJobPerUserLimit", FullError),
    ],
)
def test_what_sbatch_will_not_take_is_told_apart(submitter, programs, complaint, error):
    submits = submitter()
    programs.refuse("sbatch", complaint)
    with pytest.raises(error):
        submits.send(write(submits, numbers=range(LEAST_ARRAY_TASKS + 1)))


@pytest.mark.parametrize(("tasks", "cap"), [(11, 10), (50, 25)])
def test_an_array_too_large_is_made_half_as_large(submitter, programs, tasks, cap):
    submits = submitter()
    programs.refuse("sbatch", "sbatch: error: MaxSubmitJobs limit")
    with pytest.raises(FullError):
        submits.send(write(submits, numbers=range(tasks)))
    assert submits.cap == cap


def test_a_small_array_waits_for_room_and_says_so_once(submitter, programs, caplog):
    submits = submitter()
    attempt = write(submits, numbers=range(LEAST_ARRAY_TASKS))
    programs.refuse("sbatch", "sbatch: error: MaxSubmitJobs limit")

    assert [submits.send(attempt) for _ in range(2)] == [False, False]
    programs.relent("sbatch")

    assert caplog.text.count("waits for room in the queue") == 1
    assert submits.send(attempt)
    assert submits.cap == 1000


def test_without_a_verdict_the_queue_is_asked_before_it_is_sent_again(submitter, programs):
    submits = submitter()
    attempt = write(submits)
    programs.refuse("sbatch", "Unable to contact slurm controller")
    assert not submits.send(attempt)
    programs.relent("sbatch")

    programs.refuse("squeue", "no answer")
    assert not submits.send(attempt)
    assert len(programs.asked("sbatch")) == 1
    programs.relent("squeue")
    programs.say("squeue", f"{attempt.manifest.name}|77|0|PENDING||None")

    assert submits.send(attempt)
    assert attempt.job_id == "77"
    assert len(programs.asked("sbatch")) == 1


def test_one_that_the_queue_does_not_know_is_sent_again(submitter, programs):
    submits = submitter()
    attempt = write(submits)
    programs.refuse("sbatch", "Connection timed out")
    submits.send(attempt)
    programs.relent("sbatch")

    assert submits.send(attempt)
    assert attempt.job_id == "102"


def test_arrays_of_an_earlier_driver_are_known_by_their_names(submitter, programs):
    submits = submitter()
    first, second, third = (write(submits) for _ in range(3))
    second.note_job("8")
    rows = ((first, 7), (third, 9))
    programs.say("squeue", *(f"{a.manifest.name}|{job}|0|RUNNING|n1|None" for a, job in rows))

    live = submits.live()

    assert [attempt.number for attempt in live] == [3, 1]
    assert [attempt.job_id for attempt in live] == ["9", "7"]


def test_an_array_of_this_phase_without_its_attempt_is_told(submitter, programs):
    submits = submitter()
    name = write(submits).manifest.name.replace("001-", "009-")
    programs.say("squeue", f"{name}|5|0|RUNNING|n1|None")

    with pytest.raises(ConfigError, match=r"job 5 \(.*scancel 5"):
        submits.live()
