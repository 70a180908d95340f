"""One round: the graph under blows until it is through, and what is looked at in the end."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from skord.sample_crawl.faults import Faults
from skord.sample_crawl.server import CrawlServer
from tests.chaos.blows import Blows, at_work_in
from tests.chaos.views import FAKETIME, jumping_clock, late_disk
from tests.cluster.bench import SlurmBench
from tests.graph.bench import DUMP, LAST, Bench
from tests.testbed.cluster import NotReadyError, Testbed
from tests.testbed.configuration import Settings

ATTEMPTS = 4
"""After the last blow, so many calm runs may be given: one of them must get through."""

LATE_MS = 300
GOES_S = 240.0
"""A process of ours that outlives its driver so long is a leftover."""

VERIFY = ("-m", "skord", "verify", "--dump", DUMP)

WEATHERS = ("plain", "plain", "late disk", "clock", "two drivers", "full disk")


class ChaosError(Exception):
    """A round did not end as a calm run does."""


@dataclass
class Place:
    """What rounds have in common.

    Args:
        crawl: folder of the crawl.
        calm: digests of the calm run's files.
        stale_views: the library of `stale_views.c`.
        blows: how many fall in one round, at least.
        slowness: of the machine, see `Blows`.
        damages: so many times in a round a whole tree is damaged in several tasks, and mended.
    """

    crawl: Path
    calm: dict[str, str]
    stale_views: Path
    blows: int = 10
    slowness: float = 1.0
    damages: int = 3


@dataclass
class ChaosBench(Bench):
    """A bench whose processes see disk and clock as they are told to."""

    view: dict[str, str] = field(default_factory=dict)

    def environment(self) -> dict[str, str]:
        return {**super().environment(), **self.view}


def faults_of(dice: random.Random) -> Faults:
    """A server that misbehaves in every way, more or less."""
    kinds = ("unavailable", "forbidden", "truncated", "ignore_range", "corrupt", "slow")
    rates = {kind: dice.choice((0.0, 0.03, 0.1)) for kind in kinds}
    return Faults(seed=dice.randrange(1 << 30), slow_s=0.02, **rates)


def play_here(seed: str, folder: Path, place: Place, counts: Counter[str]) -> None:
    """A round with the local executor.

    Raises:
        ChaosError: it did not end as a calm run does; the folder tells how.
    """
    dice = random.Random(seed)
    blows = Blows(dice, folder, counts, place.slowness)
    with CrawlServer(place.crawl, faults_of(dice)) as server, small_disk(folder / "disk") as disk:
        bench = ChaosBench(folder, server.url, workers=2, coalesce_gap_bytes=0)
        data = (disk or folder) / "data"
        bench.data_dir = f"{data}\nmin_free_gb = 0"
        struck = 0
        while struck < place.blows:
            struck += _stretch(bench, blows, data, disk, place)
        bench.view = {}
        _end_calmly(bench, place)
        bench.data_dir = str(data)
        compare(bench, place)
        bench.data_dir = f"{data}\nmin_free_gb = 0"
        for _ in range(place.damages):
            _damaged_and_mended(bench, blows, data, place)


def _damaged_and_mended(bench: ChaosBench, blows: Blows, data: Path, place: Place) -> None:
    """Damage several tasks; one command, killed or not, must lead back to the calm tree.

    A command for the last task has to see what is damaged below it by itself. `verify` is asked
    afterwards, and may find nothing.
    """
    by_run = blows.dice.random() < 0.5
    blows.damage_tasks(data, with_kept=not by_run)
    blows.counts[f"mended by {'a run' if by_run else 'verify --repair'}"] += 1
    command = ("-m", "luigi", "--module", *LAST) if by_run else (*VERIFY, "--repair")
    for _ in range(blows.dice.randrange(3)):
        driver = bench.start(*command)
        kinds = {"kill group": lambda driver: os.killpg(driver.pid, signal.SIGKILL)}
        blows.strike(driver, kinds)
        _ended(driver)
    status, output = 1, ""
    for _ in range(ATTEMPTS):
        status, output = bench.run(*command)
        if status == 0:
            break
    if status:
        raise ChaosError(f"{ATTEMPTS} times {' '.join(command)} did not mend: {output[-2000:]}")
    status, output = bench.run(*VERIFY)
    if status:
        raise ChaosError(f"{' '.join(command)} passed over damage: {output[-2000:]}")
    bench.data_dir = str(data)
    compare(bench, place)
    bench.data_dir = f"{data}\nmin_free_gb = 0"


def _stretch(bench: ChaosBench, blows: Blows, data: Path, disk: Path | None, place: Place) -> int:
    """One start of the driver in some weather, and blows until it has ended; how many."""
    weather = blows.dice.choice(WEATHERS)
    told = bench.folder / "clock"
    bench.view = {}
    if weather == "late disk":
        bench.view = late_disk(place.stale_views, str(data), LATE_MS)
    elif weather == "clock" and FAKETIME.exists():
        bench.folder.mkdir(parents=True, exist_ok=True)
        told.write_text("+0\n")
        bench.view = jumping_clock(told)
    blows.counts[f"runs, {weather}"] += 1
    with contextlib.ExitStack() as stack:
        if weather == "full disk" and disk:
            stack.enter_context(blows.full_disk(disk))
        driver = bench.start("-m", "luigi", "--module", *LAST)
        second = bench.start("-m", "luigi", "--module", *LAST) if weather == "two drivers" else None
        struck = 0
        while driver.poll() is None and blows.strike(driver, blows.here()):
            struck += 1
            if bench.view and told.exists():
                blows.turn_clock(told)
        ended = [_ended(process) for process in (driver, second) if process]
    blows.counts.update(f"ended in {status}" for status in ended)
    if 0 in ended:
        blows.go_back(data)
    elif blows.dice.random() < 0.2:
        blows.lose_files(data)
    return struck


def _ended(driver: subprocess.Popen) -> int:
    driver.communicate(timeout=800)
    return driver.returncode


def play_there(seed: str, folder: Path, place: Place, counts: Counter[str]) -> None:
    """A round on a Slurm of its own.

    Raises:
        ChaosError: it did not end as a calm run does; the folder tells how.
    """
    dice = random.Random(seed)
    blows = Blows(dice, folder, counts, place.slowness)
    short = Path(tempfile.mkdtemp(prefix="skord-slurm-"))
    with (
        CrawlServer(place.crawl, faults_of(dice)) as server,
        Testbed(short, Settings(nodes=3)) as bed,
    ):
        bench = SlurmBench(folder, server.url, coalesce_gap_bytes=0, bed=bed)
        struck = 0
        while struck < place.blows:
            driver = bench.start("-m", "luigi", "--module", *LAST)
            while struck < place.blows and driver.poll() is None:
                struck += blows.strike(driver, blows.there(bed))
                mend(bed)
            while driver.poll() is None:
                mend(bed)
                time.sleep(0.5)
            counts[f"ended in {_ended(driver)}"] += 1
            if driver.returncode == 0:
                blows.go_back(Path(bench.data))
        mend(bed)
        _end_calmly(bench, place)
        compare(bench, place)


def mend(bed: Testbed) -> None:
    """Give nodes back, where a controller answers."""
    with contextlib.suppress(NotReadyError, subprocess.TimeoutExpired):
        bed.resume_nodes()


def _end_calmly(bench: Bench, place: Place) -> None:
    output = ""
    for _ in range(ATTEMPTS):
        status, output = bench.luigi(*LAST)
        if status == 0:
            return
    raise ChaosError(f"{ATTEMPTS} calm runs did not get through: {output[-2000:]}")


def compare(bench: Bench, place: Place) -> None:
    """The tree must be the calm one, and nothing be left behind."""
    made = bench.files()
    if made != place.calm:
        names = sorted(name for name in made | place.calm if made.get(name) != place.calm.get(name))
        raise ChaosError(f"{len(names)} files differ from the calm run: {names[:5]}")
    half_written = [str(path) for path in Path(bench.data, "_partial").glob("*")]
    if half_written:
        raise ChaosError(f"half-written files are left: {half_written[:5]}")
    end = time.monotonic() + GOES_S
    while left := at_work_in(bench.folder):
        if time.monotonic() > end:
            raise ChaosError(f"processes are left: {sorted(left)}")
        time.sleep(0.1)


@contextlib.contextmanager
def small_disk(folder: Path) -> Iterator[Path | None]:
    """A disk of 64 MB of its own; None where mounting one is not allowed."""
    folder.mkdir(parents=True)
    words = ["mount", "-t", "tmpfs", "-o", "size=64m", "skord-chaos", str(folder)]
    if subprocess.run(words, capture_output=True, check=False).returncode:
        yield None
        return
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def shown(counts: Counter[str]) -> str:
    """Counts as one line."""
    return json.dumps(dict(sorted(counts.items())))
