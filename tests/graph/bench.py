"""Crawls of different sizes, a server for them, and runs of the real command."""

import hashlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from skord.core.made_with import MADE_WITH
from skord.core.storage.column_store import ColumnStore
from skord.core.storage.filesystem import Storage
from tests.conftest import ROOT
from tests.forked import run_forked

DUMP = "2024-10"
LAST = ("pipeline.dedup", "DeduplicateIndividually", "--dumps", DUMP)
BEFORE = ("DownloadWET", "HashParagraphs", "CCNet", "CCIndex")
"""Tasks upstream of those that may carry shards on."""

SETTINGS = """\
[core]
autoload_range = false
no_lock = true
local_scheduler = {local_scheduler}
default_scheduler_port = {scheduler_port}
log_level = INFO
[worker]
check_complete_on_run = true
[retcode]
already_running = 10
missing_data = 20
not_run = 25
task_failed = 30
scheduling_error = 35
unhandled_exception = 40
[pipeline]
data_dir = {data_dir}
batch_documents = {batch_documents}
[crawl]
base_url = {url}
collinfo_url = {url}/collinfo.json
rate_limit_dir = {folder}/budget
requests_per_s = 500
connections = 8
coalesce_gap_bytes = {coalesce_gap_bytes}
read_timeout_s = 5
attempts = 8
backoff_s = 0.02
max_backoff_s = 0.2
cool_down_s = 0.02
[executor]
workers = {workers}
progress = false
log_dir = {folder}/logs
[DownloadWET]
num_shards_wanted = {num_shards}
[CCNet]
num_partitions = {num_partitions}
[Deduplicate]
num_partitions = {num_partitions}
"""


LISTENING = """\
import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
"""
"""Starts Python so that Ctrl-C reaches it; who runs in the background passes on deaf ears."""


@dataclass
class Bench:
    """A folder with settings of its own, and the command on it.

    Items are made in the driver's process where the workers are none of the test's: a pool takes
    seconds to start.
    """

    folder: Path
    url: str
    data_dir: str = ""
    workers: int = 0
    num_shards: int = 3
    num_partitions: int = 3
    batch_documents: int = 500
    extra: str = ""
    local_scheduler: str = "true"
    scheduler_port: int = 8082
    coalesce_gap_bytes: int = 65536
    drivers: list[subprocess.Popen] = field(default_factory=list)
    """All that were started here."""

    @property
    def data(self) -> str:
        return self.data_dir or str(self.folder / "data")

    @property
    def store(self) -> ColumnStore:
        return ColumnStore(Storage(self.data), DUMP)

    def environment(self) -> dict[str, str]:
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / "luigi.cfg"
        values = {**vars(self), "data_dir": self.data}
        path.write_text(SETTINGS.format(**values) + self.extra)
        return {**os.environ, "LUIGI_CONFIG_PATH": str(path)}

    def start(self, *arguments: str, **streams: int) -> subprocess.Popen:
        driver = subprocess.Popen(
            [sys.executable, "-c", LISTENING, *arguments],
            env=self.environment(),
            cwd=self.folder if self.folder.exists() else ROOT,
            **{"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, **streams},
            text=True,
            start_new_session=True,
        )
        self.drivers.append(driver)
        return driver

    def end_drivers(self) -> None:
        """Kill what a failed test has left running, so that no later test is held to account."""
        for driver in self.drivers:
            driver.kill()
            driver.wait()
            if driver.stdout is not None:
                driver.stdout.close()

    def run(self, *arguments: str) -> tuple[int, str]:
        """Run `python -m MODULE …`, given from "-m" on; returns its status and all that it says."""
        assert arguments[0] == "-m"
        env = self.environment()
        done = run_forked(arguments[1:], env=env, cwd=self.folder, one_stream=True)
        return done.returncode, done.stdout

    def luigi(self, module: str, *arguments: str) -> tuple[int, str]:
        return self.run("-m", "luigi", "--module", module, *arguments)

    def copy_tasks(self, other: "Bench", tasks: Iterable[str]) -> None:
        """Have what another bench has of some tasks, and its notes that they are complete."""
        for task in tasks:
            for path in (task, f"_complete/{task}"):
                shutil.copytree(Path(other.data, path), Path(self.data, path))

    def files(self) -> dict[str, str]:
        """Digest of every file of the result, by path; history and locks left out."""
        return digests(Path(self.data))

    def written(self) -> dict[str, int]:
        """Time of last change of every file of the result."""
        root = Path(self.data)
        return {name: (root / name).stat().st_mtime_ns for name in self.files()}


def kill_group(process: subprocess.Popen) -> None:
    """Kill -9 a driver; its workers must follow by themselves."""
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()


def wait_until(condition, seconds=300.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.02)


NO_RESULTS = {"_partial", "_ledger", "_budget", "_locks", MADE_WITH}
"""Parts of paths under a data folder that tell when, by whom and with which settings."""


def digests(data: Path) -> dict[str, str]:
    """Every file of a data folder by its path, but what tells when and how it was made."""
    return {
        str(path.relative_to(data)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(data.rglob("*"))
        if path.is_file() and not NO_RESULTS & set(path.relative_to(data).parts)
    }
