"""What a testbed must know of this machine: programs, name, user, ports; and what it refuses."""

from __future__ import annotations

import fcntl
import os
import pwd
import random
import re
import shutil
import socket
import subprocess
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from skord.core.failures import ConfigError
from tests.testbed.configuration import Place, parse_version
from tests.testbed.supervisor import LOCK

PROGRAMS = ("slurmctld", "slurmd", "sbatch", "squeue", "scancel", "scontrol", "sinfo")
ACCOUNTING_PROGRAMS = (
    "slurmdbd", "mariadbd", "mariadb-install-db", "my_print_defaults", "sacct", "sacctmgr",
)  # fmt: skip

_MAX_FOLDER_LENGTH = 64  # the path of a step's unix socket below it must fit into 107 bytes
_FIRST_PORT = 10240
_SCRUBBED = (
    "SLURM", "SBATCH_", "SQUEUE_", "SINFO_", "SACCT", "SALLOC_", "SCANCEL_", "SCONTROL_", "SRUN_",
)  # fmt: skip


def missing_programs(programs: Iterable[str] = PROGRAMS) -> list[str]:
    """Those of the programs that are not installed; empty when a testbed can run."""
    path = client_environment(os.environ, Path())["PATH"]
    return [program for program in programs if not shutil.which(program, path=path)]


def client_environment(variables: Mapping[str, str], configuration: Path) -> dict[str, str]:
    """The variables with SLURM_CONF, the daemons' folders on the PATH, and no others of Slurm's.

    >>> client_environment({"PATH": "/bin", "SBATCH_PARTITION": "gpu"}, Path("/tmp/slurm.conf"))
    {'PATH': '/bin:/usr/sbin:/sbin', 'SLURM_CONF': '/tmp/slurm.conf'}
    """
    kept = {name: value for name, value in variables.items() if not name.startswith(_SCRUBBED)}
    path = f"{kept.get('PATH', os.defpath)}:/usr/sbin:/sbin"
    return kept | {"PATH": path, "SLURM_CONF": str(configuration)}


def find_place(
    folder: Path, ports: int, environment: dict[str, str], *, accounting: bool = False
) -> Place:
    """Who and where this is; ConfigError when a testbed, with accounts or not, cannot run here."""
    if missing := missing_programs():
        raise ConfigError(
            f"{', '.join(missing)} not found: "
            "apt-get install slurmctld slurmd slurm-client (or: make slurm)"
        )
    if accounting and (missing := missing_programs(ACCOUNTING_PROGRAMS)):
        raise ConfigError(
            f"{', '.join(missing)} not found, and the accounts need them: apt-get install "
            "slurmdbd mariadb-server-core mariadb-client-core (or: make slurm-accounting)"
        )
    if len(str(folder)) > _MAX_FOLDER_LENGTH or not re.fullmatch(r"[\w./+-]+", str(folder)):
        raise ConfigError(
            f"a testbed cannot run in {folder}: give a folder whose path has no spaces and at "
            f"most {_MAX_FOLDER_LENGTH} characters, such as one below /tmp"
        )
    folder.mkdir(parents=True, exist_ok=True)
    _check_unused(folder)
    output = subprocess.run(
        ["slurmd", "-V"], env=environment, capture_output=True, text=True, check=True
    )
    host, address = host_name()
    version = parse_version(output.stdout)
    return Place(str(folder), host, user_name(), free_ports(ports, address), version, address)


def _check_unused(folder: Path) -> None:
    """ConfigError when a testbed runs in the folder; its supervisor holds the lock there."""
    with (folder / LOCK).open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise ConfigError(
                f"another testbed runs in {folder}: give a folder of its own"
            ) from error


def host_name() -> tuple[str, str]:
    """This machine's short name, and the address of loopback that it resolves to.

    Jobs run at any such address; srun, whom steps call back at 127.0.0.1, only at that one.

    Raises:
        ConfigError: the name does not resolve, or others could reach what listens there.
    """
    name = socket.gethostname().split(".")[0]
    remedy = f"make `127.0.0.1 {name}` the first line of /etc/hosts"
    try:
        addresses = socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)
    except OSError as error:
        raise ConfigError(
            f"this machine's name {name} does not resolve ({error}), and Slurm's daemons find "
            f"themselves by it: {remedy}"
        ) from error
    address = str(addresses[0][4][0])
    if not address.startswith("127."):
        raise ConfigError(
            f"this machine's name {name} resolves to {address}; Slurm's daemons would listen "
            f"there, and ask nobody who they are: {remedy}"
        )
    return name, address


def user_name() -> str:
    """Who runs this process; ConfigError when the system has no name for them."""
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError as error:
        raise ConfigError(
            f"user {os.getuid()} has no line in /etc/passwd, and Slurm runs jobs of named users "
            "only: add one, or run as another user"
        ) from error


def free_ports(count: int, address: str) -> tuple[int, ...]:
    """Ports of the address that nobody listens on, below those that outgoing connections take."""
    lowest_taken = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    candidates = list(range(_FIRST_PORT, max(lowest_taken, _FIRST_PORT + 1000)))
    random.shuffle(candidates)
    ports: list[int] = []
    for port in candidates:
        with socket.socket() as probe, suppress(OSError):
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((address, port))
            ports.append(port)
        if len(ports) == count:
            return tuple(ports)
    raise ConfigError(f"fewer than {count} free ports from {_FIRST_PORT} on")


def is_listening(address: str, port: int) -> bool:
    """Whether somebody accepts connections there."""
    with socket.socket() as probe:
        return probe.connect_ex((address, port)) == 0
