"""From signatures to decisions, and a loop over bands in pandas on the same signatures.

    make bench-matching ARGS="--texts 1000000 --identical 0.3 --peer-python pandas=PY"

Signatures are made up (`signature_dumps`): 45 % of the texts are in families. Deduplicate's own
phases run one element after another, as an array would run them, in one process with one
thread; CPU seconds and peak memory are of the whole process, imports and compiled code
included. *matching* is index, match and resolve (phases ranks, buckets, decisions), from what
ComputeSignatures leaves; the columns themselves (losses, shard) are told beside it. `--dumps`
deals the texts over several dumps that are deduplicated together, a fifth of the texts of the
later ones copied from the first. Peers: pandas, numpy, pyarrow (`drop_duplicates`, band after
band, which is what SWEb's dask graph computes) · datatrove[processing], its stages 2 and 3 on
signature files that are written here.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.measuring import BenchmarkError, own_peak_mb, print_table
from benchmarks.settings import local_run

DUMPS = ("2024-10", "2024-18", "2024-22")
PARTITION_TEXTS = 600_000
"""As many as in one of 16 partitions of a full dump."""


def main() -> None:
    args = _arguments()
    if args.part:
        print(json.dumps(globals()[f"part_{args.part}"](args)))
        return
    with tempfile.TemporaryDirectory(prefix="bench-matching-", dir=args.work) as name:
        args.folder = Path(name)
        _run_part("write", args)
        results = [_round(args) for _ in range(args.rounds)]
    rows = [_row(name, [once[name] for once in results], args.texts) for name in results[0]]
    print_table(["system", "CPU s", "µs a text", "of it start", "peak MB", "kept"], rows)
    ours = statistics.median(once["ours"]["cpu_s"] for once in results)
    theirs = {
        peer: statistics.median(once[peer]["cpu_s"] for once in results)
        for peer in results[0]
        if peer not in ("ours", "columns")
    }
    told = ", ".join(f"{seconds / ours:.1f}× {peer}" for peer, seconds in theirs.items())
    print(f"matching: {ours / args.texts * 1e6:.2f} µs a text; {told or 'no peer'}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--peer", default="", help="not used")
    parser.add_argument("--peer-python", default="", help="library=interpreter,…")
    parser.add_argument("--texts", type=int, default=300_000)
    parser.add_argument("--dumps", type=int, default=1)
    parser.add_argument("--identical", type=float, default=0.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--work", type=Path, default=None, help="where the dumps are put")
    parser.add_argument("--part", default="", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, default=Path(), help=argparse.SUPPRESS)
    return parser.parse_args()


def _row(name: str, runs: Sequence[dict[str, Any]], texts: int) -> tuple[object, ...]:
    cpu_s = statistics.median(run["cpu_s"] for run in runs)
    return (
        name,
        cpu_s,
        cpu_s / texts * 1e6,
        runs[0]["start_s"],
        round(max(run["peak_mb"] for run in runs)),
        runs[0]["kept"],
    )


def _round(args: argparse.Namespace) -> dict[str, dict[str, Any]]:
    """One run of each system."""
    _run_part("clear", args)
    results = {"ours": _run_part("match", args)}
    results["columns"] = _run_part("columns", args)
    for peer, python in pythons(args.peer_python).items():
        path = args.folder / "data/ComputeSignatures" / DUMPS[0]
        words = [peer, str(path), "--work", str(args.folder / peer)]
        results[peer] = run_peer(python, words)
    return results


def _run_part(part: str, args: argparse.Namespace) -> dict[str, Any]:
    """A part in a process of its own, so that time and memory are that part's."""
    words = [sys.executable, "-m", "benchmarks.near_duplicates.matching", "--part", part]
    words += ["--folder", str(args.folder), "--texts", str(args.texts)]
    words += ["--dumps", str(args.dumps), "--identical", str(args.identical)]
    environment = local_run(args.folder)
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BenchmarkError(f"{part}: {done.stderr[-2000:]}")
    return dict(json.loads(done.stdout.splitlines()[-1]))


def _tasks(args: argparse.Namespace) -> list[Any]:
    """What runs, in order: each dump's decisions, and its index if another follows."""
    from skord.core.registry import task_class  # noqa: PLC0415 - reads luigi.cfg

    dumps = ",".join(DUMPS[: args.dumps]) if args.dumps > 1 else ""
    partitions = max(args.texts // args.dumps // PARTITION_TEXTS, 1)
    tasks = []
    for dump in DUMPS[: args.dumps]:
        for name in ("Deduplicate", "IndexKept"):
            tasks.append(task_class(name)(dump=dump, dumps=dumps, num_partitions=partitions))
    return tasks[:-1]


def part_write(args: argparse.Namespace) -> dict[str, Any]:
    """The dumps."""
    from benchmarks.near_duplicates import signature_dumps  # noqa: PLC0415 - reads luigi.cfg

    for number, dump in enumerate(DUMPS[: args.dumps]):
        copied = 0.2 if number else 0.0
        signature_dumps.write_dump(
            args.folder / "data",
            dump,
            args.texts // args.dumps,
            number + 1,
            args.identical,
            copied,
        )
    return {}


def part_clear(args: argparse.Namespace) -> dict[str, Any]:
    """Take away what an earlier round left."""
    for task in _tasks(args):
        task.store.storage.delete_folder(task.store.folder(task.task_family))
    return {}


def part_match(args: argparse.Namespace) -> dict[str, Any]:
    """Index, match and resolve; of dumps that others follow, everything."""
    import pyarrow as pa  # noqa: PLC0415

    from skord.core.driver import write_task_manifest  # noqa: PLC0415 - reads luigi.cfg

    pa.set_cpu_count(1)
    pa.set_io_thread_count(1)
    tasks = _tasks(args)
    start_s, outside_s = time.process_time(), 0.0
    for task in tasks:
        last = task is tasks[-1]
        for phase in task.phases()[: -2 if last else None]:
            started = time.process_time()
            make(task, phase)
            if phase.name in ("losses", "shard") and task.task_family == "Deduplicate":
                outside_s += time.process_time() - started
        if not last:
            write_task_manifest(task)
    kept = tasks[-1].texts.size - _removed(tasks[-1])
    return {**_spent(outside_s), "kept": kept, "start_s": start_s}


def pythons(text: str) -> Mapping[str, str]:
    """Library to interpreter.

    >>> pythons("pandas=/a/python,datatrove=/b/python")["pandas"]
    '/a/python'
    """
    return dict(part.split("=", 1) for part in text.split(",") if part)


def run_peer(python: str, words: list[str]) -> dict[str, Any]:
    """The figures that a library's process reports."""
    script = str(Path(__file__).with_name("matching_peer.py"))
    done = subprocess.run([python, script, *words], capture_output=True, text=True, check=False)
    if done.returncode:
        raise BenchmarkError(f"{' '.join(words[:2])}: {done.stderr[-2000:]}")
    return dict(json.loads(done.stdout.splitlines()[-1]))


def make(task: Any, phase: Any) -> None:
    """All elements of a phase, one after another in this process, as an executor makes them.

    Raises:
        BenchmarkError: one failed.
    """
    from skord.core.driver import work_items  # noqa: PLC0415 - reads luigi.cfg
    from skord.core.executor import executor_from_config  # noqa: PLC0415
    from skord.core.work_item import Resources  # noqa: PLC0415

    work = work_items(task, phase.name, range(phase.size()))
    for report in executor_from_config().map(work, Resources(task.mem_gb)):
        if report.error:
            raise BenchmarkError(report.error)


def _removed(task: Any) -> int:
    """Texts of the last dump that are decided to go."""
    removed = 0
    with task.store.open_parquet(task.path("decisions", 0)) as file:
        for shard in range(file.num_row_groups):
            names = file.read_row_group(shard, columns=["duplicate_of"])["duplicate_of"]
            removed += len(names) - int(names.null_count)
    return removed


def part_columns(args: argparse.Namespace) -> dict[str, Any]:
    """The last dump's columns and counts by host."""
    task = _tasks(args)[-1]
    for phase in task.phases()[-2:]:
        make(task, phase)
    return {**_spent(0.0), "kept": "", "start_s": ""}


def _spent(outside_s: float) -> dict[str, float]:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    cpu_s = usage.ru_utime + usage.ru_stime - outside_s
    return {"cpu_s": cpu_s, "peak_mb": own_peak_mb()}


if __name__ == "__main__":
    sys.exit(main())
