"""Evaluation sets inside texts: recall, false marks and time, planted in real sentences.

    python -m benchmarks.decontamination [--data ../shared/data] [--texts 100000] [--items 1000]

Items are real sentences of 12 to 60 words of some files, texts six sentences of other files, drawn
anew in another order until there are enough. Into 1,000 texts an item each is planted: verbatim,
with 10 to 30 % of its words changed, or split over two paragraphs with a sentence between. Marked
is a text from a limit on its score on. For comparison: allenai/decon (Rust) publishes 34 µs a text for
its own sets and documents on its own machine; nothing of it was run here.
"""

# ruff: noqa: E501
from __future__ import annotations

import argparse
import gzip
import random
import resource
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from benchmarks.measuring import print_table
from pipeline.contamination.evaluation_sets import QUESTION, Probe
from pipeline.contamination.index import Scorer, build_index, inverse_frequencies

OWN = ("sv/ud.txt.gz", "nb/ndt_norne.txt.gz", "da/ud.txt.gz")
OTHERS = ("sv/sfs_statutes.txt.gz", "nb/kodeklubben.txt.gz", "da/adl_literature.txt.gz",
          "is/althingi_rmh2018.txt.gz", "is/lagasafn_statutes.txt.gz")  # fmt: skip
LIMITS, LENGTH, BATCH = (0.2, 0.25, 0.3), 3, 2000
WAYS = ("verbatim", "edited", "split")


def sentences(data: Path, names: Sequence[str], least: int, most: int) -> list[str]:
    """Different sentences of so many words."""
    lines = (
        line.strip()
        for name in names
        for line in gzip.decompress((data / "text" / name).read_bytes()).decode().splitlines()
    )
    return list(dict.fromkeys(line for line in lines if least <= len(line.split()) <= most))


def changed(item: str, way: str, between: str, chance: random.Random) -> str:
    """The item as it is planted."""
    words = item.split()
    if way == "edited":
        number = max(1, round(chance.uniform(0.1, 0.3) * len(words)))
        for at in chance.sample(range(len(words)), number):
            words[at] = f"ny{chance.randrange(10_000)}"
    if way == "split":
        half = len(words) // 2
        words[half:half] = ["\n\n", between, "\n\n"]
    return " ".join(words)


def texts(rest: Sequence[str], number: int, chance: random.Random) -> Iterator[str]:
    """Texts of six sentences each."""
    for _ in range(number):
        yield " ".join(chance.choice(rest) for _ in range(6))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--texts", type=int, default=100_000)
    parser.add_argument("--items", type=int, default=1000)
    options = parser.parse_args()
    chance = random.Random(1)
    items = chance.sample(sentences(options.data, OWN, 12, 60), options.items)
    rest = sentences(options.data, OTHERS, 5, 60)
    index = build_index(
        [Probe("planted", n, QUESTION, item) for n, item in enumerate(items)], LENGTH
    )
    clean = list(texts(rest, options.texts, chance))
    planted = [
        (n, way, f"{chance.choice(clean)}\n\n{changed(item, way, chance.choice(rest), chance)}\n\n")
        for n, item in enumerate(items)
        for way in WAYS
    ]
    batches = [
        pa.array(part)
        for rows in (clean, [text for _, _, text in planted])
        for part in (rows[at : at + BATCH] for at in range(0, len(rows), BATCH))
    ]
    start = time.process_time()
    frequencies = np.zeros(index.num_grams, np.int64)
    for batch in batches:
        frequencies += index.document_frequencies(index.hits(batch))
    counting = time.process_time() - start
    total = len(clean) + len(planted)
    weights = np.multiply(index.rarity, inverse_frequencies(frequencies, total))
    scorer = Scorer(index, weights)
    start = time.process_time()
    found = [rows[0] if rows else None for batch in batches for rows in scorer.matches(batch)]
    scoring = time.process_time() - start
    rows = []
    for limit in LIMITS:
        marks = dict.fromkeys(WAYS, 0)
        for (number, way, _), row in zip(planted, found[len(clean) :], strict=True):
            marks[way] += int(row is not None and row["item"] == number and row["score"] >= limit)
        false = sum(row is not None and row["score"] >= limit for row in found[: len(clean)])
        rows.append((limit, *(f"{marks[way] / len(items):.3f}" for way in WAYS), false))
    size = sum(map(len, clean)) / len(clean)
    print(
        f"{len(clean):,} texts of {size:.0f} characters, {index.num_grams:,} runs of {LENGTH} words"
    )
    print_table(["limit", *WAYS, "false marks"], rows)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    index_mb = (index.hashes.nbytes + index.numbers.nbytes + index.of_gram.nbytes * 4) / 1e6
    print(
        f"µs of CPU a text: {counting / total * 1e6:.1f} to "
        f"count, {scoring / total * 1e6:.1f} to score; index {index_mb:.1f} MB, process {memory:.0f} MB"
    )


if __name__ == "__main__":
    main()
