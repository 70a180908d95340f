"""A folder with settings of its own in which benchmarks of the Slurm executor run."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.measuring import Command
from benchmarks.settings import ROOT
from skord.core.failures import PipelineError
from skord.core.storage.column_store import ColumnStore
from skord.core.storage.filesystem import Storage
from skord.slurm.submission.attempts import Attempt, attempts_in
from skord.slurm.testbed.cluster import Testbed

DUMP = "2024-10"


def in_own_folder(measured: Callable[[Path], bool]) -> int:
    """Measure in a new folder, which is removed.

    Args:
        measured: whether the limits were kept.

    Returns:
        The exit status: 0, 1 for limits that were not kept, 2 for an error, which is said.
    """
    folder = Path(tempfile.mkdtemp(prefix="skord-slurm-"))
    try:
        return int(not measured(folder))
    except PipelineError as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 2
    finally:
        shutil.rmtree(folder, ignore_errors=True)


SETTINGS = """\
[core]
no_lock = true
local_scheduler = true
autoload_range = false
[worker]
check_complete_on_run = true
[pipeline]
data_dir = {folder}/data
[crawl]
base_url = {url}
collinfo_url = {url}/collinfo.json
requests_per_s = 500
[executor]
kind = slurm
progress = false
log_dir = {folder}/logs
[DownloadWET]
num_shards_wanted = {shards}
[slurm]
mem_gb = {mem_gb}
"""
"""How the driver polls is left as users have it."""


@dataclass(frozen=True)
class Runs:
    """Where the commands run.

    Args:
        folder: gets `luigi.cfg`, `data/` and `logs/`.
        bed: the cluster.
        shards: how many there are.
        url: the crawl's endpoint.
        mem_gb: memory of an array task.
        more: further lines of settings.
    """

    folder: Path
    bed: Testbed
    shards: int
    url: str = "http://127.0.0.1:1"
    mem_gb: float = 1.0
    more: str = ""
    environment: Mapping[str, str] = field(init=False)

    def __post_init__(self) -> None:
        path = self.folder / "luigi.cfg"
        path.write_text(
            SETTINGS.format(
                folder=self.folder, url=self.url, shards=self.shards, mem_gb=self.mem_gb
            )
            + self.more
        )
        environment = {
            **self.bed.environment,
            "LUIGI_CONFIG_PATH": str(path),
            "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), os.getenv("PYTHONPATH")])),
        }
        object.__setattr__(self, "environment", environment)

    @property
    def store(self) -> ColumnStore:
        """What the commands write."""
        return ColumnStore(Storage(str(self.folder / "data")), DUMP)

    def start(self, name: str, *words: str) -> Command:
        """Start `python -m …`."""
        command = [sys.executable, "-m", *words]
        return Command(command, self.environment, self.folder, name)

    def luigi(self, name: str, module: str, task: str, *words: str) -> Command:
        """Start a driver."""
        return self.start(name, "luigi", "--module", module, task, "--dump", DUMP, *words)

    def last_attempt(self, task: str) -> Attempt | None:
        """The newest attempt at the task's last phase."""
        folders = sorted((self.folder / "logs" / task / DUMP / "slurm").glob("shard-*"))
        attempts = [attempt for folder in folders for attempt in attempts_in(folder)]
        return attempts[-1] if attempts else None
