"""From texts to decisions: CPU, memory and quality, beside SWEb, gaoya and rensa.

    make bench-dedup PEER=path/to/SWEb ARGS="--peer-python gaoya=PY,rensa=PY,sweb=PY"

Texts with known families (`edited_copies`), by default 100,000. Ours: ComputeSignatures
and all of Deduplicate on shards of these texts, in one process with one thread; CPU seconds of
the whole process. The peers read the same texts from one file and do what their READMEs show,
word 5-grams by white space, 14 bands of 8 rows, limit 0.7. SWEb's share is measured on 1,500
texts and multiplied (its signatures; its matching comes on top). Quality: for every removed text
the exact Jaccard similarity (16-character runs) to the most similar kept text of its family or
to its `duplicate_of`; for every pair of one family both of which are kept, theirs.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.measuring import BenchmarkError, own_peak_mb, print_table
from benchmarks.near_duplicates.edited_copies import Corpus, make_corpus, sentences_of
from benchmarks.near_duplicates.matching import make
from benchmarks.near_duplicates.signatures import pythons, run_peer
from benchmarks.settings import SHARED_TEXT, local_run
from skord.core.driver import write_task_manifest
from skord.near_duplicates.published_minhash import shingle_hashes

DUMP = "2024-10"
SHARD_TEXTS = 10_000
SWEB_TEXTS = 1_500


def main() -> None:
    args = _arguments()
    if args.part:
        print(json.dumps(globals()[f"part_{args.part}"](args)))
        return
    corpus = make_corpus(args.texts, sentences_of(args.sentences), args.seed)
    with tempfile.TemporaryDirectory(prefix="bench-dedup-", dir=args.work) as name:
        args.folder = Path(name)
        pq.write_table(corpus.table(), args.folder / "texts.parquet")
        results = {"ours": _ours(args), **_peers(args)}
        keeper = np.load(args.folder / "keeper.npy")
    rows = [
        (system, run["cpu_s"], run["cpu_s"] / results["ours"]["cpu_s"], run.get("peak_mb", ""))
        for system, run in results.items()
    ]
    print_table(["system", "CPU s", "× ours", "peak MB"], rows)
    signing_s = results["ours"]["signing_s"]
    print(f"of ours, ComputeSignatures: {signing_s:.2f} s, {args.texts / signing_s:,.0f} texts/s")
    print_table(["quality", "measured"], list(quality(corpus, keeper).items()))
    told = ", ".join(f"{row[2]:.1f}× {row[0]}" for row in rows[1:])
    print(f"dedup: {told or 'no peer'}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--peer", default="", help="SWEb, a checkout or bare mirror")
    parser.add_argument("--peer-python", default="", help="library=interpreter,…")
    parser.add_argument("--sentences", type=Path, default=SHARED_TEXT)
    parser.add_argument("--texts", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=float, default=0.65)
    parser.add_argument("--work", type=Path, default=None)
    parser.add_argument("--part", default="", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, default=Path(), help=argparse.SUPPRESS)
    return parser.parse_args()


def _ours(args: argparse.Namespace) -> dict[str, Any]:
    _run_part("write", args)
    return _run_part("ours", args)


def _run_part(part: str, args: argparse.Namespace) -> dict[str, Any]:
    words = [sys.executable, "-m", "benchmarks.near_duplicates.dedup", "--part", part]
    words += ["--folder", str(args.folder), "--limit", str(args.limit)]
    environment = local_run(args.folder)
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BenchmarkError(done.stderr[-2000:])
    return dict(json.loads(done.stdout.splitlines()[-1]))


def _peers(args: argparse.Namespace) -> dict[str, Any]:
    results = {}
    for peer, python in pythons(args.peer_python).items():
        if peer == "sweb":
            head = args.folder / "head.parquet"
            pq.write_table(pq.read_table(args.folder / "texts.parquet")[:SWEB_TEXTS], head)
            run = run_peer(python, ["signatures", peer, str(head), "--sweb", args.peer])
            results["sweb"] = {"cpu_s": run["cpu_s"] * args.texts / run["documents"]}
        else:
            results[peer] = run_peer(python, ["dedup", peer, str(args.folder / "texts.parquet")])
    return results


def part_write(args: argparse.Namespace) -> dict[str, Any]:
    """The texts as shards of ProcessMarkdown that pass every filter."""
    from benchmarks.near_duplicates.signature_dumps import write_texts  # noqa: PLC0415 - reads luigi.cfg

    batches = pq.ParquetFile(args.folder / "texts.parquet").iter_batches(SHARD_TEXTS)
    write_texts(DUMP, (pa.Table.from_batches([batch]) for batch in batches))
    return {}


def part_ours(args: argparse.Namespace) -> dict[str, Any]:
    """Signatures, decisions, columns; writes the keeper of each text (its own place: kept)."""
    from pipeline.dedup import (  # noqa: PLC0415 - reads luigi.cfg
        ComputeSignatures,
        Deduplicate,
    )

    pa.set_cpu_count(1)
    pa.set_io_thread_count(1)
    task = Deduplicate(dump=DUMP, similarity_limit=args.limit, num_partitions=2)
    signed, started = ComputeSignatures(dump=DUMP), time.process_time()
    make(signed, *signed.phases())
    write_task_manifest(signed)
    signing_s = time.process_time() - started
    for phase in task.phases():
        make(task, phase)
    shards = task.num_shards()
    usage = resource.getrusage(resource.RUSAGE_SELF)
    tables = [task.store.read_table(task.store.path("Deduplicate", n)) for n in range(shards)]
    results = pa.concat_tables(tables)
    place = {name: at for at, name in enumerate(results["id"].to_pylist())}
    names = zip(results["id"].to_pylist(), results["duplicate_of"].to_pylist(), strict=True)
    np.save(args.folder / "keeper.npy", np.array([place[of or own] for own, of in names]))
    cpu_s = usage.ru_utime + usage.ru_stime
    return {"cpu_s": cpu_s, "signing_s": signing_s, "peak_mb": own_peak_mb()}


def quality(corpus: Corpus, keeper: np.ndarray) -> dict[str, str]:
    """The figures by name."""
    removed = np.flatnonzero(keeper != np.arange(len(keeper)))
    best = np.zeros(len(keeper))
    both = np.zeros(5, np.int64)
    pairs = np.zeros(5, np.int64)
    for members in families(corpus, keeper):
        for at, of, similarity in similarities(corpus.texts, members):
            group = int(np.clip((similarity - 0.6) * 10 + 1e-9, -1, 3)) + 1
            pairs[group] += 1
            kept = keeper[at] == at, keeper[of] == of
            both[group] += all(kept)
            if kept[1] and not kept[0]:
                best[at] = max(best[at], similarity)
            if kept[0] and not kept[1]:
                best[of] = max(best[of], similarity)
    exact = np.array([kind == "exact" for kind in corpus.kind])
    kept_of = np.bincount(corpus.family[exact], weights=keeper[exact] == np.flatnonzero(exact))
    sizes = np.bincount(corpus.family[exact])
    return {
        "texts removed": f"{len(removed):,} of {len(keeper):,}",
        "removed, best kept < 0.5": f"{np.mean(best[removed] < 0.5):.3%}",
        "removed, best kept < 0.7": f"{np.mean(best[removed] < 0.7):.2%}",
        **{
            f"both kept, {low:.1f} to {low + 0.1:.1f}": f"{both[n] / max(pairs[n], 1):.3%}"
            for n, low in ((2, 0.7), (3, 0.8), (4, 0.9))
        },
        "exact families with one kept": f"{np.sum(kept_of == 1)} of {np.sum(sizes > 0)}",
        "removed because of a removed one": str(
            int(np.sum(keeper[keeper[removed]] != keeper[removed]))
        ),
    }


def families(corpus: Corpus, keeper: np.ndarray) -> Iterator[Sequence[int]]:
    """Members of each family, and pairs of a text and its keeper across families."""
    order = np.argsort(corpus.family, kind="stable")
    order = order[corpus.family[order] >= 0]
    cuts = np.flatnonzero(np.diff(corpus.family[order])) + 1
    yield from (members.tolist() for members in np.split(order, cuts))
    for at in np.flatnonzero(keeper != np.arange(len(keeper))).tolist():
        if corpus.family[at] < 0 or corpus.family[at] != corpus.family[keeper[at]]:
            yield [at, int(keeper[at])]


def similarities(texts: Sequence[str], members: Sequence[int]) -> Iterator[tuple[int, int, float]]:
    """The exact Jaccard similarity of each pair; short texts are alike if they are equal."""
    sets = [shingle_hashes(texts[member]) for member in members]
    for at, one in enumerate(sets):
        for of in range(at):
            if texts[members[at]] == texts[members[of]]:
                yield members[at], members[of], 1.0
                continue
            common = len(np.intersect1d(one, sets[of], assume_unique=True))
            union = len(one) + len(sets[of]) - common
            yield members[at], members[of], common / union if union else 0.0


if __name__ == "__main__":
    sys.exit(main())
