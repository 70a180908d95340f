"""How much memory it takes to compare a gigabyte of paragraph keys.

    make bench-ccnet-memory

Writes what HashParagraphs would have written for some shards: 64-bit keys at random, a tenth of
them also in another shard. Then a process that may allocate 512 MB at most (RLIMIT_DATA: what it
holds itself, the interpreter and all libraries counted) runs the phases of CCNet that see keys:
every range of them is compared, and for one shard its repeated keys are gathered and looked up.
Prints the peak of each part and the bytes that a key to be looked up takes.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa

from benchmarks.ccnet.ours import lay_out
from benchmarks.measuring import BenchmarkError, print_table
from pipeline.cc_net import CCNet, HashParagraphs
from skord.ccnet.repeats import LinePass, RepeatedKeys

DUMP = "2019-09"
SHARED_SHARE = 0.1
MB = 1 << 20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--keys-mb", type=int, default=1000, help="8 bytes a key, all shards")
    parser.add_argument("--limit-mb", type=int, default=512)
    parser.add_argument("--room-mb", type=int, help="instead: so much beside the start")
    parser.add_argument("--shards", type=int, default=10)
    parser.add_argument("--partitions", type=int, default=256)
    parser.add_argument("--look-up-mb", type=int, default=160, help="keys of one look-up")
    parser.add_argument("--work", type=Path, help="folder for what is made and thrown away")
    parser.add_argument("--part", choices=["write", "compare"], help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.part == "write":
        write_keys(HashParagraphs(dump=DUMP), args.shards, args.keys_mb * 125_000 // args.shards)
        return
    if args.part == "compare":
        print(json.dumps(compared(args)))
        return
    with tempfile.TemporaryDirectory(prefix="bench-ccnet-memory-", dir=args.work) as name:
        figures = measured(Path(name), args)
    keys = args.keys_mb * 1_000_000 // 8
    rows = [[part, f"{figures[part]:.0f}"] for part in ("at the start", "peak", "limit")]
    print_table(["memory", "MB"], rows)
    print(
        f"ccnet-memory: {keys / 1e6:.0f} million keys ({args.keys_mb} MB) compared by a process "
        f"limited to {figures['limit']:.0f} MB, peak {figures['peak']:.0f} MB; "
        f"{figures['bytes_per_key']:.1f} bytes a key to look up"
    )


def measured(folder: Path, args: argparse.Namespace) -> dict[str, float]:
    """Write the keys, then have them compared by a process of its own."""
    config = lay_out(
        folder,
        DUMP,
        [["crawl-data/a/wet/a.warc.wet.gz"]] * args.shards,
        languages='["sv"]',
        group_shards=0,
        lid="",
        models="none",
    )
    settings = config.read_text(encoding="utf-8")
    config.write_text(
        settings.replace("num_partitions = 1", f"num_partitions = {args.partitions}"),
        encoding="utf-8",
    )
    environment = {
        **os.environ,
        "LUIGI_CONFIG_PATH": str(config),
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "ARROW_DEFAULT_MEMORY_POOL": "system",
        "MALLOC_ARENA_MAX": "2",
    }
    for part in ("write", "compare"):
        words = [sys.executable, "-m", "benchmarks.ccnet.memory", *sys.argv[1:], "--part", part]
        done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            raise BenchmarkError(done.stderr[-3000:])
    return dict(json.loads(done.stdout.splitlines()[-1]))


def compared(args: argparse.Namespace) -> dict[str, float]:
    """What the process with the limit does."""
    task = CCNet(dump=DUMP)
    limit_mb = int(held_mb()) + args.room_mb if args.room_mb else args.limit_mb
    resource.setrlimit(resource.RLIMIT_DATA, (limit_mb * MB, limit_mb * MB))
    results = {"at the start": held_mb(), "limit": float(limit_mb)}
    for partition in range(args.partitions):
        task.find_repeats(partition)
    of_shard = LinePass.of_parts(task._repeated(0), "drop_all", 0)
    kept = of_shard.kept_lines(np.arange(1000, dtype=np.uint64), np.zeros(1000, np.int64))
    if not kept.all():
        raise BenchmarkError("keys that no shard holds were found")
    before = held_mb()
    line_pass, number = looked_up(args.look_up_mb)
    results["bytes_per_key"] = (held_mb() - before) * MB / number
    line_pass.kept_lines(np.arange(1000, dtype=np.uint64), np.zeros(1000, np.int64))
    return results | {"peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


def looked_up(keys_mb: int) -> tuple[LinePass, int]:
    """A pass with so many repeated keys, and how many they are; they come in 256 ranges."""
    number = keys_mb * 1_000_000 // 8 // 256
    parts = (
        RepeatedKeys(
            np.arange(number, dtype=np.uint64) + np.uint64(part * number),
            np.zeros(number, np.int32),
        )
        for part in range(256)
    )
    return LinePass.of_parts(parts, "keep_first", 0), number * 256


def write_keys(task: HashParagraphs, shards: int, keys: int) -> None:
    """The tables of HashParagraphs: sorted random keys, some of them the next shard's too."""
    chance = np.random.default_rng(7)
    shared = chance.integers(0, 1 << 64, int(keys * SHARED_SHARE), dtype=np.uint64)
    for shard in range(shards):
        own = chance.integers(0, 1 << 64, keys - 2 * len(shared), dtype=np.uint64)
        following = chance.integers(0, 1 << 64, len(shared), dtype=np.uint64)
        every = np.sort(np.concatenate((shared, own, following)))
        distinct = every[np.append(True, every[1:] != every[:-1])]
        columns = {"key": distinct, "documents": np.ones(len(distinct), np.int32)}
        table = pa.table(columns).cast(task.schema)
        task.store.write_sorted(task.store.path(task.task_family, shard), table, task.fingerprint)
        shared = following
    task.store.write_manifest(task.task_family, {"num_shards": shards})


def held_mb() -> float:
    """What this process has allocated (VmData), in MB of 2**20 bytes."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    [size_kb] = [line.split()[1] for line in status.splitlines() if line.startswith("VmData")]
    return int(size_kb) / 1024


if __name__ == "__main__":
    main()
