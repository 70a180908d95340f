"""Starting settings for a cluster, from what its Slurm says of itself."""
# ruff: noqa: F811 - fixtures are imported by name and asked for by name

import subprocess
import sys
from configparser import ConfigParser

import pytest

from pipeline.core.failures import ConfigError
from pipeline.core.start.preflight import check_settings
from slurm.profile import partitions_of, profile
from slurm.settings import settings_for
from slurm.submission.sbatch import partition_for
from slurm.testbed.cluster import Testbed
from tests.cluster.bench import SlurmBench
from tests.cluster.test_executor import downloaded, local  # noqa: F401 - fixtures
from tests.conftest import ROOT
from tests.graph.conftest import crawl_folder, crawl_url  # noqa: F401 - fixtures

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
    found = partitions_of(PARTITIONS, NODES)

    lines = [partition.limits for partition in found if not partition.left_out]
    assert lines == [
        "shared mem_gb=234 time_min=1440",
        "long mem_gb=250 time_min=20160",
        "whole mem_gb=250 time_min=3630",
        "large mem_gb=2011 time_min=10080",
        "gpu mem_gb=500 time_min=1439 gpus=8",
    ]
    assert {p.name: p.left_out for p in found if p.left_out} == {
        "devel": "at most 30 min",
        "broken": "State=DRAIN",
        "staff": "RootOnly",
        "empty": "it has no nodes",
    }


@pytest.mark.parametrize(("places", "mode"), [(1001, "array"), (16, "pilot_jobs")])
def test_the_profile_is_settings_that_choose_by_need(settings, places, mode):
    text = profile(CONFIG.format(places=places), PARTITIONS, NODES)
    assert "# A start for north, " in text
    assert "devel (at most 30 min)" in text
    assert "broken (State=DRAIN)" in text
    settings(text[text.index("\n[slurm]\n") :])

    check_settings()

    found = settings_for("ProcessMarkdown")
    assert (found.mode, found.max_array) == (mode, min(places, 1000))
    assert partition_for(2, 60, found) == "shared"
    assert partition_for(2, 2000, found) == "long"
    assert partition_for(found.max_mem_gb, 60, found) == "large"
    assert partition_for(2, 60, found.with_gpus(1)) == "gpu"
    assert "# gres = gpu:h100_80gb:1" in text


@pytest.mark.parametrize(
    ("config", "described", "said"),
    [
        (CONFIG.format(places=0), PARTITIONS, "takes no job arrays"),
        (CONFIG.format(places=9), "", "none was listed"),
        (CONFIG.format(places=9), "PartitionName=a MaxTime=10:00 State=UP", r"a \(it has no nodes"),
    ],
)
def test_a_cluster_that_nothing_can_run_on_is_told(config, described, said):
    with pytest.raises(ConfigError, match=said):
        profile(config, described, NODES)


def test_a_profile_of_a_real_cluster_runs_the_graph_on_it(
    bed_folder, tmp_path, crawl_url, downloaded
):
    with Testbed(bed_folder, nodes=2, cpus=2, gpus=1, max_array_size=3) as bed:
        bed.run("scontrol", "create", "PartitionName=debug", "Nodes=n1", "MaxTime=30")
        written = subprocess.run(
            [sys.executable, "-m", "slurm.profile"],
            env=bed.environment, cwd=ROOT, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert written.returncode == 0, written.stderr
        assert "debug (at most 30 min)" in written.stdout
        parser = ConfigParser()
        parser.read_string(written.stdout)
        assert parser["slurm"]["partitions"] == "\nmain mem_gb=1.9 gpus=1"
        assert parser.has_section("slurm.ProcessMarkdown")
        own = {name: value.replace("\n", "\n    ") for name, value in parser["slurm"].items()}
        bench = SlurmBench(tmp_path / "slurm", crawl_url, num_shards=8, bed=bed, slurm=own)

        status, output = bench.download()

    assert status == 0, output
    assert "in 3 pilot jobs" in output
    assert bench.files() == downloaded


def test_without_slurm_the_profile_says_where_to_ask(tmp_path):
    asked = subprocess.run(
        [sys.executable, "-m", "slurm.profile"],
        env={"PATH": str(tmp_path)}, cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert asked.returncode == 1
    assert "start this on a login node" in " ".join(asked.stderr.split())
