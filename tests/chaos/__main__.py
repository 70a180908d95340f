"""`python -m tests.chaos --minutes 30 --seed 1`: rounds until the time is up, and a summary.

The first round that does not end as a calm run does ends the campaign with status 1; its folder
is kept, and its seed is said. `--rounds` plays so many and no more, whatever the time.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from skord.cli.sample import build
from skord.sample_crawl.faults import NO_FAULTS
from skord.sample_crawl.server import CrawlServer
from tests.chaos.rounds import ChaosError, Place, play_here, play_there, shown
from tests.chaos.views import FAKETIME, built_stale_views
from tests.graph.bench import DUMP, LAST, Bench
from tests.testbed.cluster import missing_programs

SLURM_EVERY = 3
"""Each third round is played on a cluster, where there is one."""

QUICK_S = 20.0
"""A calm run takes so long on a machine that has nothing else to do."""

KILLS = ("kill driver", "kill group", "kill worker", "kill slurmd", "lose node", "kill slurmctld")


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    made.add_argument("--minutes", type=float, default=30)
    made.add_argument("--seed", type=int, default=1)
    made.add_argument("--first-round", type=int, default=0, help="to play one again by its number")
    made.add_argument("--rounds", type=int, help="so many, whatever the time")
    made.add_argument("--blows", type=int, default=10, help="in each round, at least")
    made.add_argument("--damages", type=int, default=3, help="of a whole tree, in each round")
    return made


def prepared(folder: Path, blows: int, damages: int) -> Place:
    """The crawl, and a calm run over it."""
    crawl = folder / "crawl"
    build(crawl, DUMP)
    with CrawlServer(crawl, NO_FAULTS) as server:
        calm = Bench(folder / "calm", server.url)
        started = time.monotonic()
        status, output = calm.luigi(*LAST)
        slowness = max((time.monotonic() - started) / QUICK_S, 1.0)
        if status:
            raise ChaosError(f"the calm run did not get through: {output[-2000:]}")
        return Place(crawl, calm.files(), built_stale_views(folder), blows, slowness, damages)


def campaign(options: argparse.Namespace, folder: Path) -> int:
    """Play rounds; returns the exit status."""
    started = time.monotonic()
    counts: Counter[str] = Counter()
    place = prepared(folder, options.blows, options.damages)
    has_slurm = not missing_programs()
    played = 0
    while played < (options.rounds or sys.maxsize):
        if options.rounds is None and time.monotonic() > started + 60 * options.minutes:
            break
        number = options.first_round + played
        on_cluster = has_slurm and number % SLURM_EVERY == SLURM_EVERY - 1
        play: Callable[..., None] = play_there if on_cluster else play_here
        try:
            play(f"{options.seed} {number}", folder / f"round-{number}", place, counts)
        except ChaosError as error:
            print(f"round {number} of seed {options.seed} ({folder}): {error}\n{shown(counts)}")
            return 1
        shutil.rmtree(folder / f"round-{number}")
        played += 1
        print(f"round {number}: as the calm run. So far: {shown(counts)}", flush=True)
    kills = sum(counts[kind] for kind in KILLS)
    print(f"chaos: {played} rounds of seed {options.seed} as the calm run, {kills} kills")
    for word, is_there in (("libfaketime", FAKETIME.exists()), ("Slurm", has_slurm)):
        if not is_there:
            print(f"{word} is not installed: nothing was tried with it")
    return 0


def main() -> int:
    """Run the campaign in a folder that goes when all was well."""
    options = parser().parse_args()
    folder = Path(tempfile.mkdtemp(prefix="skord-chaos-"))
    status = campaign(options, folder)
    if status == 0:
        shutil.rmtree(folder)
    return status


if __name__ == "__main__":
    sys.exit(main())
