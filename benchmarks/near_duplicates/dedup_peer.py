"""The peers' side of the deduplication benchmarks; runs in an interpreter that has them.

    python dedup_peer.py signatures sweb TEXTS.parquet --sweb path/to/SWEb
    python dedup_peer.py dedup gaoya TEXTS.parquet

Prints one line of JSON: documents, CPU seconds after loading and a first run to compile, and
what came out (the first band keys, or how many are kept). It imports nothing of this project.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

BANDS, ROWS = 14, 8


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["signatures", "dedup"])
    parser.add_argument("peer")
    parser.add_argument("path")
    parser.add_argument("--sweb", default="")
    args = parser.parse_args()
    made = globals()[f"{args.what}_{args.peer}"](args)
    status = Path("/proc/self/status").read_text()
    peak_mb = round(int(status.split("VmHWM:")[1].split()[0]) / 1024)
    print(json.dumps({**made, "peak_mb": peak_mb}))


def texts_of(path: str) -> list[str]:
    return list(pq.read_table(path, columns=["text"])["text"].to_pylist())


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    started = time.process_time()
    made = work()
    return time.process_time() - started, made


def sweb_minhash(path: str) -> Any:
    """SWEb's module of kernels, out of a checkout or a bare mirror."""
    source = Path(path) / "pipeline/minhash.py"
    if source.exists():
        text = source.read_text()
    else:
        shown = ["git", "-C", path, "show", "HEAD:pipeline/minhash.py"]
        text = subprocess.run(shown, check=True, capture_output=True, text=True).stdout
    file = Path(tempfile.mkdtemp()) / "sweb_minhash.py"
    file.write_text(text)
    spec = importlib.util.spec_from_file_location("sweb_minhash", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["sweb_minhash"] = module
    spec.loader.exec_module(module)
    return module


def sweb_bands(path: str) -> Callable[[str], list[int]]:
    """SWEb's FilterDocuments feature: its random numbers and calls, on its kernels."""
    import numpy as np  # noqa: PLC0415

    mh = sweb_minhash(path)
    random = np.random.default_rng(seed=0x5EED)
    a, b, c, z = (
        random.integers(low=low, high=mh.Pm, size=size, dtype=np.uint64)
        for low, size in ((1, BANDS * ROWS), (0, BANDS * ROWS), (1, BANDS * ROWS), (1, 1))
    )

    def bands(text: str) -> list[int]:
        points = np.array([ord(char) for char in mh.normalize_for_minhash(text)], dtype=np.uint64)
        hashes = mh.affine_61(c, mh._0, mh.hashit(a, b, z, 4, points))
        return [int(band) for band in mh.sum_61(hashes.reshape(BANDS, ROWS))]

    return bands


def signatures_sweb(args: argparse.Namespace) -> dict[str, Any]:
    texts, bands = texts_of(args.path), sweb_bands(args.sweb)
    bands(texts[0])
    cpu_s, made = timed(lambda: [bands(text) for text in texts])
    return {"documents": len(texts), "cpu_s": cpu_s, "bands": made}


def signatures_datatrove(args: argparse.Namespace) -> dict[str, Any]:
    from datatrove.pipeline.dedup.minhash import (  # noqa: PLC0415
        MinhashConfig,
        MinhashDedupSignature,
    )

    config = MinhashConfig(n_grams=5, num_buckets=BANDS, hashes_per_bucket=ROWS)
    stage = MinhashDedupSignature(tempfile.mkdtemp(), config, language="swe")
    texts = texts_of(args.path)
    stage.get_signature(stage.get_shingles(texts[0]))

    def work() -> None:
        for text in texts:
            shingles = stage.get_shingles(text)
            if shingles.size:
                stage.get_signature(shingles)

    return {"documents": len(texts), "cpu_s": timed(work)[0]}


def gaoya_index() -> Any:
    import gaoya  # noqa: PLC0415

    return gaoya.minhash.MinHashStringIndex(
        hash_size=32,
        jaccard_threshold=0.7,
        num_bands=BANDS,
        band_size=ROWS,
        num_hashes=BANDS * ROWS,
        analyzer="word",
        lowercase=True,
        ngram_range=(5, 5),
    )


def signatures_gaoya(args: argparse.Namespace) -> dict[str, Any]:
    """It has no signature by itself: insertion into an index is part of it."""
    texts, index = texts_of(args.path), gaoya_index()

    def work() -> None:
        for number, text in enumerate(texts):
            index.insert_document(number, text)

    return {"documents": len(texts), "cpu_s": timed(work)[0]}


def word_fives(text: str) -> list[str]:
    words = text.lower().split()
    return [" ".join(words[at : at + 5]) for at in range(max(1, len(words) - 4))]


def signatures_rensa(args: argparse.Namespace) -> dict[str, Any]:
    import rensa  # noqa: PLC0415

    texts = texts_of(args.path)

    def work() -> None:
        for text in texts:
            made = rensa.RMinHash(num_perm=BANDS * ROWS, seed=42)
            made.update(word_fives(text))
            made.digest()

    return {"documents": len(texts), "cpu_s": timed(work)[0]}


def dedup_gaoya(args: argparse.Namespace) -> dict[str, Any]:
    texts, index = texts_of(args.path), gaoya_index()

    def work() -> int:
        kept = 0
        for number, text in enumerate(texts):
            if not index.query(text):
                index.insert_document(number, text)
                kept += 1
        return kept

    return whole(texts, work)


def dedup_rensa(args: argparse.Namespace) -> dict[str, Any]:
    import rensa  # noqa: PLC0415

    texts = texts_of(args.path)
    index = rensa.RMinHashDeduplicator(
        threshold=0.7, num_perm=BANDS * ROWS, use_lsh=True, num_bands=BANDS, seed=42
    )

    def work() -> int:
        kept = 0
        for number, text in enumerate(texts):
            made = rensa.RMinHash(num_perm=BANDS * ROWS, seed=42)
            made.update(word_fives(text))
            if not index.is_duplicate(str(number), made):
                index.add(str(number), made)
                kept += 1
        return kept

    return whole(texts, work)


def whole(texts: Sequence[str], work: Callable[[], int]) -> dict[str, Any]:
    """The CPU of the whole process, imports and reading included, as on our side."""
    kept = work()
    return {"documents": len(texts), "cpu_s": time.process_time(), "kept": kept}


if __name__ == "__main__":
    main()
