"""What a throw-away cluster must know of this machine, of `skord.slurm.testbed.machine`."""

import os
import socket
import tempfile
from pathlib import Path

import pytest

from skord.core.failures import ConfigError
from skord.slurm.testbed import machine
from skord.slurm.testbed.machine import (
    find_place,
    free_ports,
    host_name,
    is_listening,
    missing_programs,
    user_name,
)


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """A `slurmd` that says its version, beside programs that are only there."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in machine.PROGRAMS:
        path = folder / name
        path.write_text("#!/bin/sh\necho slurm-wlm 24.11.5\n")
        path.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)
    monkeypatch.setattr(machine, "host_name", lambda: ("host", "127.0.0.1"))
    return {"PATH": os.environ["PATH"]}


@pytest.fixture
def short():
    """A folder with a path short enough for unix sockets; pytest's own may not be."""
    with tempfile.TemporaryDirectory(prefix="skord-") as folder:
        yield Path(folder)


def test_a_place_has_ports_of_its_own_and_the_version(installed, short):
    place = find_place(short / "bed", 3, installed)

    assert (place.host, place.address, place.version) == ("host", "127.0.0.1", (24, 11, 5))
    assert len(set(place.ports)) == 3
    assert place.user == user_name()
    assert (short / "bed").is_dir()


@pytest.mark.parametrize("name", ["x" * 70, "with space", "quote'"])
def test_a_path_that_slurm_cannot_bear_is_told(installed, name):
    with pytest.raises(ConfigError, match="a testbed cannot run in"):
        find_place(Path("/tmp") / name, 1, installed)


def test_a_folder_in_use_is_told(installed, short):
    import fcntl  # noqa: PLC0415

    with (short / machine.LOCK).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(ConfigError, match="another testbed runs in"):
            find_place(short, 1, installed)
    find_place(short, 1, installed)


def test_programs_that_are_missing_are_named(installed, short):
    assert missing_programs(["slurmd", "no-such-program"]) == ["no-such-program"]
    if missing := missing_programs(machine.ACCOUNTING_PROGRAMS):
        with pytest.raises(ConfigError, match=missing[0]):
            find_place(short, 1, installed, accounting=True)


def test_a_port_is_free_until_somebody_listens_there():
    (port,) = free_ports(1, "127.0.0.1")
    assert not is_listening("127.0.0.1", port)
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", port))
        listening.listen()
        assert is_listening("127.0.0.1", port)


@pytest.mark.parametrize(
    ("address", "said"), [("192.0.2.1", "daemons would listen"), (None, "does not resolve")]
)
def test_a_name_that_leads_elsewhere_or_nowhere_is_told(monkeypatch, address, said):
    def resolved(*_):
        if address is None:
            raise OSError("unknown")
        return [(None, None, None, "", (address, 0))]

    monkeypatch.setattr(socket, "gethostname", lambda: "host.example.org")
    monkeypatch.setattr(socket, "getaddrinfo", resolved)
    with pytest.raises(ConfigError, match=said):
        host_name()


def test_the_short_name_counts(monkeypatch):
    monkeypatch.setattr(socket, "gethostname", lambda: "host.example.org")
    monkeypatch.setattr(
        socket, "getaddrinfo", lambda *_: [(None, None, None, "", ("127.0.1.1", 0))]
    )
    assert host_name() == ("host", "127.0.1.1")
