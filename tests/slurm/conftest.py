"""Programs in front of Slurm's own: they say what a test has them say, and note the question."""

import os
import shlex

import pytest

from skord.core.work_item import Resources, WorkItems
from skord.slurm.settings import SlurmSettings
from skord.slurm.submission.submitter import Submitter


class Programs:
    """`sbatch`, `squeue` and the others of one folder.

    Each prints `NAME.out`, complains `NAME.err`, ends with `NAME.status`, and adds its words to
    `NAME.asked`. `squeue` shows nothing until told otherwise; `sbatch` counts its jobs from 101.
    """

    def __init__(self, folder) -> None:
        self.folder = folder
        folder.mkdir()
        for name in ("sbatch", "squeue", "scancel", "scontrol"):
            path, at = folder / name, shlex.quote(str(folder / name))
            number = f"n=$(wc -l < {at}.asked); echo $((100 + n))" if name == "sbatch" else ":"
            path.write_text(
                f'#!/bin/sh\necho "$@" >> {at}.asked\n'
                f"if [ -e {at}.out ]; then cat {at}.out; "
                f"elif [ ! -e {at}.status ]; then {number}; fi\n"
                f"if [ -e {at}.err ]; then cat {at}.err >&2; fi\n"
                f"exit $(cat {at}.status 2>/dev/null || echo 0)\n"
            )
            path.chmod(0o755)

    def say(self, name: str, *lines: str) -> None:
        self._put(name, "out", "".join(f"{line}\n" for line in lines))

    def refuse(self, name: str, complaint: str, status: int = 1) -> None:
        self._put(name, "err", f"{complaint}\n")
        self._put(name, "status", str(status))

    def relent(self, name: str) -> None:
        for ending in ("err", "status", "out"):
            (self.folder / f"{name}.{ending}").unlink(missing_ok=True)

    def asked(self, name: str) -> list[str]:
        path = self.folder / f"{name}.asked"
        return path.read_text().splitlines() if path.exists() else []

    def _put(self, name: str, ending: str, text: str) -> None:
        (self.folder / f"{name}.{ending}").write_text(text)


@pytest.fixture
def programs(tmp_path, monkeypatch):
    made = Programs(tmp_path / "bin")
    monkeypatch.setenv("PATH", str(made.folder), prepend=os.pathsep)
    return made


@pytest.fixture
def there() -> set[int]:
    """The items whose files are in place."""
    return set()


@pytest.fixture
def submitter(tmp_path, there):
    """Makes the way into the queue for some items, with settings of the test's own."""

    def made(items: int = 4, max_array: int = 1000, **settings: object) -> Submitter:
        work = WorkItems(
            "CCNet", "2024-10", "shard", "{}", "f00d", ("--CCNet-rule", "top"), "/data",
            tuple(range(items)), is_done=there.__contains__, is_written=there.__contains__,
        )  # fmt: skip
        chosen = SlurmSettings(poll_s=0.05, max_poll_s=0.05, grace_s=0, **settings)
        return Submitter(work, Resources(2.0), tmp_path / "attempts", chosen, max_array, -1)

    return made
