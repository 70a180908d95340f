"""Slurm's programs, run at the edge: how they are called, and how a job is handed in."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from skord.core.failures import ConfigError, PipelineError

TIMEOUT_S = 60.0

CONFIGURATION = "SLURM_CONF"
VARIABLES = ("SLURM", "SBATCH", "SQUEUE", "SACCT", "SCANCEL", "SCONTROL", "SINFO")

PASSING = (
    "socket timed out",
    "unable to contact slurm controller",
    "connection refused",
    "connection reset",
    "connection timed out",
    "temporarily",
    "zero bytes were transmitted",
    "in standby mode",
    "communication connection failure",
    "message receive failure",
    "no answer within",
)
"""Parts of sbatch's complaints, in lower case, after which the same may work later."""

FULL = ("submit limit", "submitjoblimit", "maxsubmit", "job violates accounting/qos policy")
"""Parts of sbatch's complaints about too many jobs; each array task counts as one."""


class RefusedError(PipelineError):
    """sbatch will never take this submission as it stands."""


class FullError(PipelineError):
    """sbatch takes no job more, or not that many at once."""


class BusyError(PipelineError):
    """sbatch gave no answer; it may even have taken the job."""


@dataclass(frozen=True)
class Answer:
    """What a program printed, and how it ended."""

    status: int
    output: str
    complaint: str


def environment_without_slurm(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment without what Slurm's programs would take for options.

    >>> given = {"SBATCH_PARTITION": "x", "SLURM_CONF": "/c", "PATH": "/bin"}
    >>> sorted(environment_without_slurm(given))
    ['PATH', 'SLURM_CONF']
    """
    return {
        name: value
        for name, value in environment.items()
        if name == CONFIGURATION or not name.startswith(tuple(f"{v}_" for v in VARIABLES))
    }


def call_program(
    command: Sequence[str], timeout_s: float = TIMEOUT_S, keep_open: int = -1
) -> Answer:
    """Run one program.

    Args:
        timeout_s: after so long it is killed.
        keep_open: a file that the program keeps open while it lives; -1 for none.

    Raises:
        ConfigError: there is no such program.
    """
    try:
        done = subprocess.run(
            command,
            env={**environment_without_slurm(os.environ), "SLURM_BITSTR_LEN": "0"},
            capture_output=True,
            text=True,
            errors="replace",
            timeout=timeout_s,
            check=False,
            pass_fds=() if keep_open < 0 else (keep_open,),
        )
    except FileNotFoundError as error:
        raise ConfigError(NO_SLURM) from error
    except subprocess.TimeoutExpired:
        return Answer(124, "", f"no answer within {timeout_s:g} s")
    return Answer(done.returncode, done.stdout, done.stderr.strip())


NO_SLURM = (
    "[executor] kind = slurm needs sbatch and squeue, which are not in PATH: start this on a "
    "login node of the cluster, or set kind = local"
)


def max_array_size() -> int:
    """The cluster's MaxArraySize; asking for it also shows that the controller answers.

    Raises:
        ConfigError: no Slurm here, or no answer.
    """
    if not all(map(shutil.which, ("sbatch", "squeue", "scontrol"))):
        raise ConfigError(NO_SLURM)
    answer = call_program(["scontrol", "show", "config"], timeout_s=30)
    match = re.search(r"^MaxArraySize\s*=\s*(\d+)", answer.output, re.MULTILINE)
    if answer.status or not match:
        raise ConfigError(
            "[executor] kind = slurm, but the cluster's controller does not answer "
            f"({answer.complaint or answer.output.strip()[:200]}): try `scontrol ping`"
        )
    return int(match[1])


def submit_job(command: Sequence[str], lock: int) -> str:
    """Run sbatch; returns the job's id.

    Args:
        command: with `--parsable`.
        lock: the driver's lock; sbatch holds it too, so that no driver that comes after a
            killed one can submit before this has ended.

    Raises:
        RefusedError, FullError, BusyError: it was not taken.
    """
    answer = call_program(command, timeout_s=120, keep_open=lock)
    if answer.status == 0:
        return job_id_in(answer.output)
    complaint = answer.complaint.lower()
    if any(part in complaint for part in FULL):
        raise FullError(complaint_of(answer.complaint))
    if any(part in complaint for part in PASSING):
        raise BusyError(complaint_of(answer.complaint))
    raise RefusedError(f"sbatch refused: {complaint_of(answer.complaint)}")


def job_id_in(output: str) -> str:
    """The id in what `sbatch --parsable` prints, whatever a site prints before it.

    >>> job_id_in("Welcome, 2 nodes are down\\n4711;cluster\\n")
    '4711'

    Raises:
        BusyError: there is none.
    """
    ids = re.findall(r"^(\d+)(?:;\S*)?\s*$", output, re.MULTILINE)
    if not ids:
        raise BusyError(f"sbatch printed no job id: {output.strip()[:200]!r}")
    return str(ids[-1])


def complaint_of(text: str) -> str:
    """A program's reasons in one line, without what a site greets its users with.

    >>> complaint_of("Welcome!\\nsbatch: error: no such partition")
    'no such partition'
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line.partition("error: ")[2] for line in lines if "error: " in line]
    return "; ".join(errors or lines) or "without a word"


def cancel_jobs(job_ids: Sequence[str]) -> None:
    """Cancel the jobs, queued or running."""
    if job_ids:
        call_program(["scancel", *job_ids])
