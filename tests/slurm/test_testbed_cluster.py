"""A testbed that was not started, of `skord.slurm.testbed.cluster`: what it asks and refuses."""

import pytest

from skord.slurm.testbed.cluster import USABLE, Testbed
from skord.slurm.testbed.configuration import CONFIGURATION, Settings
from skord.slurm.testbed.daemons import NotReadyError


@pytest.fixture
def bed(tmp_path, monkeypatch):
    """With `sinfo` and `scontrol` that note what they are asked and say what lies beside them."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("sinfo", "scontrol", "sacctmgr", "sacct"):
        at = folder / name
        at.write_text(
            f'#!/bin/sh\necho "$@" >> {at}.asked\ncat {at}.out 2>/dev/null\n'
            f"echo no >&2\nexit $(cat {at}.status 2>/dev/null || echo 0)\n"
        )
        at.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=":")
    monkeypatch.setenv("SLURM_JOB_ID", "7")
    return Testbed(tmp_path / "bed", Settings(nodes=2, cpus=3, mem_mb=900))


def asked(tmp_path, name):
    return (tmp_path / "bin" / f"{name}.asked").read_text().splitlines()


def test_its_settings_are_those_given_and_its_environment_its_own(bed, tmp_path):
    assert bed.nodes == bed.settings.node_names
    assert len(bed.nodes) == 2
    assert (bed.settings.cpus, bed.settings.mem_mb, bed.settings.gpus) == (3, 900, 0)
    assert bed.environment["SLURM_CONF"] == str(tmp_path / "bed" / CONFIGURATION)
    assert "SLURM_JOB_ID" not in bed.environment
    usual = Testbed(tmp_path / "bed").settings
    assert (usual.nodes, usual.cpus, usual.mem_mb, usual.slurmd_timeout_s) == (4, 4, 2000, 10)
    assert (usual.kill_wait_s, usual.min_job_age_s, usual.max_array_size) == (2, 300, 1001)
    assert (usual.accounting, usual.gpus) == (False, 0)


def test_a_command_runs_in_it_and_its_end_is_for_the_caller(bed):
    done = bed.run("sh", "-c", "echo $SLURM_CONF; cat; exit 3")
    assert (done.stdout.strip(), done.returncode) == (bed.environment["SLURM_CONF"], 3)


def test_states_are_those_that_sinfo_says(bed, tmp_path):
    assert bed.node_states() == {}
    (tmp_path / "bin/sinfo.out").write_text("n1 idle\nn2 down*\n")
    assert bed.node_states() == {"n1": "idle", "n2": "down*"}
    assert asked(tmp_path, "sinfo")[0] == "--noheader --Node --format=%N %T"
    assert "down*" not in USABLE


def test_a_node_is_drained_before_it_is_down(bed, tmp_path):
    bed.down_node("n2")
    bed.resume_node("n2")
    states = [line.split("State=")[1].split()[0] for line in asked(tmp_path, "scontrol")]
    assert states == ["DRAIN", "DOWN", "RESUME"]
    (tmp_path / "bin/scontrol.status").write_text("1")
    with pytest.raises(NotReadyError, match="scontrol update NodeName=n1 State=RESUME: no"):
        bed.resume_node("n1")


def test_accounts_are_there_once_a_cluster_is_listed_and_jobs_can_be_asked_for(bed, tmp_path):
    assert not bed._has_accounts()
    (tmp_path / "bin/sacctmgr.out").write_text("  main\n")
    assert bed._has_accounts()
    (tmp_path / "bin/sacct.status").write_text("1")
    assert not bed._has_accounts()


def test_what_is_not_running_cannot_be_told_anything(bed):
    for order in (bed.start_controller, bed.kill_accounting, lambda: bed.kill_node("n1")):
        with pytest.raises(NotReadyError, match="the testbed is not running"):
            order()
    with pytest.raises(NotReadyError):
        bed.wait_for_nodes(["n1"])
    bed.stop()
