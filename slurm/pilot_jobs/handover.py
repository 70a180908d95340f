"""Pilots that outlive their phase: from one attempt to the next, without a new submission.

    {log_dir}/pilots/812.json     the pilots of job 812 wait at this attempt
    {attempt}/next.json           and go on at that one

Where `pilot_idle_s` is set, a pilot whose queue is empty waits so long for `next.json` before it
ends. The driver offers such pilots when it has all it wanted of them, and whichever driver needs
pilots next that ask for the same takes the offer by renaming it, which only one can.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

from skord.slurm.monitoring.queue import queued_array_tasks
from skord.slurm.submission.attempts import Attempt, write_json

NEXT = "next.json"
OFFERS = "pilots"
OWN = ("--job-name=", "--array=", "--mem=", "--time=", "--signal=", "--output=")
"""Words of sbatch that differ between submissions that ask for the same kind of job."""


def offer_pilots(attempt: Attempt) -> None:
    """Let others know that the pilots of an attempt have nothing left to do."""
    folder = _offers_folder(attempt.folder)
    folder.mkdir(exist_ok=True)
    write_json(folder / f"{attempt.job_id}.json", {"attempt": str(attempt.folder)})


def take_over_pilots(
    phase_folder: Path, command: Sequence[str], script: str, mem_gb: float, most: int
) -> Attempt | None:
    """The attempt at which pilots wait that will do; they are nobody else's from then on.

    Args:
        phase_folder: of the attempts that are to be made.
        command: what would be submitted otherwise.
        mem_gb: the least memory that they must have.
        most: of how many pilots at most.
    """
    for path in sorted(_offers_folder(phase_folder / "attempt").glob("*.json")):
        try:
            attempt = Attempt(Path(json.loads(path.read_text())["attempt"]))
            manifest = attempt.manifest
            asked = json.loads((attempt.folder / "sbatch.json").read_text())
            run = (attempt.folder / "job.sh").read_text()
        except (OSError, ValueError, KeyError):
            continue
        rows = queued_array_tasks([manifest.name])
        if rows is not None and not any(row.active for row in rows):
            path.unlink(missing_ok=True)
        elif rows and manifest.mem_gb >= mem_gb and manifest.pilots <= most:
            alike = same_kind(asked, command) and _script_preamble(run) == _script_preamble(script)
            if alike and _claimed_offer(path):
                return attempt
    return None


def same_kind(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two submissions ask for jobs that could stand in for one another.

    >>> one = ["sbatch", "--mem=1M", "--qos=a", "/x/job.sh"]
    >>> [same_kind(one, ["sbatch", f"--qos={qos}", "/y/job.sh"]) for qos in "ab"]
    [True, False]
    """
    return _kind_of_command(one) == _kind_of_command(other)


def _kind_of_command(command: Sequence[str]) -> list[str]:
    return [word for word in command[:-1] if not word.startswith(OWN)]


def _script_preamble(script: str) -> list[str]:
    """What a script does before Python starts."""
    return [line for line in script.splitlines() if not line.startswith(("#", "exec "))]


def hand_over(before: Attempt, after: Attempt) -> None:
    """Send the pilots that wait at one attempt to another, and note whose job they are."""
    after.note_job(before.job_id)
    sbatch = (before.folder / "sbatch.json").read_text()
    (after.folder / "sbatch.json").write_text(sbatch)
    write_json(before.folder / NEXT, {"attempt": str(after.folder)})


def next_of(attempt: Attempt) -> Attempt | None:
    """Where the pilots that wait at an attempt go on, as soon as that is known."""
    try:
        return Attempt(Path(json.loads((attempt.folder / NEXT).read_text())["attempt"]))
    except FileNotFoundError:
        return None


def _offers_folder(attempt_folder: Path) -> Path:
    """{log_dir}/{Task}/{dump}/slurm/{phase}/{attempt} → {log_dir}/pilots."""
    return attempt_folder.parents[4] / OFFERS


def _claimed_offer(path: Path) -> bool:
    try:
        path.rename(path.with_name(f".{path.name}.{os.getpid()}"))
    except FileNotFoundError:
        return False
    path.with_name(f".{path.name}.{os.getpid()}").unlink(missing_ok=True)
    return True
