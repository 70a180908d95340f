"""Evaluation sets inside texts: recall, false marks and time, planted in real sentences.

    python -m benchmarks decontamination [--data ../shared/data] [--texts 1000000]

Items are real sentences of 6 to 60 words with the one that follows as their answer. Each is planted
five times, within a text of its own: word for word, with 10 to 30 % of its words changed (seven
of ten replaced by a word of the other texts, the others left out or put in), cut into three parts
in another order, split over two paragraphs with a sentence between, and as question without its
answer (of all five nothing else is planted). Texts are six sentences of other sources: statutes,
literature, web pages in Swedish, Danish, Norwegian, Icelandic and English, drawn anew for
each text. The limits of `skord.contamination.index` were chosen with items of Swedish, Bokmål and
Danish treebanks, none of which is used here.
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import json
import random
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from benchmarks.measuring import print_table
from skord.extras.contamination.evaluation_sets import ANSWER, QUESTION, Probe
from skord.extras.contamination.index import (
    FORMULA_TEXTS,
    MARKED,
    Copies,
    Frequencies,
    Index,
    Scorer,
    build_index,
    formulas_of,
)

SEALED = ("en/ud", "is/ud", "nn/ud", "nb/ud", "fi/ud", "lv/ud_lvtb_dev", "fo/ud")
"""Sources of items."""

SEED = 20261125
OTHERS = ("sv/sfs_statutes", "nb/kodeklubben", "nn/kodeklubben", "da/adl_literature",
          "is/lagasafn_statutes", "lv/fullstack_lv")  # fmt: skip
"""Not the Icelandic debates: the treebank holds sentences of them, and each would be a true mark."""
PAGES = ("wcxb_dev", "cleaneval", "dragnet", "scrapinghub", "fundus", "sites")
LIMITS, LENGTH, BATCH = (0.4, MARKED, 0.6), 3, 2000

Way = Callable[[str, Sequence[str], random.Random], str]


def lines_of(path: Path) -> list[str]:
    """Lines of a gzipped text."""
    return gzip.decompress(path.read_bytes()).decode().rstrip("\n").split("\n")


def sentences(texts: Iterable[str], least: int, most: int) -> list[str]:
    """Different sentences of so many words."""
    parts = (
        part.strip()
        for text in texts
        for part in re.split(r"(?<=[.!?])\s+(?=[^\W\d_a-z])|\n", text)
    )
    return list(dict.fromkeys(part for part in parts if least <= len(part.split()) <= most))


@cache
def pool(data: Path) -> list[str]:
    """Sentences that texts are made of."""
    texts = [line for name in OTHERS for line in lines_of(data / "text" / f"{name}.txt.gz")]
    texts += [
        line.partition("\t")[2] for line in lines_of(data / "register" / "swecore_train.tsv.gz")
    ]
    for name in PAGES:
        for line in lines_of(data / "extraction" / f"{name}.jsonl.gz"):
            gold = json.loads(line).get("gold_text") or ""
            texts.append(gold if isinstance(gold, str) else "\n".join(gold))
    return sentences(texts, 4, 60)


def verbatim(item: str, rest: Sequence[str], chance: random.Random) -> str:
    """As it is."""
    del rest, chance
    return item


def edited(item: str, rest: Sequence[str], chance: random.Random) -> str:
    """With 10 to 30 % of its words changed."""
    words = item.split()
    number = max(1, round(chance.uniform(0.1, 0.3) * len(words)))
    for at in sorted(chance.sample(range(len(words)), number), reverse=True):
        other = chance.choice(chance.choice(rest).split())
        kind = chance.random()
        words[at : at + 1] = [other] if kind < 0.7 else [] if kind < 0.85 else [words[at], other]
    return " ".join(words)


def reordered(item: str, rest: Sequence[str], chance: random.Random) -> str:
    """Its three parts in another order."""
    del rest
    words = item.split()
    low, high = sorted(chance.sample(range(1, len(words)), 2))
    parts = [words[:low], words[low:high], words[high:]]
    orders = list(itertools.permutations(parts))[1:]
    return " ".join(word for part in chance.choice(orders) for word in part)


def split(item: str, rest: Sequence[str], chance: random.Random) -> str:
    """Over two paragraphs with a sentence between."""
    words = item.split()
    half = len(words) // 2
    return f"{' '.join(words[:half])}\n\n{chance.choice(rest)}\n\n{' '.join(words[half:])}"


WAYS: dict[str, Way] = {
    "verbatim": verbatim, "edited": edited, "reordered": reordered, "split": split,
}  # fmt: skip


def planted(
    items: Sequence[str], rest: Sequence[str], chance: random.Random
) -> Iterator[tuple[int, str, str]]:
    """Number of the item, way, and a text with it somewhere between its sentences."""
    for number, item in enumerate(items):
        for way, change in WAYS.items():
            own = [chance.choice(rest) for _ in range(6)]
            own.insert(chance.randint(0, 6), change(item, rest, chance))
            yield number, way, " ".join(own)


def clean(rest: Sequence[str], number: int, seed: int) -> Iterator[str]:
    """Texts of six sentences each."""
    chance = random.Random(seed)
    return (" ".join(chance.choices(rest, k=6)) for _ in range(number))


def batches(texts: Iterable[str]) -> Iterator[pa.Array]:
    """So many at once as a row group has."""
    texts = iter(texts)
    while part := list(itertools.islice(texts, BATCH)):
        yield pa.array(part)


class Planting(NamedTuple):
    """What is looked for, and in what.

    Attributes:
        probes: question and answer of each item in turn.
        dirty: number of the item, way, text.
        rest: sentences of the texts that hold none.
    """

    probes: list[Probe]
    dirty: list[tuple[int, str, str]]
    rest: list[str]


class Spent(NamedTuple):
    """CPU seconds of a pass, texts and bytes of them."""

    seconds: float
    texts: int
    size: int


def prepared(data: Path, number: int, seed: int, names: Sequence[str]) -> Planting:
    """Items of some sources, planted; no other text holds a sentence of these."""
    chance = random.Random(seed)
    results = [sentences(lines_of(data / "text" / f"{name}.txt.gz"), 6, 60) for name in names]
    known = {one for lines in results for one in lines}
    pairs = [pair for lines in results for pair in itertools.pairwise(lines)]
    chosen = chance.sample(pairs, number)
    rest = [one for one in pool(data) if one not in known]
    probes = [
        Probe("planted", n, part, text)
        for n, pair in enumerate(chosen)
        for part, text in zip((QUESTION, ANSWER), pair, strict=True)
    ]
    return Planting(probes, list(planted([one for one, _ in chosen], rest, chance)), rest)


def counted(index: Index, texts: Iterable[str]) -> tuple[Frequencies, Spent]:
    """How frequent words and runs are in all texts."""
    seconds, total, size = 0.0, 0, 0
    words, grams = np.zeros(index.words.size, np.int64), np.zeros(index.grams.size, np.int64)
    for batch in batches(texts):
        start = time.process_time()
        frequencies = index.frequencies(batch)
        words, grams = words + frequencies.words, grams + frequencies.grams
        seconds += time.process_time() - start
        total, size = total + len(batch), size + batch.nbytes
    return Frequencies(words, grams, total), Spent(seconds, total, size)


def copied(scorer: Scorer, texts: Iterable[str]) -> tuple[Copies, float]:
    """How many texts hold each item, in part and as a whole, and CPU seconds."""
    counts, seconds = np.zeros((2, len(scorer.index.probes)), np.int64), 0.0
    for batch in batches(texts):
        start = time.process_time()
        counts += scorer.copies(batch)
        seconds += time.process_time() - start
    return Copies(*counts), seconds


def false_marks(
    scorer: Scorer, texts: Iterable[str], probes: Sequence[Probe]
) -> tuple[list[tuple[float, str, str]], float]:
    """Score, passage and item of each text that is marked, and CPU seconds."""
    false, seconds = [], 0.0
    for batch in batches(texts):
        start = time.process_time()
        rows = list(scorer.matches(batch))
        seconds += time.process_time() - start
        for best in (own[0] for own in rows if own and not own[0]["is_formula"]):
            probe = probes[2 * best["item"] + (best["part"] == ANSWER)]
            false.append((best["score"], best["passage"], probe.text))
    return false, seconds


def found_items(scorer: Scorer, planting: Planting) -> list[tuple[float, float]]:
    """Scores of the question and of the answer of each planted item, in the text it is in."""
    result = []
    for first, batch in zip(
        itertools.count(0, BATCH), batches(text for *_, text in planting.dirty), strict=False
    ):
        part = planting.dirty[first : first + BATCH]
        for (number, *_), own in zip(part, scorer.matches(batch), strict=True):
            scores = {
                row["part"]: row["score"]
                for row in reversed(own)
                if row["item"] == number and not row["is_formula"]
            }
            result.append((scores.get(QUESTION, 0.0), scores.get(ANSWER, 0.0)))
    return result


def shares(planting: Planting, scores: Sequence[tuple[float, float]], limit: float) -> list[str]:
    """Share of the items found for each way, and of those under twelve words."""
    hits: dict[tuple[str, bool], list[bool]] = {}
    for (number, way, _), (score, _) in zip(planting.dirty, scores, strict=True):
        is_short = len(planting.probes[2 * number].text.split()) < 12
        hits.setdefault((way, is_short), []).append(score >= limit)
    return [
        f"{np.mean(hits[way, True] + hits[way, False]):.3f} ({np.mean(hits[way, True]):.3f})"
        for way in WAYS
    ]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--texts", type=int, default=1_000_000)
    parser.add_argument("--items", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=SEED)
    options = parser.parse_args()
    planting = prepared(options.data, options.items, options.seed, SEALED)
    index = build_index(planting.probes, LENGTH)
    dirty = [text for *_, text in planting.dirty]
    frequencies, spent = counted(
        index, itertools.chain(clean(planting.rest, options.texts, options.seed), dirty)
    )
    copies, finding = copied(
        Scorer(index, frequencies),
        itertools.chain(clean(planting.rest, options.texts, options.seed), dirty),
    )
    formulas = formulas_of(copies, FORMULA_TEXTS)
    scorer = Scorer(index, frequencies, formulas=formulas)
    false, scoring = false_marks(
        scorer, clean(planting.rest, options.texts, options.seed), planting.probes
    )
    scores = found_items(scorer, planting)
    print(
        f"{spent.texts:,} texts of {spent.size / spent.texts:.0f} bytes, {len(planting.probes):,} "
        f"questions and answers, {index.grams.size:,} runs of {LENGTH} words"
    )
    print_table(
        ["score from", *WAYS, f"false marks in {options.texts:,}", "of different sentences"],
        [
            (limit, *shares(planting, scores, limit), len(marks), len(set(marks)))
            for limit in LIMITS
            for marks in [[one[1:] for one in false if one[0] >= limit]]
        ],
    )
    answers = sum(
        answer >= MARKED
        for (_, way, _), (_, answer) in zip(planting.dirty, scores, strict=True)
        if way == "verbatim"
    )
    print(
        f"in brackets items under 12 words; answers told where only the question stands: {answers}"
    )
    print(
        f"µs of CPU a text: {spent.seconds / spent.texts * 1e6:.1f} to count, "
        f"{finding / spent.texts * 1e6:.1f} to find formulas ({formulas.sum()}), "
        f"{scoring / options.texts * 1e6:.1f} to score; index {index.nbytes / 1e6:.1f} MB"
    )


if __name__ == "__main__":
    main()
