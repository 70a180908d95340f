"""The process that owns a testbed's daemons, run by its path, over programs of the system."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from skord.slurm.testbed import supervisor
from skord.slurm.testbed.__main__ import _SETTINGS, cluster_parser

HANG_S = 60
"""After this, what should have come will not come."""
NAP = "sleep 3000"
NODE = {
    "n1": ["env", "SLURMD_NODENAME=n1", "sh", "-c", f"setsid {NAP} & exec {NAP}"],
    "n2": ["env", "SLURMD_NODENAME=n2", "sh", "-c", f"exec {NAP}"],
}
CONTROLLER = {"controller": ["sleep", "3000"], "absent": ["./no-such-program"]}


class Owned:
    """A supervisor in a folder, obeying lines."""

    def __init__(self, folder, parent=None):
        (folder / "log").mkdir(exist_ok=True)
        daemons = json.dumps([NODE, CONTROLLER])
        self.folder = folder
        self.process = subprocess.Popen(
            [sys.executable, supervisor.__file__, str(folder), str(parent or os.getpid()), daemons],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip

    def ask(self, line):
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def below(self, count):
        """Its descendants, once they are so many."""
        for _ in supervisor._tries_until(HANG_S):
            found = supervisor.descendant_pids(self.process.pid)
            if len(found) == count:
                return found
        return pytest.fail(f"{found} are below, not {count}")


@pytest.fixture
def owned(tmp_path):
    made = Owned(tmp_path)
    yield made
    made.process.communicate(timeout=HANG_S)


def lives(pid):
    return Path(f"/proc/{pid}").exists()


def test_daemons_are_started_checked_and_ended_one_by_one(owned):
    assert owned.ask("start controller") == "ok"
    assert owned.ask("check controller") == "ok"
    assert owned.ask("start controller") == "controller is already running"
    (pid,) = owned.below(1)
    assert owned.ask("term controller") == "ok"
    assert not lives(pid)
    assert owned.ask("kill controller") == "controller is not running"
    assert owned.ask("start controller") == "ok"
    assert owned.ask("kill controller") == "ok"
    assert owned.ask("check controller") == "controller is not running"
    for unknown in ("start n3", "stop controller", "start"):
        assert owned.ask(unknown) == f"unknown command: {unknown}"


def test_a_program_that_is_not_there_says_so_in_its_log(owned):
    assert owned.ask("start absent") == "ok"
    owned.below(0)
    assert owned.ask("check absent") == "absent is not running"
    assert (owned.folder / "log/absent.out").read_text() == "cannot run ./no-such-program\n"


def test_a_lost_node_takes_its_strays_along_and_leaves_the_others(owned):
    assert [owned.ask("start n1"), owned.ask("start n2")] == ["ok", "ok"]
    before = owned.below(3)

    assert owned.ask("lose n1") == "ok"

    (left,) = owned.below(1)
    assert left in before
    assert owned.ask("check n2") == "ok"
    assert owned.ask("check n1") == "n1 is not running"


def test_at_its_end_nothing_is_left_and_until_then_the_folder_is_its_own(owned):
    assert [owned.ask("start n1"), owned.ask("start controller")] == ["ok", "ok"]
    pids = owned.below(3)
    second = Owned(owned.folder)
    _, said = second.process.communicate(timeout=HANG_S)
    assert second.process.returncode == 1
    assert said == f"another testbed runs in {owned.folder}\n"

    owned.process.communicate(timeout=HANG_S)

    assert owned.process.returncode == 0
    assert not any(lives(pid) for pid in pids)


@pytest.mark.parametrize("number", [15, 2, 1])
def test_a_signal_ends_all_of_it(owned, number):
    assert owned.ask("start n1") == "ok"
    pids = owned.below(2)
    owned.process.send_signal(number)
    assert owned.process.wait(timeout=HANG_S) == 128 + number
    assert not any(lives(pid) for pid in pids)


def test_without_its_parent_it_ends_at_once(tmp_path):
    orphan = Owned(tmp_path, parent=1)
    assert orphan.process.wait(timeout=HANG_S) == 0
    orphan.process.communicate()


def test_the_options_are_the_settings_of_a_cluster():
    options = cluster_parser().parse_args(["up", "--nodes", "3", "--mem-mb=900", "--detach"])
    assert {name: getattr(options, name) for name in _SETTINGS} == {
        "nodes": 3, "cpus": 4, "mem_mb": 900, "gpus": 0, "accounting": False,
    }  # fmt: skip
    assert (options.detach, options.remove, options.folder) == (True, False, None)
    options = cluster_parser().parse_args(["run", "--accounting", "--", "squeue", "-h"])
    assert (options.command, options.accounting, options.remove) == (["squeue", "-h"], True, False)
    for wrong in (["up", "squeue"], ["run"], ["down", "--nodes", "2"], []):
        with pytest.raises(SystemExit):
            cluster_parser().parse_args(wrong)


@pytest.mark.parametrize(("script", "status"), [("exit 3", 3), ("kill -9 $$", 137)])
def test_a_command_in_a_cluster_ends_with_its_status_as_a_shell_tells_it(script, status):
    code = "import os, sys; from skord.slurm.testbed.__main__ import _status_of as run; "
    code += "sys.exit(run(sys.argv[1:], dict(os.environ)))"
    done = subprocess.run(
        [sys.executable, "-c", code, "sh", "-c", script], check=False, timeout=HANG_S
    )
    assert done.returncode == status
