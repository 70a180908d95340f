"""A real Slurm cluster on this machine alone, for tests and sample runs; up in about a second.

One slurmctld and several slurmd run from a folder, on free ports of loopback, as the user who
starts them. Nothing else is needed or touched: no root, systemd, munge, cgroups or /etc. If asked
to, a slurmdbd and a MariaDB of its own keep accounts for `sacct`, in the same folder.

* `configuration`  the cluster's files as text; pure
* `machine`        what it must know of this machine, and what it refuses
* `supervisor`     the one process that owns the daemons and all that jobs leave behind
* `daemons`        the same from outside: given commands, and waited for
* `accounting`     slurmdbd and its database, for a testbed that keeps accounts
* `cluster`        `Testbed`: start, break, mend and stop it from Python
* `__main__`       `python -m tests.testbed run`

Authentication is `auth/none`: whoever can reach loopback on this machine can submit jobs as the
user who started the cluster. It is for machines whose users trust one another.
"""
