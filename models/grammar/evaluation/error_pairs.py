"""Sentences with errors and without: does the corrected side score higher?

Icelandic: each sentence of iceErrorCorpus and its correction. Swedish: a learner's sentence of
SweLL with words marked wrong, and the next of the same corpus without any and of nearly the same
length (it has no corrections).
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from skord.core.failures import ConfigError
from skord.models.grammar.grader import Grade, Grader

LEAST_WORDS = 4
NEARLY = 2
"""Words by which a Swedish pair may differ."""

Pair = tuple[str, str]
"""A sentence with errors, and one without."""


@dataclass(frozen=True)
class Preferred:
    """How often the side without errors scored higher, of the pairs that differ in score."""

    pairs: int
    different: int
    share: float


def preferred_sides(
    pairs: Sequence[Pair], grader: Grader, score: Callable[[Grade], float]
) -> Preferred:
    """Compare both sides of each pair."""
    scored = [(score(grader.grade(bad)), score(grader.grade(good))) for bad, good in pairs]
    different = [(bad, good) for bad, good in scored if abs(bad - good) > 1e-9]
    higher = sum(good > bad for bad, good in different)
    return Preferred(len(pairs), len(different), higher / max(1, len(different)))


def icelandic_pairs(folder: Path) -> list[Pair]:
    """Sentences of iceErrorCorpus that the correction changed."""
    with gzip.open(_error_files(folder, "iceErrorCorpus.jsonl.gz"), "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    pairs = [(row["original"], row["corrected"]) for row in rows]
    return [(bad, good) for bad, good in pairs if bad != good]


def swedish_pairs(folder: Path) -> list[Pair]:
    """Sentences with marked words, each with the next unused one that has none."""
    sentences = list(_labelled_sentences(_error_files(folder, "multiged_sv_swell_train.tsv.gz")))
    clean = [(at, words) for at, (words, wrong) in enumerate(sentences) if not wrong]
    used: set[int] = set()
    pairs = []
    for at, (words, wrong) in enumerate(sentences):
        if not wrong or len(words) < LEAST_WORDS:
            continue
        for other, candidate in clean:
            if other > at and other not in used and abs(len(candidate) - len(words)) <= NEARLY:
                used.add(other)
                pairs.append((" ".join(words), " ".join(candidate)))
                break
    return pairs


def _labelled_sentences(path: Path) -> Iterator[tuple[list[str], bool]]:
    """Words of each sentence, and whether any is marked wrong."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for block in file.read().split("\n\n"):
            rows = [line.split("\t") for line in block.split("\n") if "\t" in line]
            if rows:
                yield [row[0] for row in rows], any(row[1] == "i" for row in rows)


def _error_files(folder: Path, name: str) -> Path:
    for path in folder.rglob(name):
        return path
    raise ConfigError(f"{name} is not in {folder}")
