"""The files of a throw-away cluster as text. Nothing is read or written here.

For Slurm 22.05 (Debian 12) to 24.11 (Debian 13); Debian builds slurmd so that several run on one
host (`slurmd -N NAME`), each on a port of its own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

CONFIGURATION = "etc/slurm.conf"
"""Where slurm.conf lies in a testbed's folder; SLURM_CONF points there."""

_FIRST_VERSION_WITHOUT_CGROUPS = (23, 11)


@dataclass(frozen=True)
class Settings:
    """What a testbed is like.

    Attributes:
        nodes: number of nodes, named n1, n2, …
        cpus: of each node; may be more than this machine has.
        mem_mb: of each node; likewise.
        gpus: of each node; devices that do nothing, but are scheduled and handed out.
        slurmd_timeout_s: a node silent for so long is on its way to DOWN (27–31 s at 10).
        kill_wait_s: between TERM and KILL at a job's time limit.
        min_job_age_s: for how long squeue and scontrol still know an ended job.
        max_array_size: array indices are below this.
        extra: more lines of slurm.conf; they override those before them.
        accounting: whether accounts are kept, for sacct to read.
    """

    nodes: int = 4
    cpus: int = 4
    mem_mb: int = 2000
    gpus: int = 0
    slurmd_timeout_s: int = 10
    kill_wait_s: int = 2
    min_job_age_s: int = 300
    max_array_size: int = 1001
    extra: str = ""
    accounting: bool = False

    @property
    def node_names(self) -> tuple[str, ...]:
        """The nodes' names.

        >>> Settings(nodes=2).node_names
        ('n1', 'n2')
        """
        return tuple(f"n{number}" for number in range(1, self.nodes + 1))


USUAL = Settings()


@dataclass(frozen=True)
class Place:
    """Where a testbed runs.

    Attributes:
        folder: absolute, without spaces.
        host: this machine's short name; slurmctld insists on finding itself by it.
        user: the account of all daemons.
        ports: slurmctld's, then one for each node, then slurmdbd's where accounts are kept.
        version: of Slurm, (22, 5) for 22.05.
        address: what the name resolves to, for that is where Slurm's daemons listen.
    """

    folder: str
    host: str
    user: str
    ports: Sequence[int]
    version: tuple[int, ...]
    address: str = "127.0.0.1"


_SLURM_CONF = """\
ClusterName=testbed
SlurmctldHost={host}({address})
SlurmctldPort={port}
SlurmUser={user}
SlurmdUser={user}
# Nobody is asked who they are, so nobody else may call: only loopback is listened on.
AuthType=auth/none
CredType=cred/none
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
# A requeued job waits cred_expire + 1 s; below 5 means 120.
AuthInfo=cred_expire=5
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool/%n
SlurmctldPidFile={folder}/run/slurmctld.pid
SlurmdPidFile={folder}/run/slurmd.%n.pid
SlurmctldLogFile={folder}/log/slurmctld.log
SlurmdLogFile={folder}/log/slurmd.%n.log
MailProg=/bin/true
DebugFlags=NO_CONF_HASH
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
# Without OverMemoryKill, --mem would only be book-keeping.
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=1
JobAcctGatherParams=OverMemoryKill
{storage}
JobCompType=jobcomp/filetxt
JobCompLoc={folder}/log/jobcomp.txt
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1
ReturnToService=2
SlurmctldTimeout=30
SlurmdTimeout={slurmd_timeout_s}
KillWait={kill_wait_s}
OverTimeLimit=0
MinJobAge={min_job_age_s}
MessageTimeout=10
JobRequeue=1
MaxArraySize={max_array_size}
MaxJobCount=10000
DefMemPerCPU=100
# Nodes may claim more CPUs and memory than this machine has.
SlurmdParameters=config_overrides
"""

_SLURMDBD_CONF = """\
AuthType=auth/none
CommunicationParameters=NoInAddrAny
DbdHost={host}
DbdAddr={address}
DbdPort={port}
SlurmUser={user}
# By the socket that MYSQL_UNIX_PORT names, as the user whom the database knows by it.
StorageType=accounting_storage/mysql
StorageUser={user}
StorageLoc=accounts
LogFile={folder}/log/slurmdbd.log
PidFile={folder}/run/slurmdbd.pid
"""


def configuration_files(settings: Settings, place: Place) -> dict[str, str]:
    """Every configuration file: path in the testbed's folder → text.

    >>> place = Place("/tmp/bed", "host", "someone", (6817, 6818), (22, 5, 8))
    >>> sorted(configuration_files(Settings(nodes=1, gpus=2), place))
    ['etc/cgroup.conf', 'etc/gres.conf', 'etc/slurm.conf']
    >>> place = Place("/tmp/bed", "host", "someone", (6817, 6818, 6819), (22, 5, 8))
    >>> files = configuration_files(Settings(nodes=1, accounting=True), place)
    >>> "DbdPort=6819" in files["etc/slurmdbd.conf"]
    True
    """
    texts = {
        CONFIGURATION: slurm_conf(settings, place),
        "etc/cgroup.conf": cgroup_conf(place.version),
    }
    if settings.gpus:
        devices = device_names(settings.gpus)
        texts["etc/gres.conf"] = "".join(f"Name=gpu File={place.folder}/{d}\n" for d in devices)
    if settings.accounting:
        texts["etc/slurmdbd.conf"] = _SLURMDBD_CONF.format(**vars(place), port=place.ports[-1])
    return texts


def slurm_conf(settings: Settings, place: Place) -> str:
    """The text of slurm.conf.

    >>> place = Place("/tmp/bed", "host", "someone", (6817, 6818), (22, 5, 8))
    >>> slurm_conf(Settings(nodes=1), place).splitlines()[-2][:59]
    'NodeName=n1 NodeHostname=host NodeAddr=127.0.0.1 Port=6818 '
    """
    top = _SLURM_CONF.format(
        **(vars(settings) | vars(place)),
        port=place.ports[0],
        storage=_accounting_storage(settings, place),
    )
    gpus = ("GresTypes=gpu", f"Gres=gpu:{settings.gpus} ") if settings.gpus else ("", "")
    nodes = [
        f"NodeName={name} NodeHostname={place.host} NodeAddr={place.address} Port={port}"
        f" CPUs={settings.cpus} Boards=1 SocketsPerBoard=1 CoresPerSocket={settings.cpus}"
        f" ThreadsPerCore=1 RealMemory={settings.mem_mb} {gpus[1]}State=UNKNOWN"
        for name, port in zip(settings.node_names, place.ports[1:], strict=False)
    ]
    partition = (
        f"PartitionName=main Nodes={','.join(settings.node_names)} Default=YES"
        " MaxTime=INFINITE DefaultTime=10 State=UP"
    )
    return top + "\n".join([gpus[0], settings.extra, *nodes, partition, ""])


def _accounting_storage(settings: Settings, place: Place) -> str:
    if not settings.accounting:
        return "AccountingStorageType=accounting_storage/none"
    return (
        "AccountingStorageType=accounting_storage/slurmdbd\n"
        f"AccountingStorageHost={place.address}\n"
        f"AccountingStoragePort={place.ports[-1]}"
    )


def cgroup_conf(version: tuple[int, ...]) -> str:
    """The text of cgroup.conf: without it, slurmd dies where no cgroups are mounted.

    >>> cgroup_conf((22, 5, 8)), cgroup_conf((24, 11, 5))
    ('CgroupPlugin=cgroup/v1\\n', 'CgroupPlugin=disabled\\n')
    """
    off = version >= _FIRST_VERSION_WITHOUT_CGROUPS
    return f"CgroupPlugin={'disabled' if off else 'cgroup/v1'}\n"


def device_names(gpus: int) -> tuple[str, ...]:
    """Paths of the devices in the folder: links to /dev/null, for slurmd wants real devices.

    >>> device_names(2)
    ('dev/nvidia0', 'dev/nvidia1')
    """
    return tuple(f"dev/nvidia{number}" for number in range(gpus))


def daemon_folders(settings: Settings) -> tuple[str, ...]:
    """The folders that the daemons expect to find."""
    spools = tuple(f"spool/{name}" for name in settings.node_names)
    return ("etc", "state", "log", "run", "dev", *spools)


def parse_version(text: str) -> tuple[int, ...]:
    """What `slurmd -V` says, as numbers.

    >>> parse_version("slurm-wlm 22.05.8")
    (22, 5, 8)
    """
    return tuple(int(part) for part in re.findall(r"\d+", text)[:3])
