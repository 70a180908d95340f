"""The commands of a testbed's accounts, of `skord.slurm.testbed.accounting`."""

import os
import socket
import sys

import pytest

from skord.slurm.testbed.accounting import DATABASE, STORAGE, accounting_daemons, start_database
from skord.slurm.testbed.configuration import Place
from skord.slurm.testbed.daemons import Daemons

PLACE = Place("/tmp/bed", "host", "someone", (6817, 6818, 6819), (24, 11, 5))


@pytest.mark.parametrize(("user", "told"), [(0, True), (1000, False)])
def test_roots_database_is_told_as_whom_it_runs(monkeypatch, user, told):
    monkeypatch.setattr(os, "geteuid", lambda: user)
    storage, database = accounting_daemons(PLACE)
    assert storage[STORAGE][1:] == ["MYSQL_UNIX_PORT=/tmp/bed/run/database.sock", "slurmdbd", "-D"]
    script = database[DATABASE][2]
    assert ("--user=someone" in script) is told
    assert "--socket=/tmp/bed/run/database.sock" in script


LISTENING = """
import socket
server = socket.socket(socket.AF_UNIX)
server.bind("run/database.sock")
server.listen()
while True:
    server.accept()
"""


def test_the_database_is_started_and_waited_for_until_it_answers(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("run", "log"):
        (tmp_path / name).mkdir()
    place = Place(str(tmp_path), "host", "someone", (1,), (24, 11, 5))
    running = Daemons(place, [{DATABASE: [sys.executable, "-c", LISTENING]}], dict(os.environ))
    try:
        start_database(running, 20.0)
        with socket.socket(socket.AF_UNIX) as probe:
            assert probe.connect_ex("run/database.sock") == 0
    finally:
        running.stop()
