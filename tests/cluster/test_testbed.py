"""The private Slurm cluster itself: it is real, it breaks as told, and nothing of it stays."""

import re
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from skord.core.failures import ConfigError
from tests.cluster.conftest import eventually, job_states, submit
from tests.conftest import ROOT, run_python
from tests.testbed.cluster import NotReadyError, Testbed
from tests.testbed.configuration import Settings

pytestmark = pytest.mark.usefixtures("slurm_installed")

OWNER = """\
import sys, time
from pathlib import Path
from tests.testbed.cluster import Testbed
from tests.testbed.configuration import Settings

with Testbed(Path(sys.argv[1]), Settings(nodes=1)) as bed:
    bed.run("sbatch", "--output=/dev/null", "--wrap", sys.argv[2])
    time.sleep(600)
"""


def orphan(pid_file: Path) -> str:
    """Shell lines of a job whose grandchild leaves session, group and parent behind."""
    return f"setsid sh -c 'sleep 600 & echo $! > {pid_file}.new; mv {pid_file}.new {pid_file}' &"


def belongs_to(process: Path, folder: Path) -> bool:
    """Whether its environment points to the folder's cluster, or it holds a file there open."""
    mark = f"SLURM_CONF={folder}/etc/slurm.conf".encode()
    with suppress(OSError):
        if mark in (process / "environ").read_bytes().split(b"\0"):
            return True
        return any(file.readlink().is_relative_to(folder) for file in (process / "fd").iterdir())
    return False


def processes_of(folder: Path) -> dict[int, str]:
    """Name of every process on this machine that a cluster in this folder started."""
    actual = {}
    for entry in Path("/proc").iterdir():
        with suppress(OSError):
            if entry.name.isdigit() and belongs_to(entry, folder.resolve()):
                actual[int(entry.name)] = (entry / "comm").read_text().strip()
    return actual


def listening_addresses(pids) -> set[str]:
    """Hex addresses, as in /proc/net/tcp, at which these processes accept connections."""
    inodes = set()
    for pid in pids:
        with suppress(OSError):
            for file in Path(f"/proc/{pid}/fd").iterdir():
                with suppress(OSError):
                    inodes.update(re.findall(r"socket:\[(\d+)\]", str(file.readlink())))
    rows = [
        line.split()
        for table in ("tcp", "tcp6")
        if (path := Path(f"/proc/net/{table}")).exists()
        for line in path.read_text().splitlines()[1:]
    ]
    return {row[1].split(":")[0] for row in rows if row[3] == "0A" and row[9] in inodes}


def job_field(bed, job: str, name: str) -> str:
    shown = bed.run("scontrol", "show", "job", job).stdout
    return re.search(rf"\b{name}=(\S+)", shown).group(1)


def test_stop_leaves_no_process_not_even_an_orphan_of_a_job(bed_folder, tmp_path):
    with Testbed(bed_folder, Settings(nodes=2)) as bed:
        submit(bed, "--wrap", f"{orphan(tmp_path / 'pid')} sleep 600")
        pid = int(eventually((tmp_path / "pid").exists) and (tmp_path / "pid").read_text())
        assert pid in processes_of(bed_folder)
        assert "slurmstepd" in processes_of(bed_folder).values()

    assert processes_of(bed_folder) == {}


def test_sigkill_to_its_owner_ends_a_testbed(bed_folder, tmp_path):
    job = f"{orphan(tmp_path / 'pid')} sleep 600"
    with subprocess.Popen([sys.executable, "-c", OWNER, bed_folder, job], cwd=ROOT) as owner:
        eventually((tmp_path / "pid").exists)
        assert {"slurmctld", "slurmd", "sleep"} <= set(processes_of(bed_folder).values())
        owner.kill()

    eventually(lambda: processes_of(bed_folder) == {})


def test_the_job_of_a_lost_node_runs_again_elsewhere(testbed, tmp_path):
    job = f"{orphan(tmp_path / 'pid')} echo $SLURMD_NODENAME >> {tmp_path}/nodes; sleep 600"
    number = submit(testbed, "--job-name=lost", "--wrap", job)
    eventually((tmp_path / "pid").exists)
    [lost] = (tmp_path / "nodes").read_text().split()
    pid = int((tmp_path / "pid").read_text())

    testbed.kill_node(lost)
    assert not Path(f"/proc/{pid}").exists()
    testbed.down_node(lost)
    eventually(lambda: len((tmp_path / "nodes").read_text().split()) == 2)

    assert (tmp_path / "nodes").read_text().split()[1] != lost
    assert job_field(testbed, number, "Restarts") == "1"
    assert testbed.run("scancel", number).returncode == 0
    testbed.start_slurmd(lost)
    testbed.resume_node(lost)
    testbed.wait_for_nodes(testbed.nodes)
    eventually(lambda: job_states(testbed, "lost") == [])


def test_two_testbeds_do_not_see_each_other(testbed, bed_folder):
    with Testbed(bed_folder, Settings(nodes=1)) as other:
        submit(other, "--job-name=mine", "--wrap", "sleep 600")

        assert job_states(other, "mine") != []
        assert job_states(testbed, "mine") == []


def test_nothing_listens_but_on_127_0_0_1(testbed, tmp_path):
    submit(testbed, "--job-name=step", "--wrap", f"srun sh -c 'touch {tmp_path}/step; sleep 600'")
    eventually((tmp_path / "step").exists)

    processes = processes_of(testbed.folder)
    assert {"srun", "slurmd", "slurmctld", "slurmstepd"} <= set(processes.values())
    daemons = [pid for pid, name in processes.items() if name in {"slurmd", "slurmctld"}]
    assert listening_addresses(daemons) == {"0100007F"}
    assert listening_addresses(processes) == {"0100007F"}
    testbed.run("scancel", "--name=step")


def test_variables_of_a_cluster_outside_are_not_heard(bed_folder, monkeypatch):
    monkeypatch.setenv("SBATCH_PARTITION", "elsewhere")
    monkeypatch.setenv("SLURM_CLUSTERS", "elsewhere")

    with Testbed(bed_folder, Settings(nodes=1)) as bed:
        submit(bed, "--wrap", "true")


def test_a_cluster_that_does_not_come_up_says_why_and_leaves_nothing(bed_folder):
    with pytest.raises(NotReadyError, match="NoSuchSetting"):
        Testbed(bed_folder, Settings(nodes=1, extra="NoSuchSetting=1")).start()

    assert processes_of(bed_folder) == {}


@pytest.mark.parametrize("address", ["192.0.2.7", "10.0.0.7"])
def test_a_name_that_others_can_reach_this_machine_by_is_refused(bed_folder, monkeypatch, address):
    actual = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 0))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_: actual)

    with pytest.raises(ConfigError, match=rf"resolves to {address}.*127.0.0.1 .*/etc/hosts"):
        Testbed(bed_folder).start()


def test_run_gives_a_command_a_cluster_and_returns_its_status(slurm_installed):
    done = run_python(
        "-m", "tests.testbed", "run", "--nodes", "2", "--", "sh", "-c", "sinfo -h -N; exit 7"
    )

    assert done.returncode == 7, done.stderr
    assert len(done.stdout.splitlines()) == 2
