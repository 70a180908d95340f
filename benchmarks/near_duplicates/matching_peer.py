"""The peers' side of the matching benchmark; runs in an interpreter that has them.

    python matching_peer.py pandas path/to/ComputeSignatures/2024-10 --work FOLDER

Prints one line of JSON: CPU seconds, peak memory, texts kept. It imports nothing of this project.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

BANDS, ROWS = 14, 8


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("peer", choices=["pandas", "datatrove"])
    parser.add_argument("path")
    parser.add_argument("--work", default="")
    args = parser.parse_args()
    made = globals()[f"match_{args.peer}"](args)
    status = Path("/proc/self/status").read_text()
    peak_mb = round(int(status.split("VmHWM:")[1].split()[0]) / 1024)
    print(json.dumps({**made, "peak_mb": peak_mb}))


def match_pandas(args: argparse.Namespace) -> dict[str, Any]:
    """What SWEb's dask graph computes, as a loop over bands in one process."""
    import numpy as np  # noqa: PLC0415
    import pandas as pd  # noqa: PLC0415

    start_s = time.process_time()
    files = sorted(Path(args.path).glob("*.parquet"))
    columns = {band: [] for band in range(BANDS)}
    for file in files:
        table = pq.read_table(file, columns=["minhash"], use_threads=False)
        chunks = [
            np.frombuffer(chunk.buffers()[1], np.uint64).reshape(-1, BANDS)
            for chunk in table["minhash"].chunks
        ]
        rows = np.concatenate(chunks)
        for band in range(BANDS):
            columns[band].append(rows[:, band].copy())
    frame = pd.DataFrame({band: np.concatenate(parts) for band, parts in columns.items()})
    del columns
    total = len(frame)
    for band in range(BANDS):
        frame = frame.drop_duplicates(band)
    spent = {"cpu_s": time.process_time(), "start_s": start_s}
    return {"documents": total, "kept": len(frame), **spent}


def match_datatrove(args: argparse.Namespace) -> dict[str, Any]:
    """Its stages 2 and 3; the signature files are written before the clock starts."""
    import numpy as np  # noqa: PLC0415
    from datatrove.pipeline.dedup.minhash import (  # noqa: PLC0415
        MinhashConfig,
        MinhashDedupBuckets,
        MinhashDedupCluster,
    )
    from datatrove.utils.hashing import HashConfig  # noqa: PLC0415

    hashes = HashConfig(precision=64)
    config = MinhashConfig(num_buckets=BANDS, hashes_per_bucket=ROWS, hash_config=hashes)
    start_s = time.process_time()
    work = Path(args.work)
    files = sorted(Path(args.path).glob("*.parquet"))
    tables = [pq.read_table(file, columns=["minhash"], use_threads=False) for file in files]
    rows = np.concatenate(
        [
            np.frombuffer(chunk.buffers()[1], np.uint8).reshape(-1, BANDS, ROWS)
            for table in tables
            for chunk in table["minhash"].chunks
        ]
    )
    record = np.dtype([("hash", "<u8", (ROWS,)), ("doc", "<u4")])
    for band in range(BANDS):
        written = np.zeros(len(rows), record)
        written["hash"], written["doc"] = rows[:, band], np.arange(len(rows))
        order = np.lexsort(rows[:, band, ::-1].T)
        folder = work / "signatures" / f"bucket_{band:03d}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "00000.minhash.sig").write_bytes(written[order].tobytes())
    documents = len(rows)
    del rows, tables
    started = time.process_time()
    for band in range(BANDS):
        stage = MinhashDedupBuckets(f"{work}/signatures", f"{work}/buckets", config=config)
        stage.run(None, band, BANDS)
    cluster = MinhashDedupCluster(f"{work}/buckets", f"{work}/remove", config=config)
    cluster.run(None, 0, 1)
    cpu_s = time.process_time() - started + start_s
    removed = sum(path.stat().st_size // 4 for path in (work / "remove").glob("*.remove"))
    spent = {"cpu_s": cpu_s, "start_s": start_s}
    return {"documents": documents, "kept": documents - removed, **spent}


if __name__ == "__main__":
    main()
