"""Starting settings for a cluster, from answers of a Slurm that is not here."""

import pytest

from skord.core.failures import ConfigError
from skord.core.preflight import check_settings
from skord.slurm.profile import NodeKind, _described_by, partitions_of, profile_text, setting_of
from skord.slurm.settings import settings_for
from skord.slurm.submission.sbatch import partition_for

CONFIG = """\
Configuration data as of 2026-01-05T10:00:00
AccountingStorageType   = accounting_storage/slurmdbd
ClusterName             = north
MaxArraySize            = {places}
MaxJobCount             = 20000

Cgroup Support Configuration:
"""

PARTITIONS = """\
PartitionName=long AllowGroups=ALL Default=NO Hidden=NO MaxTime=14-00:00:00 MaxNodes=1 \
OverSubscribe=NO RootOnly=NO State=UP MaxMemPerNode=UNLIMITED TRES=cpu=512,mem=1T,node=4
PartitionName=shared AllowGroups=ALL Default=YES Hidden=NO MaxTime=1-00:00:00 MaxNodes=1 \
OverSubscribe=NO RootOnly=NO State=UP MaxMemPerNode=240000 TRES=cpu=2560,mem=5T,node=20
PartitionName=whole Default=NO MaxTime=2-12:30:00 OverSubscribe=EXCLUSIVE RootOnly=NO State=UP \
MaxMemPerNode=UNLIMITED
PartitionName=gpu Default=NO MaxTime=23:59:00 OverSubscribe=NO RootOnly=NO State=UP \
MaxMemPerNode=UNLIMITED
PartitionName=large Default=NO MaxTime=7-00:00:00 OverSubscribe=NO RootOnly=NO State=UP \
MaxMemPerNode=UNLIMITED
PartitionName=devel Default=NO MaxTime=00:30:00 OverSubscribe=NO RootOnly=NO State=UP
PartitionName=broken Default=NO MaxTime=UNLIMITED OverSubscribe=NO RootOnly=NO State=DRAIN
PartitionName=staff Default=NO MaxTime=UNLIMITED OverSubscribe=NO RootOnly=YES State=UP
PartitionName=empty Default=NO MaxTime=UNLIMITED OverSubscribe=NO RootOnly=NO State=UP
"""

NODES = """\
shared|128|257000|(null)|18
shared|128|515000+|(null)|2
long|128+|257000|(null)|4
whole|128|257000|(null)|100
gpu|64|512000|gpu:a100:4(S:0-3)|8
gpu|64|512000|gpu:h100_80gb:8(S:0-3),nvme:1|2
large|64|2060000|(null)|3
devel|128|257000|(null)|2
broken|64|257000|(null)|1
staff|64|257000|(null)|1
"""


def test_partitions_are_described_and_ordered_for_choosing():
    partitions = partitions_of(PARTITIONS, NODES)

    lines = [partition.limits for partition in partitions if not partition.left_out]
    assert lines == [
        "shared mem_gb=234 time_min=1440",
        "long mem_gb=250 time_min=20160",
        "whole mem_gb=250 time_min=3630",
        "large mem_gb=2011 time_min=10080",
        "gpu mem_gb=500 time_min=1439 gpus=8",
    ]
    assert {p.name: p.left_out for p in partitions if p.left_out} == {
        "devel": "at most 30 min",
        "broken": "State=DRAIN",
        "staff": "RootOnly",
        "empty": "it has no nodes",
    }


@pytest.mark.parametrize(("places", "mode"), [(1001, "array"), (16, "pilot_jobs")])
def test_the_profile_is_settings_that_choose_by_need(settings, places, mode):
    text = profile_text(CONFIG.format(places=places), PARTITIONS, NODES)
    assert "# A start for north, " in text
    assert "devel (at most 30 min)" in text
    assert "broken (State=DRAIN)" in text
    settings(text[text.index("\n[slurm]\n") :])

    check_settings()

    task = settings_for("ProcessMarkdown")
    assert (task.mode, task.max_array) == (mode, min(places, 1000))
    assert partition_for(2, 60, task) == "shared"
    assert partition_for(2, 2000, task) == "long"
    assert partition_for(task.max_mem_gb, 60, task) == "large"
    assert partition_for(2, 60, task.with_gpus(1)) == "gpu"
    assert "# gres = gpu:h100_80gb:1" in text


@pytest.mark.parametrize(
    ("config", "described", "message"),
    [
        (CONFIG.format(places=0), PARTITIONS, "takes no job arrays"),
        (CONFIG.format(places=9), "", "none was listed"),
        (CONFIG.format(places=9), "PartitionName=a MaxTime=10:00 State=UP", r"a \(it has no nodes"),
    ],
)
def test_a_cluster_that_nothing_can_run_on_is_told(config, described, message):
    with pytest.raises(ConfigError, match=message):
        profile_text(config, described, NODES)


def one(**fields):
    given = {"PartitionName": "p", "MaxTime": "UNLIMITED", "State": "UP"} | fields
    return _described_by(given, [NodeKind(8192, 16, "", 2), NodeKind(4096, 32, "gpu:2", 1)])


def test_a_partition_is_its_largest_node_and_the_one_with_most_gpus():
    partition = one()

    assert (partition.mem_gb, partition.cpus, partition.nodes) == (8.0, 16, 3)
    assert (partition.gpus, partition.gres) == (2, "gpu:2")
    assert not partition.whole_nodes
    assert not partition.is_default
    assert partition.limits == "p mem_gb=8 gpus=2"


@pytest.mark.parametrize(
    ("most", "mem_gb"), [("6000", 5.8), ("9000", 8.0), ("UNLIMITED", 8.0), ("0", 0.0)]
)
def test_a_limit_on_memory_counts_where_it_is_one(most, mem_gb):
    assert one(MaxMemPerNode=most).mem_gb == mem_gb


def test_an_hour_is_enough_and_less_is_not():
    assert one(MaxTime="1:00:00").left_out == ""
    assert one(MaxTime="59:59").left_out == "at most 59.9833 min"
    assert one(RootOnly="YES").left_out == "RootOnly"


def test_a_setting_is_the_one_of_that_name():
    config = "MaxArraySizeX = 5\nMaxArraySize   = 1001\n"
    assert setting_of(config, "MaxArraySize") == "1001"
    assert setting_of(config, "ClusterName") == ""


SMALL = "PartitionName=a MaxTime=UNLIMITED State=UP OverSubscribe=EXCLUSIVE Default=YES"


def test_nodes_with_less_than_tasks_ask_for_are_told_so():
    text = profile_text(CONFIG.format(places=100), SMALL, "a|1|1536|(null)|1")

    assert "\n#   a: 1 node of up to 1 cores, 1.5 GB, no time limit, the default\n" in text
    assert "\nmem_gb = 0.8\n" in text
    assert "\nmax_mem_gb = 1.5\n" in text
    assert "Jobs in a get whole nodes" in text
    assert "pilot_jobs" not in text
    assert "max_time_min = 10080" in text
    assert "Left out" not in text
    assert "gres" not in text


def test_nodes_with_enough_leave_memory_to_the_tasks():
    text = profile_text(CONFIG.format(places=99), SMALL, "a|1|2048|gpu:1|2")

    assert "\nmem_gb" not in text
    assert "mode = pilot_jobs\nmax_array = 99\n" in text
    assert "# gres = gpu:1\n" in text
