"""Repeated passages: speed and memory of FindRepeatedPassages' work, and how both grow.

    python -m benchmarks.passages [--data ../shared/data] [--megabytes 20 40 80] [--share 0.1]

Real sentences are laid together to texts of some 3,000 bytes; of `share` of them a paragraph of
60 to 200 words is put into two to ten others. All phases run in this process, over shards of some
4 MB and 16 partitions, tables between them in files as the task has them: CPU seconds by phase,
MB/s of text a core, and the most memory (RSS) so far. Planted passages must all be found.
"""

from __future__ import annotations

import argparse
import gzip
import random
import resource
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.measuring import BenchmarkError, print_table
from pipeline.near_duplicates.minhash import digests_of
from pipeline.near_duplicates.passages import Span, anchors, by_key, prints, repeated_prints, spans

LENGTH, PARTS, SHARD_BYTES = 50, 16, 4 << 20
PHASES = ("anchors", "again", "prints", "repeated", "ranges")


def sentences(data: Path) -> Iterator[str]:
    """Real sentences, over and over, each time in words of another order."""
    chance = random.Random(1)
    lines = [
        line.strip()
        for path in sorted(data.glob("text/*/*.txt.gz"))
        if "_NC" not in path.name and path.parts[-2] in ("sv", "da", "nb", "is")
        for line in gzip.decompress(path.read_bytes()).decode().splitlines()
    ]
    while True:
        line = chance.choice(lines).split()
        chance.shuffle(line)
        yield " ".join(line)


def shards(data: Path, megabytes: int, share: float) -> Iterator[tuple[list[str], list[str]]]:
    """Texts of one shard after another, and what was planted in them."""
    chance, source = random.Random(2), sentences(data)
    waiting: list[str] = []
    done = 0
    while done < megabytes << 20:
        texts, planted, size = [], [], 0
        while size < SHARD_BYTES:
            parts = [next(source) for _ in range(25)]
            if waiting and chance.random() < 0.5:
                planted.append(waiting.pop(chance.randrange(len(waiting))))
                parts.insert(chance.randrange(25), planted[-1])
            if chance.random() < share / 5:
                paragraph = " ".join(" ".join(next(source) for _ in range(20)).split()[:150])
                waiting += [paragraph] * chance.randint(2, 10)
            texts.append("\n\n".join(parts))
            size += len(texts[-1].encode())
        done += size
        yield texts, planted


def run(data: Path, megabytes: int, share: float, folder: Path) -> tuple[dict[str, float], int]:
    """CPU seconds of each phase, and bytes of text."""
    spent: dict[str, float] = dict.fromkeys(PHASES, 0.0)
    size, planted, number = 0, Counter[str](), 0

    def timed(name: str, start: float) -> None:
        spent[name] += time.process_time() - start

    for number, (texts, put) in enumerate(shards(data, megabytes, share)):
        planted.update(put)
        pq.write_table(pa.table({"text": texts}), folder / f"texts{number}")
        size += sum(len(text.encode()) for text in texts)
    count = number + 1
    for shard in range(count):
        column = pq.read_table(folder / f"texts{shard}")["text"]
        start = time.process_time()
        keys = pa.table({"key": anchors(column, LENGTH)[0]})
        _write(folder / f"anchors{shard}", list(by_key(keys, "key", PARTS)))
        timed("anchors", start)
    start = time.process_time()
    repeated = np.concatenate([_again(folder, count, part) for part in range(PARTS)])
    timed("again", start)
    for shard in range(count):
        column = pq.read_table(folder / f"texts{shard}")["text"]
        start = time.process_time()
        ranks = digests_of(pa.array([f"{shard}-{n}" for n in range(len(column))]))
        table = prints(column, LENGTH, repeated, ranks, shard, 0)
        _write(folder / f"prints{shard}", list(by_key(table, "high", PARTS)))
        timed("prints", start)
    start = time.process_time()
    for part in range(PARTS):
        tables = [pq.ParquetFile(folder / f"prints{n}").read_row_group(part) for n in range(count)]
        pq.write_table(repeated_prints(pa.concat_tables(tables)), folder / f"repeated{part}")
    timed("repeated", start)
    for shard in range(count):
        texts = pq.read_table(folder / f"texts{shard}")["text"].to_pylist()
        start = time.process_time()
        found = _marked(folder, shard, texts)
        timed("ranges", start)
        for text, ranges in found:
            _check(text, ranges, planted)
    return spent, size


def _write(path: Path, parts: Sequence[pa.Table]) -> None:
    with pq.ParquetWriter(path, parts[0].schema, compression="none") as writer:
        for part in parts:
            writer.write_table(part)


def _again(folder: Path, count: int, part: int) -> np.ndarray:
    tables = [pq.ParquetFile(folder / f"anchors{n}").read_row_group(part) for n in range(count)]
    keys = np.sort(pa.concat_tables(tables)["key"].to_numpy())
    return np.unique(keys[1:][keys[1:] == keys[:-1]])


def _marked(folder: Path, shard: int, texts: Sequence[str]) -> list[tuple[str, list[Span]]]:
    parts = [
        pq.read_table(folder / f"repeated{part}", filters=[("shard", "=", shard)])
        for part in range(PARTS)
    ]
    table = pa.concat_tables(parts).sort_by([("row", "ascending"), ("place", "ascending")])
    row, place, copies, first = (
        table[n].to_numpy() for n in ("row", "place", "copies", "is_first")
    )
    found = []
    for at, text in enumerate(texts):
        low, high = np.searchsorted(row, [at, at + 1])
        own = slice(low, high)
        ranges = spans(text, place[own], copies[own], first[own], LENGTH) if low < high else []
        found.append((text, ranges))
    return found


def _check(text: str, ranges: list[Span], planted: Counter[str]) -> None:
    """Every paragraph that stands in two texts is covered by one range or by neighbours."""
    marked = " ".join(text[one.start : one.end] for one in ranges)
    for paragraph in text.split("\n\n"):
        if planted[paragraph] > 1 and paragraph not in marked:
            raise BenchmarkError(f"not found: {paragraph[:80]}")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--megabytes", type=int, nargs="+", default=[20, 40, 80])
    parser.add_argument("--share", type=float, default=0.1)
    options = parser.parse_args()
    rows = []
    for megabytes in options.megabytes:
        with tempfile.TemporaryDirectory() as folder:
            spent, size = run(options.data, megabytes, options.share, Path(folder))
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        phases = [
            f"{spent[name]:.1f}" for name in ("anchors", "again", "prints", "repeated", "ranges")
        ]
        rate = size / 1e6 / sum(spent.values())
        rows.append((f"{size / 1e6:.0f} MB", *phases, f"{rate:.1f}", f"{memory:.0f}"))
    print_table(["", *PHASES, "MB/s", "RSS MB"], rows)


if __name__ == "__main__":
    main()
