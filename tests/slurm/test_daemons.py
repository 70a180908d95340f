"""Daemons and what escapes from them, of `skord.slurm.testbed.daemons` and its supervisor: real ones."""

import os
from pathlib import Path

import pytest

from skord.slurm.testbed.configuration import Place
from skord.slurm.testbed.daemons import Daemons, NotReadyError, last_lines, of_cluster

GROUPS = [
    {
        "n1": ["sh", "-c", "echo n1 begins; exec sleep 600"],
        "n2": [
            "sh",
            "-c",
            "echo $$ > stray.pid; setsid sleep 600 & echo $! > stray; exec sleep 600",
        ],
    },
    {"last": ["sh", "-c", "exec sleep 600"], "nothing": ["no-such-program"]},
]


@pytest.fixture
def place(tmp_path):
    (tmp_path / "log").mkdir()
    return Place(str(tmp_path), "host", "someone", (1,), (24, 11, 5))


@pytest.fixture
def daemons(place, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = Daemons(place, GROUPS, {**os.environ, "SLURMD_NODENAME": "n2"})
    yield made
    made.stop()


def until(path):
    """Wait, without a limit of its own, until a process has written its number."""
    while not (path.exists() and path.read_text().strip()):
        os.sched_yield()
    return int(path.read_text())


def lives(pid):
    stat = Path(f"/proc/{pid}/stat")
    return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "Z"


def test_what_is_started_runs_until_it_is_told_to_end(daemons):
    for verb in ("term", "kill"):
        daemons.tell("start", "n1")
        daemons.tell("check", "n1")
        with pytest.raises(NotReadyError, match=r"^n1 is already running"):
            daemons.tell("start", "n1")
        daemons.tell(verb, "n1")
        with pytest.raises(NotReadyError, match=r"^n1 is not running"):
            daemons.tell("check", "n1")


def test_it_may_be_told_to_end_before_it_has_begun(daemons, tmp_path):
    for _ in range(50):
        daemons.tell("start", "n1")
        daemons.tell("term", "n1")
    assert not (tmp_path / "log/supervisor.out").read_text()


@pytest.mark.parametrize(("verb", "name"), [("start", "n7"), ("burn", "n1")])
def test_an_unknown_word_is_said(daemons, verb, name):
    with pytest.raises(NotReadyError, match=rf"^unknown command: {verb} {name}"):
        daemons.tell(verb, name)


def test_a_node_is_lost_with_what_escaped_from_it(daemons, tmp_path):
    daemons.tell("start", "n2")
    stray = until(tmp_path / "stray")
    assert lives(stray)

    daemons.tell("lose", "n2")

    assert not lives(stray)
    with pytest.raises(NotReadyError, match=r"^n2 is not running"):
        daemons.tell("check", "n2")


def test_nothing_is_left_in_the_end(daemons, tmp_path):
    daemons.tell("start", "last")
    daemons.tell("start", "n2")
    pids = [until(tmp_path / "stray"), until(tmp_path / "stray.pid")]

    daemons.stop()

    assert [lives(pid) for pid in pids] == [False, False]
    with pytest.raises((NotReadyError, ValueError)):
        daemons.tell("check", "last")


def test_a_folder_has_one_testbed(daemons, place):
    daemons.tell("start", "n1")
    second = Daemons(place, GROUPS, dict(os.environ))
    with pytest.raises(
        NotReadyError, match=r"the supervisor has ended\n(.|\n)*another testbed runs"
    ):
        second.tell("start", "n1")
    second.stop()


def test_a_program_that_is_not_there_is_told_in_its_log(daemons, tmp_path):
    daemons.tell("start", "nothing")
    log = tmp_path / "log/nothing.out"
    while not (log.exists() and log.read_text()):
        os.sched_yield()
    assert f"==> {log} <==\ncannot run no-such-program" in last_lines(tmp_path)


def test_who_waits_is_told_of_a_death_and_of_the_time(daemons):
    with pytest.raises(NotReadyError, match=r"^n1 is not running"):
        daemons.wait("n1", lambda: False, 60)
    daemons.tell("start", "n1")
    daemons.wait("n1", lambda: True, 0)
    with pytest.raises(NotReadyError, match=r"^no n1 after 0 s:"):
        daemons.wait("n1", lambda: False, 0)


def test_logs_are_shown_by_their_last_lines(tmp_path):
    (tmp_path / "log").mkdir()
    (tmp_path / "log/b").write_text("1\n2\n3\n")
    (tmp_path / "log/a").write_text("")
    assert last_lines(tmp_path, 2) == f"==> {tmp_path}/log/b <==\n2\n3"


def test_a_cluster_is_a_controller_and_its_nodes(tmp_path):
    commands = of_cluster(tmp_path, ["n1"])
    config = ["-f", f"{tmp_path}/etc/slurm.conf"]
    assert commands == {
        "slurmctld": ["slurmctld", "-D", "-i", *config],
        "n1": ["slurmd", "-D", "-N", "n1", *config],
    }
