"""What a data folder of a hundred dumps of 10,000 shards each costs those who look at it.

    make bench-many-shards
    make bench-many-shards ARGS="--dumps 10 --shards 1000"

The store is simulated: every task up to FilterDocuments is complete by its manifest in every dump,
FilterDocuments has its shards, links to a file of 100 rows, and the last dump's document index
too. What is measured is what people type, as whole commands, and readers' queries in processes of
their own.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from benchmarks.measuring import Spent, measured, print_table
from benchmarks.settings import local_run
from skord.core.dumps import published_dumps

TASK = "FilterDocuments"
FILL = """
import os, shutil, sys
from pathlib import Path
from benchmarks.slurm.simulated_store import SHARD_FILE, above, seal, write_shard
from skord.core.registry import task_class
shards, dumps = int(sys.argv[1]), sys.argv[2:]
for dump in dumps:
    task = task_class("FilterDocuments")(dump=dump)
    if dump == dumps[0]:
        write_shard(task)
    for needed in {one.task_family: one for one in (*above(task), task)}.values():
        seal(needed, shards)
    for family in ("CCNet", "FilterDocuments") if dump == dumps[-1] else ("FilterDocuments",):
        folder = Path(task.store.storage.full(task.store.folder(family)))
        one = folder / "00000.parquet"  # of each folder its own: a file has so many links at most
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(task.store.storage.full(SHARD_FILE), one)
        for number in range(1, shards):
            os.link(one, folder / f"{number:05d}.parquet")
"""
READ = """
import sys
from skord import Corpus
corpus = Corpus(sys.argv[1], [sys.argv[2]])
print(len(corpus.columns()), next(iter(corpus.batches(["FilterDocuments.language"]))).num_rows)
"""
COUNT = """
import sys, duckdb
print(duckdb.sql(f"select count(id) from read_parquet('{sys.argv[1]}/*.parquet')"))
"""


def parsed() -> argparse.Namespace:
    """The command line."""
    made = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    made.add_argument("--dumps", type=int, default=100)
    made.add_argument("--shards", type=int, default=10_000)
    made.add_argument("--runs", type=int, default=3)
    return made.parse_args()


def commands(folder: Path, dump: str) -> dict[str, list[str]]:
    """What is measured, by name."""
    python, data, out = sys.executable, f"{folder}/data", f"{folder}/compact"
    skord = [python, "-m", "pipeline"]
    columns = ["--dump", dump, "--columns", f"{TASK}.language"]
    return {
        "status of one dump": [*skord, "status", "--dump", dump],
        "status of all": [*skord, "status"],
        "driver of a complete task": [
            *(python, "-m", "luigi", "--module", "pipeline.quality_filtering", TASK),
            *("--dump", dump),
        ],
        "Corpus: columns, first batch": [python, "-c", READ, data, dump],
        "compact, one column": [*skord, "compact", out, *columns],
        "DuckDB, count of the compacted": [python, "-c", COUNT, out],
        "DuckDB, count of the shards": [python, "-c", COUNT, f"{data}/{TASK}/{dump}"],
    }


def main() -> None:
    """Fill, measure, print."""
    chosen = parsed()
    folder = Path(tempfile.mkdtemp(prefix="skord-many-shards-"))
    environment = local_run(folder)
    dumps = published_dumps()[-chosen.dumps :]
    try:
        words = [sys.executable, "-c", FILL, str(chosen.shards), *dumps]
        subprocess.run(words, env=environment, cwd=folder, check=True)
        results: dict[str, list[Spent]] = {}
        for _ in range(chosen.runs):
            shutil.rmtree(folder / "compact", ignore_errors=True)
            for name, command in commands(folder, dumps[-1]).items():
                spent = measured(command, environment, folder, name.replace(" ", "-"))
                results.setdefault(name, []).append(spent)
        print(f"{chosen.dumps} dumps of {chosen.shards:,} shards, load {os.getloadavg()[0]:.0f}")
        rows = [
            [name, *(median(getattr(one, what) for one in spents) for what in ("cpu_s", "wall_s")),
             round(max(one.peak_mb for one in spents))]
            for name, spents in results.items()
        ]  # fmt: skip
        print_table(["", "CPU s", "wall s", "peak MB"], rows)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
