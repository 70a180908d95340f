"""Signatures per second of CPU, beside SWEb, datatrove, gaoya and rensa on the same texts.

    make bench-signatures PEER=path/to/SWEb ARGS="--peer-python sweb=PY,gaoya=PY,datatrove=PY"

Texts are those of `edited_copies`. Each library runs in a process of its own, one after
the other in turn, loaded and compiled before its clock starts; CPU seconds, medians. Ours is
the function that FilterDocuments calls, in row groups of 500, digests included. SWEb's
numbers come from its own kernels with its own random numbers (a checkout or a bare mirror;
numba and numpy installed); its 14 columns are compared with `published_signatures`. datatrove
takes word 5-grams by its Swedish tokenizer, gaoya and rensa by white space; all have 14 bands
of 8 rows. Peers: numba, numpy, pyarrow · datatrove[processing], spacy · gaoya · rensa.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.measuring import BenchmarkError, print_table
from benchmarks.near_duplicates.edited_copies import make_corpus, sentences_of
from benchmarks.settings import SHARED_TEXT
from skord.near_duplicates.minhash import minhash_signatures
from skord.near_duplicates.published_minhash import published_signatures

BATCH = 500
PEER_TEXTS = {"sweb": 1_500, "datatrove": 300, "gaoya": 8_000, "rensa": 4_000}
OUR_TEXTS = 20_000
GREEK_AND_TURKISH = (
    "ΟΔΥΣΣΕΥΣ ΚΑΙ ΣΙΣΥΦΟΣ. Ο Σίσυφος και ο Οδυσσέας.",
    "İstanbul'da İYİ günler, IĞDIR ve Iğdır",
)


def main() -> None:
    args = arguments(__doc__ or "")
    corpus = make_corpus(OUR_TEXTS, sentences_of(args.sentences))
    texts = pa.array([*GREEK_AND_TURKISH, *corpus.texts[len(GREEK_AND_TURKISH) :]])
    with tempfile.TemporaryDirectory(prefix="bench-signatures-") as name:
        rates, bands = measure(texts, args, Path(name))
    baseline = rates.get("sweb")
    rows = [(peer, rate, rate / baseline if baseline else "") for peer, rate in rates.items()]
    print_table(["library", "texts/s of CPU", "× SWEb"], rows)
    if bands:
        report_equal(texts, bands)
    told = [
        f"{rates['ours'] / rate:.1f}× {peer}" for peer, rate in rates.items() if peer in PEER_TEXTS
    ]
    print(f"signatures: {', '.join(told) or 'no peer'}")


def arguments(doc: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=doc.split("\n", 1)[0])
    parser.add_argument("--peer", default="", help="SWEb, a checkout or bare mirror")
    parser.add_argument("--peer-python", default="", help="library=interpreter,…")
    parser.add_argument("--sentences", type=Path, default=SHARED_TEXT)
    parser.add_argument("--texts", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3)
    return parser.parse_args()


def pythons(text: str) -> Mapping[str, str]:
    """Library to interpreter.

    >>> pythons("gaoya=/a/python,rensa=/b/python")["rensa"]
    '/b/python'
    """
    return dict(part.split("=", 1) for part in text.split(",") if part)


def measure(
    texts: pa.Array, args: argparse.Namespace, folder: Path
) -> tuple[dict[str, float], list[list[int]]]:
    """Texts per second of CPU by library, and SWEb's band keys."""
    peers = pythons(args.peer_python)
    paths = {}
    for peer in peers:
        paths[peer] = folder / f"{peer}.parquet"
        pq.write_table(pa.table({"text": texts[: PEER_TEXTS[peer]]}), paths[peer])
    rates: dict[str, list[float]] = {name: [] for name in ("ours", "ours, published", *peers)}
    bands: list[list[int]] = []
    for _ in range(args.rounds):
        rates["ours"].append(rate(minhash_signatures, texts))
        rates["ours, published"].append(rate(published_signatures, texts[:5000]))
        for peer, python in peers.items():
            reply = run_peer(python, ["signatures", peer, str(paths[peer]), "--sweb", args.peer])
            rates[peer].append(reply["documents"] / reply["cpu_s"])
            bands = reply.get("bands", bands)
    return {name: statistics.median(values) for name, values in rates.items()}, bands


def rate(function: Callable[[pa.Array], pa.Table], texts: pa.Array) -> float:
    """Texts per second of this process's CPU."""
    function(texts[:10])
    started = time.process_time()
    for first in range(0, len(texts), BATCH):
        function(texts[first : first + BATCH])
    return len(texts) / (time.process_time() - started)


def run_peer(python: str, words: list[str], name: str = "dedup_peer.py") -> dict[str, Any]:
    """What a library's process reports of itself."""
    script = str(Path(__file__).with_name(name))
    done = subprocess.run([python, script, *words], capture_output=True, text=True, check=False)
    if done.returncode:
        raise BenchmarkError(f"{' '.join(words[:2])}: {done.stderr[-2000:]}")
    return dict(json.loads(done.stdout.splitlines()[-1]))


def report_equal(texts: pa.Array, bands: list[list[int]]) -> None:
    """How many texts have SWEb's 14 keys; it gives texts under 16 characters zeros."""
    ours = published_signatures(texts[: len(bands)])
    rows = zip(*(column.to_pylist() for column in ours.columns), strict=True)
    equal = sum(
        [0 if key is None else key for key in row] == theirs
        for row, theirs in zip(rows, bands, strict=True)
    )
    print(f"published columns: {equal} of {len(bands)} texts equal in all 14")


if __name__ == "__main__":
    sys.exit(main())
