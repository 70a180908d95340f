"""`Testbed`: a throw-away Slurm cluster, from `with` until its end.

    with Testbed(Path(tempfile.mkdtemp(prefix="skord-slurm-"))) as bed:
        bed.run("sbatch", "--wrap", "echo hello")

Poll `squeue` or the job's files for a job's end: `sbatch --wait` looks ever more seldom, up to
ten seconds late. Job ids begin at 1 in every testbed.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.testbed import accounting as accounts
from tests.testbed.configuration import (
    CONFIGURATION,
    USUAL,
    Place,
    Settings,
    configuration_files,
    daemon_folders,
    device_names,
)
from tests.testbed.daemons import CONTROLLER, Daemons, NotReadyError, last_lines, of_cluster
from tests.testbed.machine import client_environment, find_place, is_listening, missing_programs

__all__ = ["NotReadyError", "Testbed", "missing_programs"]

USABLE = frozenset({"idle", "mixed", "allocated", "completing"})
"""States of a node that takes jobs, as sinfo spells them; a node that is silent ends in `*`."""

_READY_TIMEOUT_S = 300.0


class Testbed:
    """One slurmctld and several slurmd on this machine, and all that their jobs start.

    With `accounting` also a slurmdbd and its database, so that sacct knows jobs that squeue has
    forgotten; a job appears there some seconds after it began.

    Everything ends with `stop`, or with this process, however it dies.

    Args:
        folder: a short absolute path without spaces; made when missing, never removed. A second
            testbed in the folder of an ended one goes on with its jobs and ids.
        settings: what it is like.

    Attributes:
        nodes: the nodes' names.
        environment: for processes that call sbatch: this one's, with SLURM_CONF set and no other
            variable that Slurm listens to.

    Raises:
        ConfigError: the cluster cannot run here; the message says what to do.
        NotReadyError: it should, but did not.
    """

    __test__ = False  # not a class of tests, whatever pytest makes of its name

    def __init__(self, folder: Path, settings: Settings = USUAL) -> None:
        self.folder = folder.resolve()
        self.settings = settings
        self.nodes = self.settings.node_names
        self.environment = client_environment(os.environ, self.folder / CONFIGURATION)
        self._daemons: Daemons | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()

    # -- life ----------------------------------------------------------------------------

    def start(self) -> None:
        """Write the configuration, start all daemons and wait until every node takes jobs."""
        with ExitStack() as undo:
            place = self._write_configuration()
            accounting = accounts.accounting_daemons(place) if self.settings.accounting else []
            undo.callback(self.stop)
            self._daemons = Daemons(
                place, [of_cluster(self.folder, self.nodes), *accounting], self.environment
            )
            if accounting:
                accounts.start_database(self._daemons, _READY_TIMEOUT_S)
                self.start_accounting()
            for name in (CONTROLLER, *self.nodes):
                self._tell("start", name)
            self.wait_for_nodes(self.nodes)
            if accounting:
                self._daemons.wait(accounts.STORAGE, self._has_accounts, _READY_TIMEOUT_S)
            undo.pop_all()

    def stop(self) -> None:
        """End the daemons, the jobs and whatever escaped from them; returns when all are gone."""
        daemons, self._daemons = self._daemons, None
        if daemons is not None:
            daemons.stop()

    def _write_configuration(self) -> Place:
        accounting = self.settings.accounting
        ports = 1 + len(self.nodes) + accounting
        place = find_place(self.folder, ports, self.environment, accounting=accounting)
        for name in daemon_folders(self.settings):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        for name, text in configuration_files(self.settings, place).items():
            (self.folder / name).write_text(text)
            (self.folder / name).chmod(0o600)  # slurmdbd insists
        for name in device_names(self.settings.gpus):
            (self.folder / name).unlink(missing_ok=True)
            (self.folder / name).symlink_to(os.devnull)
        return place

    # -- use -----------------------------------------------------------------------------

    def run(self, *command: str | Path, timeout_s: float = 300) -> subprocess.CompletedProcess[str]:
        """Run a command, such as sbatch, to its end; the caller judges its return code."""
        return subprocess.run(
            command,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=timeout_s,
        )

    def node_states(self) -> dict[str, str]:
        """Each node's state as sinfo says it: `idle`, `mixed`, `down*`; empty when it cannot."""
        listed = self.run("sinfo", "--noheader", "--Node", "--format=%N %T").stdout
        return dict(line.split() for line in listed.splitlines())

    def wait_for_nodes(self, names: Iterable[str]) -> None:
        """Wait until the nodes take jobs; NotReadyError when they do not, or a daemon died."""
        wanted = set(names)
        self._wait_for_port(CONTROLLER)
        end = time.monotonic() + _READY_TIMEOUT_S
        while not {name for name, state in self.node_states().items() if state in USABLE} >= wanted:
            for name in wanted:
                self._tell("check", name)
            if time.monotonic() > end:
                told = f"no Slurm after {_READY_TIMEOUT_S:g} s, nodes {self.node_states()}"
                raise NotReadyError(f"{told}:\n{self.logs()}")
            time.sleep(0.05)

    def logs(self, lines: int = 20) -> str:
        """The last lines of every log, for messages about failures."""
        return last_lines(self.folder, lines)

    # -- faults --------------------------------------------------------------------------

    def kill_node(self, name: str) -> None:
        """Lose a node as by a power cut: its slurmd, its job steps and all they started.

        Slurm marks it DOWN after about 3 × `slurmd_timeout_s`, or at once by `down_node`.
        """
        self._tell("lose", name)

    def kill_slurmd(self, name: str) -> None:
        """SIGKILL to a node's slurmd alone; its jobs go on."""
        self._tell("kill", name)

    def start_slurmd(self, name: str) -> None:
        """Start a node's slurmd again; a node that was taken down also needs `resume_node`."""
        self._tell("start", name)

    def kill_controller(self) -> None:
        """SIGKILL to slurmctld. What it learnt in the last seconds may not have been saved."""
        self._tell("kill", CONTROLLER)

    def start_controller(self) -> None:
        """Start slurmctld again and wait until it answers."""
        self._tell("start", CONTROLLER)
        self._wait_for_port(CONTROLLER)

    def kill_accounting(self) -> None:
        """SIGKILL to slurmdbd; the controller keeps what it has to tell it until it is back."""
        self._tell("kill", accounts.STORAGE)

    def start_accounting(self) -> None:
        """Start slurmdbd, for the first time or again, and wait until it answers."""
        self._tell("start", accounts.STORAGE)
        self._wait_for_port(accounts.STORAGE)

    def _has_accounts(self) -> bool:
        known = self.run("sacctmgr", "--noheader", "list", "cluster", "format=Cluster").stdout
        return bool(known.strip()) and self.run("sacct").returncode == 0

    def down_node(self, name: str) -> None:
        """Have the controller give a node up: its jobs are requeued, or end as NODE_FAIL.

        Drained first, for a sign of life, even a late one, undoes DOWN (ReturnToService=2).
        """
        self._scontrol("update", f"NodeName={name}", "State=DRAIN", "Reason=testbed")
        self._scontrol("update", f"NodeName={name}", "State=DOWN", "Reason=testbed")

    def resume_node(self, name: str) -> None:
        """Give a node that was taken down back to the cluster, unless it is back already."""
        try:
            self._scontrol("update", f"NodeName={name}", "State=RESUME")
        except NotReadyError:  # Slurm refuses to resume a node that came back by itself
            if self.node_states().get(name) not in USABLE:
                raise

    def resume_nodes(self) -> None:
        """What an administrator does: give back the nodes that the controller has no trust in."""
        for name, state in self.node_states().items():
            if state.startswith(("drain", "down")):
                self.resume_node(name)

    def _scontrol(self, *arguments: str) -> None:
        done = self.run("scontrol", *arguments)
        if done.returncode:
            raise NotReadyError(f"scontrol {' '.join(arguments)}: {done.stderr}{self.logs()}")

    def _tell(self, verb: str, name: str) -> None:
        self._running().tell(verb, name)

    def _running(self) -> Daemons:
        if self._daemons is None:
            raise NotReadyError("the testbed is not running")
        return self._daemons

    def _wait_for_port(self, name: str) -> None:
        place = self._running().place
        port = place.ports[0 if name == CONTROLLER else -1]
        self._running().wait(name, lambda: is_listening(place.address, port), _READY_TIMEOUT_S)
