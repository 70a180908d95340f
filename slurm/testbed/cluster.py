"""`Testbed`: a throw-away Slurm cluster, from `with` until its end.

    with Testbed(Path(tempfile.mkdtemp(prefix="skord-slurm-"))) as bed:
        bed.run("sbatch", "--wrap", "echo hello")

Poll `squeue` or the job's files for a job's end: `sbatch --wait` looks ever more seldom, up to
ten seconds late. Job ids begin at 1 in every testbed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterable
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from pipeline.core.failures import PipelineError
from slurm.testbed.configuration import CONFIGURATION, Settings, device_names, files, folders
from slurm.testbed.machine import client_environment, find_place, is_listening, missing_programs
from slurm.testbed.supervisor import CONTROLLER

__all__ = ["NotReadyError", "Testbed", "missing_programs"]

USABLE = frozenset({"idle", "mixed", "allocated", "completing"})
"""States of a node that takes jobs, as sinfo spells them; a node that is silent ends in `*`."""

_READY_TIMEOUT_S = 30.0


class NotReadyError(PipelineError):
    """The daemons did not do as told; the message ends with the last lines of their logs."""


class Testbed:
    """One slurmctld and several slurmd on this machine, and all that their jobs start.

    Everything ends with `stop`, or with this process, however it dies.

    Args:
        folder: a short absolute path without spaces; made when missing, never removed. A second
            testbed in the folder of an ended one goes on with its jobs and ids.
        nodes and the others: see `configuration.Settings`.

    Attributes:
        nodes: the nodes' names.
        environment: for processes that call sbatch: this one's, with SLURM_CONF set and no other
            variable that Slurm listens to.

    Raises:
        ConfigError: the cluster cannot run here; the message says what to do.
        NotReadyError: it should, but did not.
    """

    __test__ = False  # not a class of tests, whatever pytest makes of its name

    def __init__(
        self,
        folder: Path,
        nodes: int = 4,
        cpus: int = 4,
        mem_mb: int = 2000,
        gpus: int = 0,
        slurmd_timeout_s: int = 10,
        kill_wait_s: int = 2,
        min_job_age_s: int = 300,
        max_array_size: int = 1001,
        extra: str = "",
    ) -> None:
        self.folder = folder.resolve()
        self.settings = Settings(
            nodes, cpus, mem_mb, gpus, slurmd_timeout_s, kill_wait_s, min_job_age_s, max_array_size,
            extra,
        )  # fmt: skip
        self.nodes = self.settings.node_names
        self.environment = client_environment(os.environ, self.folder / CONFIGURATION)
        self._supervisor: subprocess.Popen[str] | None = None
        self._port = 0

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
            self._write_configuration()
            undo.callback(self.stop)
            self._supervisor = self._start_supervisor()
            for name in (CONTROLLER, *self.nodes):
                self._tell("start", name)
            self.wait_for_nodes(self.nodes)
            undo.pop_all()

    def stop(self) -> None:
        """End the daemons, the jobs and whatever escaped from them; returns when all are gone."""
        supervisor, self._supervisor = self._supervisor, None
        if supervisor is None:
            return
        with supervisor, suppress(BrokenPipeError):
            if supervisor.stdin:
                supervisor.stdin.close()

    def _write_configuration(self) -> None:
        place = find_place(self.folder, 1 + len(self.nodes), self.environment)
        self._port = place.ports[0]
        for name in folders(self.settings):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        for name, text in files(self.settings, place).items():
            (self.folder / name).write_text(text)
        for name in device_names(self.settings.gpus):
            (self.folder / name).unlink(missing_ok=True)
            (self.folder / name).symlink_to(os.devnull)

    def _start_supervisor(self) -> subprocess.Popen[str]:
        program = Path(__file__).with_name("supervisor.py")
        arguments = [str(self.folder), str(os.getpid()), *self.nodes]
        with (self.folder / "log/supervisor.out").open("w") as output:
            return subprocess.Popen(
                [sys.executable, "-I", "-S", str(program), *arguments],
                env=self.environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=output,
                text=True,
                start_new_session=True,
            )

    # -- use -----------------------------------------------------------------------------

    def run(self, *command: str | Path, timeout_s: float = 60) -> subprocess.CompletedProcess[str]:
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

    def wait_for_nodes(self, names: Iterable[str], timeout_s: float = _READY_TIMEOUT_S) -> None:
        """Wait until the nodes take jobs; NotReadyError when they do not, or a daemon died."""
        wanted = set(names)
        self._wait_for_controller(timeout_s)
        end = time.monotonic() + timeout_s
        while not {name for name, state in self.node_states().items() if state in USABLE} >= wanted:
            for name in wanted:
                self._tell("check", name)
            if time.monotonic() > end:
                raise NotReadyError(
                    f"no Slurm after {timeout_s:g} s, nodes {self.node_states()}:\n{self.logs()}"
                )
            time.sleep(0.05)

    def logs(self, lines: int = 20) -> str:
        """The last lines of every log, for messages about failures."""
        parts = []
        for path in sorted((self.folder / "log").glob("*")):
            last = path.read_text(errors="replace").splitlines()[-lines:]
            if last:
                parts.append("\n".join([f"==> {path} <==", *last]))
        return "\n".join(parts)

    # -- trouble -------------------------------------------------------------------------

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

    def stop_controller(self) -> None:
        """End slurmctld in good order, its state saved."""
        self._tell("term", CONTROLLER)

    def start_controller(self) -> None:
        """Start slurmctld again and wait until it answers."""
        self._tell("start", CONTROLLER)
        self._wait_for_controller(_READY_TIMEOUT_S)

    def down_node(self, name: str) -> None:
        """Have the controller give a node up: its jobs are requeued, or end as NODE_FAIL.

        Drained first, for a sign of life, even a late one, undoes DOWN (ReturnToService=2).
        """
        self._scontrol("update", f"NodeName={name}", "State=DRAIN", "Reason=testbed")
        self._scontrol("update", f"NodeName={name}", "State=DOWN", "Reason=testbed")

    def resume_node(self, name: str) -> None:
        """Give a node that was taken down back to the cluster."""
        self._scontrol("update", f"NodeName={name}", "State=RESUME")

    def _scontrol(self, *arguments: str) -> None:
        done = self.run("scontrol", *arguments)
        if done.returncode:
            raise NotReadyError(f"scontrol {' '.join(arguments)}: {done.stderr}{self.logs()}")

    def _tell(self, verb: str, name: str) -> None:
        supervisor = self._supervisor
        if supervisor is None or supervisor.stdin is None or supervisor.stdout is None:
            raise NotReadyError("the testbed is not running")
        with suppress(BrokenPipeError):
            supervisor.stdin.write(f"{verb} {name}\n")
            supervisor.stdin.flush()
        answer = supervisor.stdout.readline().strip() or "the supervisor has ended"
        if answer != "ok":
            raise NotReadyError(f"{answer}\n{self.logs()}")

    def _wait_for_controller(self, timeout_s: float) -> None:
        end = time.monotonic() + timeout_s
        while not is_listening(self._port):
            self._tell("check", CONTROLLER)
            if time.monotonic() > end:
                raise NotReadyError(f"no slurmctld after {timeout_s:g} s:\n{self.logs()}")
            time.sleep(0.02)
