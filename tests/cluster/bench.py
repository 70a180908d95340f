"""A bench whose shards run on the testbed."""

import contextlib
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from skord.sample_crawl.server import CrawlServer
from skord.slurm.monitoring.heartbeat import Heartbeat
from skord.slurm.submission.attempts import Attempt, attempts_in
from tests.graph.bench import DUMP, Bench
from tests.testbed.cluster import Testbed

QUICK = {"mem_gb": 0.8, "time_min": 10, "poll_s": 0.2, "max_poll_s": 0.5, "grace_s": 1, "warn_s": 4}
"""So that a test does not wait for what people on a cluster would not notice."""

DOWNLOAD = ("pipeline.cc_net", "DownloadWET", "--dump", DUMP)


@dataclass
class SlurmBench(Bench):
    """A folder with settings of its own, and the command on it."""

    bed: Testbed = None
    slurm: dict[str, object] = field(default_factory=dict)
    server: CrawlServer | None = None
    """Whose files come slowly."""

    @contextlib.contextmanager
    def slower(self, slow_s: float = 2.5) -> Iterator[None]:
        """Let files take eight times this long: what is seen at work is at work when it is hit."""
        assert self.server
        usual, self.server.faults = self.server.faults, replace(self.server.faults, slow_s=slow_s)
        try:
            yield
        finally:
            self.server.faults = usual

    def environment(self) -> dict[str, str]:
        environment = super().environment()
        path = Path(environment["LUIGI_CONFIG_PATH"])
        lines = (f"{name} = {value}\n" for name, value in {**QUICK, **self.slurm}.items())
        text = path.read_text().replace("[executor]\n", "[executor]\nkind = slurm\n")
        path.write_text(f"{text}[slurm]\n{''.join(lines)}")
        return {**environment, **self.bed.environment, "LUIGI_CONFIG_PATH": str(path)}

    def download(self) -> tuple[int, str]:
        """Run the first task to its end."""
        return self.luigi(*DOWNLOAD)

    def start_download(self, **streams: int) -> subprocess.Popen:
        """Start a driver of the first task."""
        return self.start("-m", "luigi", "--module", *DOWNLOAD, **streams)

    def attempts(self, task: str = "DownloadWET", phase: str = "shard") -> list[Attempt]:
        """All attempts at a phase."""
        folders = (self.folder / "logs" / task / DUMP / "slurm").glob(f"{phase}-*")
        return [attempt for folder in sorted(folders) for attempt in attempts_in(folder)]

    def heartbeat(
        self, index: int, attempt: int = 0, task: str = "DownloadWET"
    ) -> Heartbeat | None:
        """What one array task of an attempt said last."""
        attempts = self.attempts(task)
        return attempts[attempt].heartbeat(index) if len(attempts) > attempt else None

    def at_work(self, index: int, attempt: int = 0, task: str = "DownloadWET") -> bool:
        """Whether a array task is making an item right now."""
        words = self.heartbeat(index, attempt, task)
        return words is not None and words.item is not None

    def starts(self) -> list[int]:
        """Every item begun on, as the logs tell it, in all attempts."""
        lines = [
            line
            for attempt in self.attempts()
            for log in sorted((attempt.folder / "logs").glob("*.out"))
            for line in log.read_text().splitlines()
        ]
        return sorted(int(line.rpartition("item=")[2]) for line in lines if "event=start" in line)


def finished(driver: subprocess.Popen) -> str:
    """What a driver printed until its end, which must be a good one."""
    output = driver.communicate(timeout=800)[0]
    assert driver.returncode == 0, output
    return output
