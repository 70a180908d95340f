"""A profile that a real cluster's Slurm gave runs the graph on it."""

import subprocess
import sys
from configparser import ConfigParser

from tests.cluster.bench import SlurmBench
from tests.conftest import ROOT
from tests.testbed.cluster import Testbed
from tests.testbed.configuration import Settings


def test_a_profile_of_a_real_cluster_runs_the_graph_on_it(
    bed_folder, tmp_path, crawl_url, downloaded
):
    with Testbed(bed_folder, Settings(nodes=2, cpus=2, gpus=1, max_array_size=3)) as bed:
        bed.run("scontrol", "create", "PartitionName=debug", "Nodes=n1", "MaxTime=30")
        written = subprocess.run(
            [sys.executable, "-m", "skord", "slurm", "profile"],
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


def test_a_controller_that_does_not_answer_is_one_sentence(tmp_path):
    """As Slurm 22.05 says it, in four lines."""
    program = tmp_path / "scontrol"
    program.write_text(
        "#!/bin/sh\n"
        "echo 'scontrol: error: resolve_ctls_from_dns_srv: Unknown host' >&2\n"
        "echo 'scontrol: error: fetch_config: DNS SRV lookup failed' >&2\n"
        "echo 'scontrol: fatal: Could not establish a configuration source' >&2\nexit 1\n"
    )
    program.chmod(0o755)

    asked = subprocess.run(
        [sys.executable, "-m", "skord", "slurm", "profile"],
        env={"PATH": f"{tmp_path}:/bin"}, cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert asked.returncode == 1
    assert asked.stderr.splitlines() == [
        "skord: `scontrol show config` does not answer: resolve_ctls_from_dns_srv: Unknown "
        "host; fetch_config: DNS SRV lookup failed"
    ]


def test_without_slurm_the_profile_says_where_to_ask(tmp_path):
    asked = subprocess.run(
        [sys.executable, "-m", "skord", "slurm", "profile"],
        env={"PATH": str(tmp_path)}, cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert asked.returncode == 1
    assert "start this on a login node" in " ".join(asked.stderr.split())
