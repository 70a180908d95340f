"""The accounts of a testbed: slurmdbd, and a MariaDB of its own behind it, for `sacct` to read.

The database lies in the testbed's folder and is reached by a unix socket there alone, by nobody
but the user who runs the testbed. It takes some 25 MB of disk and 100 MB of memory.
"""

from __future__ import annotations

import os
import socket

from tests.testbed.configuration import Place
from tests.testbed.daemons import Daemons

STORAGE = "slurmdbd"
"""What keeps the accounts, as the supervisor calls it."""

DATABASE = "mariadbd"
"""What slurmdbd keeps them in, likewise."""

_SOCKET = "run/database.sock"

_SCRIPT = """\
set -e
umask 077
options="--no-defaults {as_user} --tmpdir={folder}/run --innodb-log-file-size=4M"
# No waiting for the disk: what is written outlives the server, if not the machine.
options="$options --innodb-flush-method=nosync --debug-no-sync"
data={folder}/database
if [ ! -d $data ]; then
    rm -rf $data.new
    mariadb-install-db $options --datadir=$data.new --skip-test-db --skip-name-resolve \\
        --auth-root-authentication-method=socket --auth-root-socket-user={user}
    mv $data.new $data
fi
exec mariadbd $options --datadir=$data --socket={folder}/{socket} --skip-networking \\
    --pid-file={folder}/run/mariadbd.pid
"""


def accounting_daemons(place: Place) -> list[dict[str, list[str]]]:
    """The commands of both by their names, in the order in which they are to be stopped."""
    as_user = "" if os.geteuid() else f"--user={place.user}"  # root's must be told that it may
    script = _SCRIPT.format(**vars(place), socket=_SOCKET, as_user=as_user)
    return [
        {STORAGE: ["env", f"MYSQL_UNIX_PORT={place.folder}/{_SOCKET}", "slurmdbd", "-D"]},
        {DATABASE: ["sh", "-c", script]},
    ]


def start_database(running: Daemons, timeout_s: float) -> None:
    """Start the database and wait until it answers: slurmdbd would ask only every five seconds."""

    def answers() -> bool:
        with socket.socket(socket.AF_UNIX) as probe:
            return probe.connect_ex(str(running.folder / _SOCKET)) == 0

    running.tell("start", DATABASE)
    running.wait(DATABASE, answers, timeout_s)
