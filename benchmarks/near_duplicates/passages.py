"""Repeated passages: speed and memory of FindRepeatedPassages' steps, and how both grow.

    python -m benchmarks passages [--data ../shared/data] [--megabytes 100 1000] [--folder DIR]

Texts of some 3,000 bytes are words of real texts, drawn in the frequencies that they have there.
Into one text of eight a paragraph of 60 to 200 such words is put that stands in 2 to 10 others,
too, between words that stand nowhere else. Each step of the task runs in a process of its own,
over shards of some 30 MB, with the files that the task has between them; told are CPU seconds
without the making of texts and the comparison, MB of text a second, and the most memory (RSS) that
the process of any step had, Python and its libraries among it. Every token planted twice must be in
a range, and no other token.
"""

from __future__ import annotations

import argparse
import gzip
import multiprocessing
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from benchmarks.measuring import BenchmarkError, print_table
from skord.core.storage.column_store import ColumnStore
from skord.core.storage.filesystem import Storage
from skord.extras.passages.passage_files import Batch, PassageFiles, partitions_for
from skord.extras.passages.passages import marked_texts

LENGTH, SHARD_TEXTS, GROUP, WORDS = 50, 10_000, 1000, 480
DUMP = "2024-10"
STEPS = ("anchors", "again", "prints", "repeated", "ranges")


@dataclass(frozen=True)
class Texts:
    """Texts to be made, all from their numbers.

    Attributes:
        folder: where they and all tables go.
        data: with the real texts.
        num_shards: of `SHARD_TEXTS` texts.
        num_partitions: as the task chooses them.
    """

    folder: Path
    data: Path
    num_shards: int
    num_partitions: int

    def path(self, shard: int) -> Path:
        """The file of a shard's texts."""
        return self.folder / f"texts-{shard:05d}.parquet"

    def files(self) -> PassageFiles:
        """The steps, as the task has them."""
        store = ColumnStore(Storage(str(self.folder / "data")), DUMP)
        return PassageFiles(store, "FindRepeatedPassages", "f" * 16, self.num_shards,
                            self.num_partitions, LENGTH)  # fmt: skip

    def batches(self, shard: int) -> Iterator[Batch]:
        """Ids and texts, row group for row group."""
        with pq.ParquetFile(self.path(shard)) as file:
            for group in range(file.num_row_groups):
                table = file.read_row_group(group, use_threads=False)
                yield table["id"], table["text"]

    def planted(self) -> dict[int, dict[int, list[int]]]:
        """Shard to text to the numbers of its paragraphs; each is in two texts or more."""
        chance = np.random.default_rng(1)
        number = self.num_shards * SHARD_TEXTS // 48
        copies = chance.integers(2, 11, number)
        places = chance.integers(0, self.num_shards * SHARD_TEXTS, copies.sum())
        result: dict[int, dict[int, list[int]]] = {}
        for paragraph, place in zip(np.repeat(np.arange(number), copies).tolist(), places.tolist(),
                                    strict=True):  # fmt: skip
            shard, text = divmod(place, SHARD_TEXTS)
            result.setdefault(shard, {}).setdefault(text, []).append(paragraph)
        return result


def vocabulary(data: Path) -> pa.Array:
    """Words of real texts, as often as they stand there."""
    words = [
        word
        for path in sorted(data.glob("text/*/*.txt.gz"))
        if "_NC" not in path.name and path.parts[-2] in ("sv", "da", "nb", "is")
        for word in gzip.decompress(path.read_bytes()).decode().split()
    ]
    return pa.array(words, pa.string())


def joined(words: pa.Array, starts: NDArray[np.int32]) -> list[str]:
    """Lists of words as texts."""
    texts: list[str] = pc.binary_join(pa.ListArray.from_arrays(starts, words), " ").to_pylist()
    return texts


def paragraph(number: int, words: pa.Array) -> str:
    """The paragraph of a number."""
    chance = np.random.default_rng([2, number])
    drawn = words.take(pa.array(chance.integers(0, len(words), chance.integers(60, 201))))
    return " ".join(drawn.to_pylist())


def make_texts(texts: Texts) -> float:
    """Write all texts; returns their bytes."""
    words, size = vocabulary(texts.data), 0
    planted = texts.planted()
    for shard in range(texts.num_shards):
        chance = np.random.default_rng([3, shard])
        with pq.ParquetWriter(
            texts.path(shard), pa.schema([("id", pa.string()), ("text", pa.string())])
        ) as file:
            for first in range(0, SHARD_TEXTS, GROUP):
                drawn = words.take(pa.array(chance.integers(0, len(words), GROUP * WORDS)))
                whole = joined(drawn, np.arange(0, GROUP * WORDS + 1, WORDS, dtype=np.int32))
                for text, numbers in planted.get(shard, {}).items():
                    if first <= text < first + GROUP:
                        for place, number in enumerate(numbers):
                            mark = f"⁂{shard}-{text}-{place}"
                            whole[text - first] += f"\n\n{mark} {paragraph(number, words)} {mark}"
                size += sum(len(text.encode()) for text in whole)
                ids = [f"{shard}-{first + at}" for at in range(GROUP)]
                file.write_table(pa.table({"id": ids, "text": whole}))
    return float(size)


def anchors(texts: Texts) -> float:
    """The first step; returns CPU seconds that do not count, as do the others."""
    files = texts.files()
    for shard in range(texts.num_shards):
        files.list_anchors(shard, texts.batches(shard))
    return 0.0


def again(texts: Texts) -> float:
    """The second."""
    for part in range(texts.num_partitions):
        texts.files().find_anchors(part)
    return 0.0


def prints(texts: Texts) -> float:
    """The third."""
    files = texts.files()
    for shard in range(texts.num_shards):
        files.list_prints(shard, lambda shard=shard: texts.batches(shard))  # type: ignore[misc]
    return 0.0


def repeated(texts: Texts) -> float:
    """The fourth."""
    for part in range(texts.num_partitions):
        texts.files().find_prints(part)
    return 0.0


def ranges(texts: Texts) -> float:
    """The last, its answers compared with what was planted."""
    files, compared = texts.files(), 0.0
    planted = texts.planted()
    for shard in range(texts.num_shards):
        table = files.of_shard(shard)
        first = 0
        for _, column in texts.batches(shard):
            passages = list(marked_texts(table, first, column, LENGTH))
            start = time.process_time()
            for at, (text, spans) in enumerate(zip(column.to_pylist(), passages, strict=True)):
                count = len(planted.get(shard, {}).get(first + at, ()))
                _check(text, [(one.start, one.end) for one in spans or ()], count)
            first += len(column)
            compared += time.process_time() - start
    return compared


def _check(text: str, spans: list[tuple[int, int]], count: int) -> None:
    """The ranges are what stands between the marks, no more and no less."""
    parts = text.split("⁂")[1:]
    wanted = [parts[at].partition(" ")[2].strip() for at in range(0, len(parts), 2)]
    joined_up: list[list[int]] = []
    for start, end in spans:
        if joined_up and not text[joined_up[-1][1] : start].strip():
            joined_up[-1][1] = end
        else:
            joined_up.append([start, end])
    if len(wanted) != count or [text[start:end] for start, end in joined_up] != wanted:
        raise BenchmarkError(f"found {joined_up}, planted {count}: {text[-200:]}")


@dataclass(frozen=True)
class Spent:
    """What a step returned, the CPU seconds that it took and its process' peak memory."""

    result: float
    cpu_s: float
    peak_mb: float


def _measured(step: Callable[[Texts], float], texts: Texts, to: Connection) -> None:
    start = time.process_time()
    result = step(texts)
    seconds = time.process_time() - start
    to.send(Spent(result, seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024))


def alone(step: Callable[[Texts], float], texts: Texts) -> Spent:
    """A step in a process of its own."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=_measured, args=(step, texts, there))
    process.start()
    there.close()
    try:
        spent: Spent = here.recv()
    except EOFError as error:
        raise BenchmarkError(f"{step.__name__} ended without a figure") from error
    process.join()
    if step is not make_texts:
        seconds = spent.cpu_s - spent.result
        print(f"{step.__name__}: {seconds:.1f} s, {spent.peak_mb:.0f} MB", flush=True)
    return spent


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--megabytes", type=int, nargs="+", default=[100, 1000])
    parser.add_argument("--folder", type=Path, help="where files go; the system's when left out")
    options = parser.parse_args()
    rows = []
    for megabytes in options.megabytes:
        with tempfile.TemporaryDirectory(dir=options.folder) as folder:
            shards = max(1, round(megabytes / 31))
            texts = Texts(Path(folder), options.data, shards, partitions_for(megabytes * 10**6))
            size = alone(make_texts, texts).result
            print(f"{size / 1e6:,.0f} MB of text", flush=True)
            steps = [alone(step, texts) for step in (anchors, again, prints, repeated, ranges)]
        spent = [one.cpu_s - one.result for one in steps]
        rate = size / 1e6 / sum(spent)
        peaks = [one.peak_mb for one in steps]
        shown = (f"{s:.1f} s, {mb:.0f} MB" for s, mb in zip(spent, peaks, strict=True))
        rows.append((f"{size / 1e6:,.0f} MB", *shown, f"{rate:.1f}", f"{max(peaks):.0f}"))
        print_table(["", *STEPS, "MB/s", "RSS MB"], rows[-1:])
    print_table(["", *STEPS, "MB/s", "RSS MB"], rows)


if __name__ == "__main__":
    main()
