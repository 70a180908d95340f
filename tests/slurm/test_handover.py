"""Pilots handed from one attempt to the next, by files alone: no cluster."""

import json

import pytest

from skord.slurm.pilot_jobs.handover import (
    _claimed_offer,
    _script_preamble,
    hand_over,
    next_of,
    offer_pilots,
    same_kind,
    take_over_pilots,
)
from skord.slurm.submission.attempts import Manifest, next_folder, phase_folder, write_attempt

SCRIPT = "#!/bin/bash\n#SBATCH x\nmodule load a\nexec python -m b\n"


@pytest.fixture
def attempts(tmp_path):
    made = []
    for task in ("CCNet", "Deduplicate"):
        manifest = Manifest(
            f"{task}.1", task, "2024-10", "{}", "shard", "f", (), ((0,),), 2.0, 60, 60,
            alone=False, warn_s=120, limit=0, pilots=1, idle_s=5,
        )  # fmt: skip
        folder = next_folder(phase_folder(tmp_path / "logs", task, "2024-10", "shard", "f"))
        made.append(write_attempt(folder, manifest, SCRIPT))
    made[0].note_job("812")
    (made[0].folder / "sbatch.json").write_text('["sbatch", "--qos=a", "/x/job.sh"]')
    return made


def test_an_offer_lies_where_every_task_of_the_folder_of_logs_looks(attempts, tmp_path):
    offer_pilots(attempts[0])
    offer_pilots(attempts[0])
    written = json.loads((tmp_path / "logs/pilots/812.json").read_text())
    assert written == {"attempt": str(attempts[0].folder)}


def test_only_one_takes_an_offer(attempts, tmp_path):
    offer_pilots(attempts[0])
    path = tmp_path / "logs/pilots/812.json"
    assert [_claimed_offer(path), _claimed_offer(path)] == [True, False]
    assert list(path.parent.iterdir()) == []


def test_pilots_go_on_at_the_attempt_that_they_were_sent_to(attempts):
    before, after = attempts
    assert next_of(before) is None
    hand_over(before, after)
    assert next_of(before) == after
    assert next_of(after) is None
    assert after.job_id == "812"
    sbatch = [(one.folder / "sbatch.json").read_text() for one in attempts]
    assert sbatch[0] == sbatch[1]


def test_jobs_stand_in_for_one_another_whatever_their_size_and_name():
    one = ["sbatch", "--job-name=a", "--mem=1M", "--time=5", "--qos=a", "/x/job.sh"]
    assert same_kind(one, ["sbatch", "--array=0-3", "--qos=a", "--output=b", "/y/job.sh"])
    assert not same_kind(one, ["sbatch", "--qos=a", "--gres=gpu:1", "/x/job.sh"])
    assert _script_preamble(SCRIPT) == ["module load a"]


COMMAND = ["sbatch", "--job-name=b", "--qos=a", "/y/job.sh"]


@pytest.mark.parametrize(
    ("more", "taken"),
    [
        ({}, True), ({"mem_gb": 2.1}, False), ({"mem_gb": 1.0}, True), ({"most": 0}, False),
        ({"most": 5}, True), ({"command": [*COMMAND[:2], "--qos=b", "/y/job.sh"]}, False),
        ({"script": SCRIPT.replace("load a", "load b")}, False),
    ],
)  # fmt: skip
def test_pilots_that_wait_are_taken_where_they_will_do(attempts, programs, more, taken):
    programs.say("squeue", "CCNet.1|812|0|RUNNING|n1|None")
    offer_pilots(attempts[0])
    asked = {"command": COMMAND, "script": SCRIPT, "mem_gb": 2.0, "most": 1, **more}

    found = take_over_pilots(attempts[1].folder.parent, **asked)

    assert found == (attempts[0] if taken else None)
    assert (take_over_pilots(attempts[1].folder.parent, **asked) is None) or not taken


@pytest.mark.parametrize("lines", [[], ["CCNet.1|812|0|COMPLETED|n1|None"]])
def test_an_offer_of_pilots_that_ended_goes(attempts, programs, tmp_path, lines):
    programs.say("squeue", *lines)
    offer_pilots(attempts[0])
    assert take_over_pilots(attempts[1].folder.parent, COMMAND, SCRIPT, 2.0, 1) is None
    assert list((tmp_path / "logs/pilots").iterdir()) == []


def test_an_offer_stays_while_nobody_knows_whether_its_pilots_wait(attempts, programs, tmp_path):
    programs.refuse("squeue", "slurmctld is away")
    offer_pilots(attempts[0])
    assert take_over_pilots(attempts[1].folder.parent, COMMAND, SCRIPT, 2.0, 1) is None
    assert len(list((tmp_path / "logs/pilots").iterdir())) == 1
