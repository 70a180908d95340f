"""Partitions and locks of the Slurm executor, without a cluster."""

import multiprocessing

import pytest

from skord.core.failures import ConfigError
from skord.slurm import executor
from skord.slurm.executor import held_lock
from skord.slurm.settings import Partition, choose_partition, gpus_in, parse_partition


@pytest.mark.parametrize(
    ("mem_gb", "time_min", "gpus", "name"),
    [
        (64, 60, 0, "small"),
        (64.1, 60, 0, "big"),
        (64, 61, 0, "big"),
        (8, 60, 4, "gpu"),
        (8, 60, 5, None),
        (65, 60, 1, None),
    ],
)
def test_the_first_partition_that_holds_a_job_and_none_with_gpus_for_nothing(
    mem_gb, time_min, gpus, name
):
    lines = ("gpu mem_gb=64 time_min=60 gpus=4", "small mem_gb=64 time_min=60", "big mem_gb=1000")

    partition = choose_partition([parse_partition(line) for line in lines], mem_gb, time_min, gpus)

    assert (partition and partition.name) == name


def test_where_only_gpus_are_left_a_job_without_goes_there():
    assert choose_partition([Partition("gpu", gpus=4)], 8, 60, 0).name == "gpu"


@pytest.mark.parametrize(
    "line", ["a mem=4", "a mem_gb", "a=b mem_gb=4", "a mem_gb=4 x", "a gpus=x"]
)
def test_a_line_in_another_form_is_quoted(line):
    with pytest.raises(ConfigError, match="mem_gb=NUMBER"):
        parse_partition(line)


def test_what_a_line_leaves_out_is_without_limit():
    assert parse_partition("a,b time_min=1.5") == Partition("a,b", time_min=1.5)


@pytest.mark.parametrize(
    ("gres", "gpus"),
    [("gpu:a100:2,gpu:1", 3), ("gpu:a100", 1), ("license:gpu:4", 0), ("shard:8", 1), (",gpu", 1)],
)
def test_gpus_of_generic_resources(gres, gpus):
    assert gpus_in(gres) == gpus


def hold(path, ready, done):
    with held_lock(path):
        ready.set()
        done.wait(600)


def test_a_second_driver_is_told_who_holds_the_lock(tmp_path, monkeypatch):
    monkeypatch.setattr(executor, "PATIENCE_S", 0.2)
    context = multiprocessing.get_context("spawn")
    ready, done = context.Event(), context.Event()
    holder = context.Process(target=hold, args=(tmp_path / "a" / "lock", ready, done))
    holder.start()
    assert ready.wait(240)

    with (
        pytest.raises(ConfigError, match=f"process {holder.pid} on "),
        held_lock(tmp_path / "a" / "lock"),
    ):
        pass
    done.set()
    holder.join()

    with held_lock(tmp_path / "a" / "lock") as (_, waited):
        assert not waited
