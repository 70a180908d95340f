"""What is done to a running driver; each kind ends with a driver that has ended, or runs on."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import subprocess
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

from tests.processes import workers_of
from tests.testbed.cluster import NotReadyError, Testbed

MOMENT_S = (0.3, 4.0)
"""A blow falls so long after the driver's start, or after the blow before, on a quick machine."""

CLOCK_JUMPS_S = (-86_400, -5_000, -1_500, -5, 5, 3_000, 86_400)


class Blows:
    """Blows at one driver, and how many of which kind there were.

    Args:
        dice: decides on kinds, moments and victims.
        folder: of the bench; what runs there, and nothing else, is struck.
        counts: added to.
        slowness: how many times a quick machine's time this one takes.
    """

    def __init__(
        self, dice: random.Random, folder: Path, counts: Counter[str], slowness: float = 1.0
    ) -> None:
        self.dice = dice
        self.folder = folder
        self.counts = counts
        self.slowness = slowness

    def strike(
        self, driver: subprocess.Popen, kinds: dict[str, Callable[..., bool | None]]
    ) -> bool:
        """Wait for a moment and strike; returns whether the driver was still at work then."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            driver.communicate(timeout=self.slowness * self.dice.uniform(*MOMENT_S))
            return False
        kind = self.dice.choice(
            sorted(kinds) + [kind for kind in sorted(kinds) if "kill" in kind] * 2
        )
        struck = True
        try:
            struck = kinds[kind](driver) is not False
        except NotReadyError:  # a busy machine; it comes up meanwhile
            self.counts["not up in time"] += 1
        self.counts[kind if struck else f"{kind}: none at work"] += 1
        return True

    # -- on this machine ---------------------------------------------------------------------

    def here(self) -> dict[str, Callable[..., bool | None]]:
        """Kinds of blows at a driver with workers of its own."""
        return {
            "kill driver": lambda driver: driver.send_signal(signal.SIGKILL),
            "kill group": lambda driver: os.killpg(driver.pid, signal.SIGKILL),
            "kill worker": self._kill_worker,
            "stop and go on": self._stop_and_go_on,
            "SIGTERM": lambda driver: driver.send_signal(signal.SIGTERM),
            "SIGHUP": lambda driver: driver.send_signal(signal.SIGHUP),
            "Ctrl-C": lambda driver: os.killpg(driver.pid, signal.SIGINT),
        }

    def _kill_worker(self, driver: subprocess.Popen) -> bool:
        return kill_one(workers_of(driver.pid))

    def _stop_and_go_on(self, driver: subprocess.Popen) -> None:
        os.killpg(driver.pid, signal.SIGSTOP)
        with contextlib.suppress(subprocess.TimeoutExpired):
            driver.wait(self.dice.uniform(0.1, 1.0))
        os.killpg(driver.pid, signal.SIGCONT)

    # -- on a cluster ------------------------------------------------------------------------

    def there(self, bed: Testbed) -> dict[str, Callable[..., bool | None]]:
        """Kinds of blows at a driver, and at the cluster that its work runs on."""
        return {
            "kill driver": lambda driver: driver.send_signal(signal.SIGKILL),
            "kill slurmd": lambda _: self._kill_slurmd(bed),
            "lose node": lambda _: self._lose_node(bed),
            "kill slurmctld": lambda _: self._kill_controller(bed),
            "kill worker": lambda _: self._kill_element(),
        }

    def _kill_slurmd(self, bed: Testbed) -> None:
        node = self.dice.choice(bed.nodes)
        bed.kill_slurmd(node)
        bed.start_slurmd(node)

    def _lose_node(self, bed: Testbed) -> None:
        node = self.dice.choice(bed.nodes)
        bed.kill_node(node)
        bed.down_node(node)
        bed.start_slurmd(node)
        bed.resume_node(node)

    def _kill_controller(self, bed: Testbed) -> None:
        bed.kill_controller()
        bed.start_controller()

    def _kill_element(self) -> bool:
        return kill_one(at_work_in(self.folder, "skord.slurm.worker"))

    # -- between two runs --------------------------------------------------------------------

    def go_back(self, data: Path) -> None:
        """Remove what a random task made, and all that came after it."""
        made = sorted(data.glob("*/*/_manifest.json"), key=lambda path: path.stat().st_mtime_ns)
        if made:
            for path in made[self.dice.randrange(len(made)) :]:
                shutil.rmtree(path.parent)
            self.counts["tasks removed"] += 1

    def lose_files(self, data: Path) -> None:
        """Remove or cut a few shards of the task that was at work last."""
        made = sorted(data.glob("*/*/[0-9]*.parquet"), key=lambda path: path.stat().st_mtime_ns)
        for path in made[-3:]:
            if self.dice.random() < 0.5:
                path.unlink()
            else:
                path.write_bytes(path.read_bytes()[: self.dice.randrange(2000)])
            self.counts["shards lost or cut"] += 1

    def damage_tasks(self, data: Path, *, with_kept: bool) -> None:
        """Damage several complete tasks at once, each in a way of its own.

        Args:
            data: folder of the tasks.
            with_kept: kept crawl files, too. Nobody misses one that is gone, and what is wrong in
                one that no task reads again, only `verify` sees.
        """
        made = sorted(path.parent for path in data.glob("*/*/_manifest.json"))
        for folder in self.dice.sample(made, min(self.dice.randint(2, 5), len(made))):
            shards = sorted(folder.glob("[0-9]*.parquet"))
            kept = sorted(
                path
                for path in folder.glob("*/*")
                if path.is_file() and (with_kept or path.parent.name != "files")
            )
            ways = ["shard removed", "shard cut", "bit flipped", "shards swapped", "shard copied",
                    "manifest removed", "task removed", *["file beside harmed"] * bool(kept)]  # fmt: skip
            way = self.dice.choice(ways)
            self.counts[f"damage, {way}"] += 1
            one, other = self.dice.choices(shards, k=2)
            if way == "task removed":
                shutil.rmtree(folder)
            elif way == "manifest removed":
                (folder / "_manifest.json").unlink()
            elif way == "file beside harmed":
                path = self.dice.choice(kept)
                ways = ["cut", "flipped", *["removed"] * (path.parent.name != "files")]
                self._harm(path, self.dice.choice(ways))
            elif way in ("shards swapped", "shard copied"):
                content = other.read_bytes()
                if way == "shards swapped":
                    other.write_bytes(one.read_bytes())
                one.write_bytes(content)
            else:
                self._harm(one, way.split()[1])

    def _harm(self, path: Path, way: str) -> None:
        content = bytearray(path.read_bytes())
        if way == "removed" or not content:
            path.unlink()
        elif way == "cut":
            path.write_bytes(content[: self.dice.randrange(len(content))])
        else:
            content[self.dice.randrange(len(content))] ^= 1 << self.dice.randrange(8)
            path.write_bytes(content)

    @contextlib.contextmanager
    def full_disk(self, disk: Path) -> Iterator[None]:
        """Fill the disk up but for some kilobytes, and make room again."""
        ballast = disk / "ballast"
        free = shutil.disk_usage(disk).free - self.dice.randrange(400_000)
        with ballast.open("wb") as file:
            os.posix_fallocate(file.fileno(), 0, max(free, 1))
        self.counts["full disk"] += 1
        try:
            yield
        finally:
            ballast.unlink()

    def turn_clock(self, told: Path) -> None:
        """Have the clock jump, as seen by whoever was started with `views.jumping_clock`."""
        jump = self.dice.choice(CLOCK_JUMPS_S)
        fresh = told.with_suffix(".next")
        fresh.write_text(f"{jump:+d}\n")
        fresh.replace(told)
        self.counts["clock jump"] += 1


def kill_one(processes: Collection[int]) -> bool:
    """Kill the first of them; returns whether there was one."""
    for pid in sorted(processes)[:1]:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
            return True
    return False


def at_work_in(folder: Path, word: str = "") -> set[int]:
    """Processes whose settings lie in the folder, as their environment tells."""
    actual = set()
    for place in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            settings = f"LUIGI_CONFIG_PATH={folder}/".encode() in (place / "environ").read_bytes()
            if settings and word.encode() in (place / "cmdline").read_bytes():
                actual.add(int(place.name))
    return actual
