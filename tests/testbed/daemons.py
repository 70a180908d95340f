"""The daemons of a testbed as Python sees them: started, broken and ended by the supervisor."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from skord.core.failures import PipelineError
from tests.testbed.configuration import CONFIGURATION, Place

CONTROLLER = "slurmctld"


class NotReadyError(PipelineError):
    """The daemons did not do as told; the message ends with the last lines of their logs."""


def of_cluster(folder: Path, nodes: Iterable[str]) -> dict[str, list[str]]:
    """The commands of the controller and of each node's slurmd, by their names."""
    configuration = ["-f", str(folder / CONFIGURATION)]
    slurmds = {node: ["slurmd", "-D", "-N", node, *configuration] for node in nodes}
    return {CONTROLLER: ["slurmctld", "-D", "-i", *configuration], **slurmds}


class Daemons:
    """A supervisor and what it runs; all of it ends with `stop`, or with this process.

    Args:
        place: where; the configuration lies there already.
        groups: commands by name; at the end each group is stopped before the next.
        environment: of the daemons.
    """

    def __init__(
        self, place: Place, groups: list[dict[str, list[str]]], environment: Mapping[str, str]
    ) -> None:
        self.place = place
        self.folder = folder = Path(place.folder)
        program = Path(__file__).with_name("supervisor.py")
        arguments = [str(folder), str(os.getpid()), json.dumps(groups)]
        with (folder / "log/supervisor.out").open("w") as output:
            self._supervisor = subprocess.Popen(
                [sys.executable, "-I", "-S", str(program), *arguments],
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=output,
                text=True,
                start_new_session=True,
            )

    def stop(self) -> None:
        """End all of them, and whatever they started; returns when all are gone."""
        with self._supervisor as supervisor, suppress(BrokenPipeError):
            if supervisor.stdin:
                supervisor.stdin.close()

    def tell(self, verb: str, name: str) -> None:
        """Have the supervisor do something to one of them; NotReadyError when it cannot."""
        supervisor = self._supervisor
        if supervisor.stdin is None or supervisor.stdout is None:
            raise NotReadyError("the supervisor has ended")
        with suppress(BrokenPipeError):
            supervisor.stdin.write(f"{verb} {name}\n")
            supervisor.stdin.flush()
        answer = supervisor.stdout.readline().strip() or "the supervisor has ended"
        if answer != "ok":
            raise NotReadyError(f"{answer}\n{last_lines(self.folder)}")

    def wait(self, name: str, is_ready: Callable[[], bool], timeout_s: float) -> None:
        """Wait until a daemon is ready; NotReadyError when it dies or takes too long."""
        end = time.monotonic() + timeout_s
        while not is_ready():
            self.tell("check", name)
            if time.monotonic() > end:
                raise NotReadyError(f"no {name} after {timeout_s:g} s:\n{last_lines(self.folder)}")
            time.sleep(0.02)


def last_lines(folder: Path, lines: int = 20) -> str:
    """The last lines of every log of a testbed, for messages about failures."""
    parts = []
    for path in sorted((folder / "log").glob("*")):
        last = path.read_text(errors="replace").splitlines()[-lines:]
        if last:
            parts.append("\n".join([f"==> {path} <==", *last]))
    return "\n".join(parts)
