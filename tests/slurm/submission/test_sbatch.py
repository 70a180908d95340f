"""The submission as data: what goes to sbatch, and which settings may say so."""

import os
from pathlib import Path

import pytest

from skord.core.failures import ConfigError
from skord.core.preflight import check_settings
from skord.core.work_item import Next, Resources, WorkItems
from skord.slurm.array_run import next_needs
from skord.slurm.commands import Answer, call_program, environment_without_slurm
from skord.slurm.executor import _take_lock, carried_on
from skord.slurm.monitoring.diagnosis import Kind
from skord.slurm.settings import SlurmSettings, settings_for
from skord.slurm.submission.sbatch import (
    ArrayJob,
    Needs,
    group_size,
    grouped_numbers,
    job_script,
    sbatch_arguments,
)
from tests.conftest import ROOT

JOB = ArrayJob("CCNet.2024-10.shard.5eed.abc.001-f00d", Path("/shared/attempt-001"), 40, 0, 2.0, 60)


def test_a_launcher_starts_python_in_a_container():
    launcher = "apptainer exec --bind '/shared/my data' /shared/skord.sif"
    settings = SlurmSettings(launcher=launcher, python="python3")

    script = job_script(JOB, settings, "/venv/bin/python", "/shared", "", safe_path=True)

    assert script.splitlines()[-1].startswith(f"exec {launcher} python3 -P -m ")
    own = job_script(JOB, SlurmSettings(launcher="env A=1"), "/venv/bin/python", "/shared", "")
    assert own.splitlines()[-1].startswith("exec env A=1 /venv/bin/python -m ")
    with pytest.raises(ConfigError, match=r"launcher = .*No closing quotation"):
        SlurmSettings(launcher="apptainer 'exec")


def test_the_smallest_submission_leaves_the_rest_to_the_cluster():
    assert sbatch_arguments(JOB, SlurmSettings()) == [
        "sbatch",
        "--parsable",
        "--job-name=CCNet.2024-10.shard.5eed.abc.001-f00d",
        "--array=0-39",
        "--nodes=1",
        "--ntasks=1",
        "--cpus-per-task=1",
        "--mem=2048M",
        "--time=60",
        "--signal=B:USR1@120",
        "--requeue",
        "--open-mode=append",
        "--output=/shared/attempt-001/logs/%a.out",
        "/shared/attempt-001/job.sh",
    ]


def test_everything_that_a_site_may_want_is_passed_on():
    settings = SlurmSettings(
        partition="gpu", account="proj-1", qos="high", constraint="a100", gres="gpu:1",
        exclude="n7", nice=100, cpus_per_task=4, extra_args="--comment='two words' --exclusive",
    )  # fmt: skip
    job = ArrayJob("name", Path("/a"), 3, 2, 0.5, 10, exclude=("n1", "n2"))

    arguments = sbatch_arguments(job, settings)

    assert "--array=0-2%2" in arguments
    assert "--mem=512M" in arguments
    assert arguments[-10:] == [
        "--partition=gpu", "--account=proj-1", "--qos=high", "--constraint=a100", "--gres=gpu:1",
        "--exclude=n7,n1,n2", "--nice=100", "--comment=two words", "--exclusive", "/a/job.sh",
    ]  # fmt: skip


def test_the_script_is_what_a_person_would_type():
    settings = SlurmSettings(setup_lines="module load python\nsource venv/bin/activate")

    script = job_script(JOB, settings, "/venv/bin/python", "/shared/my runs", "/shared/luigi.cfg")

    assert script.splitlines() == [
        "#!/bin/bash",
        f"# ArrayTask N of the array {JOB.name}; by hand: SLURM_ARRAY_TASK_ID=N bash job.sh",
        "cd '/shared/my runs' || exit 1",
        "export LUIGI_CONFIG_PATH=/shared/luigi.cfg",
        "export OMP_NUM_THREADS=1",
        "module load python",
        "source venv/bin/activate",
        'exec /venv/bin/python -m skord.slurm.worker /shared/attempt-001 "$SLURM_ARRAY_TASK_ID"',
    ]


@pytest.mark.parametrize("count", [1, 999, 1000, 1001, 10_000, 90_001])
def test_no_array_is_larger_than_allowed_and_no_array_task_is_lost(count):
    groups = grouped_numbers(range(count), group_size(count, 1, 1000))

    assert len(groups) <= 1000
    assert [number for group in groups for number in group] == list(range(count))


def test_what_the_driver_runs_in_does_not_change_what_is_asked_for():
    before = {
        "SBATCH_PARTITION": "nope",
        "SLURM_MEM_PER_NODE": "1",
        "SQUEUE_STATES": "PD",
        "A": "b",
    }

    assert environment_without_slurm({**before, "SLURM_CONF": "/conf"}) == {
        "A": "b",
        "SLURM_CONF": "/conf",
    }


# -- settings ---------------------------------------------------------------------------------


def test_a_task_overrides_what_holds_for_all(settings):
    settings("[slurm]\npartition = main\nmem_gb = 4\n[slurm.CCNet]\nmem_gb = 16\n")

    assert settings_for("CCNet") == SlurmSettings(partition="main", mem_gb=16)
    assert settings_for("DownloadWET") == SlurmSettings(partition="main", mem_gb=4)


def test_setup_lines_may_be_several(settings):
    settings("[slurm]\nsetup_lines =\n    module load a\n    module load b\n")

    assert settings_for("CCNet").setup_lines == "module load a\nmodule load b"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[slurm]\npartion = x\n", r"\[slurm\] partion .* did you mean partition\?"),
        ("[slurm.CCNet]\nmemgb = 3\n", r"\[slurm.CCNet\] memgb .* did you mean mem_gb\?"),
        ("[slurm.CCNett]\nmem_gb = 3\n", r"\[slurm.CCNett\] .* did you mean slurm.CCNet\?"),
        ("[slurm]\ntime_min = soon\n", r"time_min = 'soon': give a whole number"),
        ("[slurm]\non_interrupt = perhaps\n", "give one of ask, leave, cancel"),
        ("[slurm]\ntime_min = 0\n", "time_min = 0: set it to 1 or more"),
        ("[slurm.CCNet]\nextra_args = --comment='\n", "No closing quotation"),
        ("[slurms]\nmem_gb = 1\n", r"section \[slurms\]"),
    ],
)
def test_what_cannot_be_meant_is_an_error_before_anything_starts(settings, text, message):
    settings(text)

    with pytest.raises(ConfigError, match=message):
        check_settings()


@pytest.mark.parametrize(
    "path", sorted((ROOT / "slurm/profiles").glob("*.cfg")), ids=lambda p: p.stem
)
def test_the_profiles_are_settings_that_work(settings, path):
    text = path.read_text()
    assert "\n[executor]\nkind = slurm\n" in text
    settings(text[text.index("\n[slurm]\n") :])

    check_settings()

    assert sbatch_arguments(JOB, settings_for("ProcessMarkdown"))


# -- partitions by need -------------------------------------------------------------------------

THREE = """
    gpu mem_gb=250 time_min=1440 gpus=4
    small mem_gb=64 time_min=2880
    bigmem mem_gb=1000 time_min=1440
"""


def partition_of(settings: SlurmSettings, mem_gb: float, time_min: int = 60) -> str:
    job = ArrayJob("name", Path("/a"), 3, 0, mem_gb, time_min)
    named = [x for x in sbatch_arguments(job, settings) if x.startswith("--partition=")]
    return named[0].removeprefix("--partition=")


def test_a_job_goes_to_the_first_partition_that_holds_what_it_needs():
    settings = SlurmSettings(partitions=THREE, max_mem_gb=2000)

    assert partition_of(settings, 2) == "small"
    assert partition_of(settings, 64, 2880) == "small"
    assert partition_of(settings, 65) == "bigmem"
    assert partition_of(settings.with_gpus(1), 2) == "gpu"


def test_what_none_holds_is_told_with_what_was_asked_for():
    with pytest.raises(ConfigError, match=r"none of .* \(gpu, small, bigmem\) holds a job of 65 G"):
        partition_of(SlurmSettings(partitions=THREE), 65, 2000)


def test_a_retry_is_raised_to_what_some_partition_holds_and_not_above():
    settings = SlurmSettings(partitions=THREE, max_mem_gb=2000, memory_factor=8)
    first = Needs(mem_gb=60, time_min=60)

    second = next_needs(first, [Kind.memory], settings)
    third = next_needs(second, [Kind.memory] * 2, settings)

    assert [partition_of(settings, needs.mem_gb) for needs in (first, second, third)] == [
        "small", "bigmem", "bigmem"
    ]  # fmt: skip
    assert (second.mem_gb, third.mem_gb) == (480, 1000)
    assert next_needs(third, [Kind.memory] * 3, settings) is None


def test_where_the_time_is_in_one_partition_alone_memory_stays_within_it():
    settings = SlurmSettings(partitions=THREE, memory_factor=8, max_time_min=4000)

    assert next_needs(Needs(60, 2000), [Kind.memory], settings).mem_gb == 64
    assert next_needs(Needs(65, 1000), [Kind.time], settings).time_min == 1440


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[slurm]\npartitions =\n    small mem_gb=x\n", "'small mem_gb=x' is not NAME mem_gb="),
        ("[slurm]\npartitions = mem_gb=3\n", "is not NAME"),
        ("[slurm]\npartitions = a memory=3\n", "is not NAME"),
        ("[slurm]\npartition = a\npartitions = b\n", "has partition and partitions: keep one"),
        ("[slurm]\nmode = pilots\n", "mode = 'pilots': give one of array, pilot_jobs"),
    ],
)
def test_partitions_and_modes_that_cannot_be_meant_are_told(settings, text, message):
    settings(text)

    with pytest.raises(ConfigError, match=message):
        check_settings()


# -- what one job carries a shard through --------------------------------------------------------


def nexts(*families):
    return tuple(Next(family, "{}", "f", 4.0, bool) for family in families)


def work(*families):
    return WorkItems(
        "CCNet", "d", "shard", "{}", "f", (), "data", (0,), bool, bool, nexts(*families)
    )


def test_a_job_gets_the_most_memory_and_all_the_time_of_what_it_carries_on(settings):
    settings("[slurm]\ntime_min = 30\n[slurm.ProcessMarkdown]\nmem_gb = 16\ntime_min = 100\n")

    carried, asked, resources = carried_on(
        work("ConvertToMarkdown", "ProcessMarkdown"), Resources(2.0)
    )

    assert [task.family for task in carried.ahead] == ["ConvertToMarkdown", "ProcessMarkdown"]
    assert (resources.mem_gb, asked.mem_gb, asked.time_min) == (16, 0, 160)


def test_what_asks_for_something_else_ends_the_way(settings):
    settings("[slurm.ProcessMarkdown]\npartition = gpu\n")

    carried, asked, resources = carried_on(
        work("ConvertToMarkdown", "ProcessMarkdown", "FilterDocuments"), Resources(2.0)
    )

    assert [task.family for task in carried.ahead] == ["ConvertToMarkdown"]
    assert (resources.mem_gb, asked.time_min) == (4, 120)


def test_a_program_that_does_not_answer_is_ended_and_told_as_timeout_tells_it():
    assert call_program(["sleep", "600"], timeout_s=0.1) == Answer(
        124, "", "no answer within 0.1 s"
    )
    assert call_program(["sh", "-c", "echo a; echo ' b' >&2; exit 3"]) == Answer(3, "a\n", "b")


def test_a_file_system_without_locks_is_named(tmp_path):
    """A descriptor that knows no locks, as every one of such a file system."""
    descriptor = os.open(tmp_path, os.O_PATH)
    try:
        with pytest.raises(ConfigError, match=r"is on a file system without locks .*log_dir"):
            _take_lock(descriptor, tmp_path / "shard.lock")
    finally:
        os.close(descriptor)
