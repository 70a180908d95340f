"""The recipe of a weights file.

    python -m skord.models.scandinavian.train --out weights.npz --held-out lid.jsonl.gz
        --text sv talbanken.txt.gz sfs.txt.gz --text da ddt.txt.gz …

Files have a sentence on each line; of FILE=N, N lines are taken, evenly spread, so that no genre
drowns the others. Samples are one to three lines in a row, three tenths of
them cut short, as many of each language. Sentences that are held out for evaluation, and
those of fewer than 15 characters, are left out.
"""

from __future__ import annotations

import argparse
import gzip
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from skord.models.scandinavian.evaluate import read_labelled
from skord.models.scandinavian.interface import (
    LANGUAGES,
    Weights,
    read_letters,
    stepped_weights,
    write_weights,
)
from skord.native import train_letter_grams


@dataclass(frozen=True)
class Recipe:
    """Every number of the training; chosen on sentences that `evaluate` does not report.

    Attributes:
        longest: letters of the longest n-gram.
        samples: of each language.
        passes: over all samples.
        rate: step at the beginning; it falls to zero.
        prior: see `Weights`.
        seed: of all chance.
    """

    longest: int = 5
    buckets: int = 1 << 17
    samples: int = 20_000
    passes: int = 8
    rate: float = 300.0
    prior: float = 0.3
    seed: int = 1


SHORTEST = 15


def main() -> None:
    """Read the command line; write the weights."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--text", nargs="+", action="append", required=True, metavar="LANG FILE")
    parser.add_argument("--held-out", type=Path, nargs="*", default=[], help="lines {lang, text}")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    held_out = frozenset(
        comparable_sentence(text) for path in args.held_out for _, text in read_labelled(path)
    )
    recipe = Recipe()
    lines = {language: list(training_lines(files, held_out)) for language, *files in args.text}
    for language, entries in lines.items():
        print(f"{language}: {len(entries)} lines, {sum(map(len, entries))} characters")
    write_weights(args.out, train_scandinavian(lines, recipe))


def comparable_sentence(text: str) -> str:
    """What two sentences are compared by: letters and digits in lower case."""
    return "".join(filter(str.isalnum, text.lower()))


def training_lines(files: Sequence[str], held_out: frozenset[str]) -> Iterator[str]:
    """Lines of some files, without those held out, short or seen before."""
    seen = set(held_out)
    for file in files:
        for line in _read_lines(*file.split("=")):
            if len(line) >= SHORTEST and (key := comparable_sentence(line)) not in seen:
                seen.add(key)
                yield line


def _read_lines(path: str, at_most: str = "") -> Sequence[str]:
    with gzip.open(path, "rt", encoding="utf-8") as text:
        lines = [line.strip() for line in text]
    step = max(1, len(lines) // int(at_most)) if at_most else 1
    return lines[::step]


def train_scandinavian(lines: Mapping[str, Sequence[str]], recipe: Recipe) -> Weights:
    """Weights from lines by language; the same lines and recipe give the same weights."""
    chance = random.Random(recipe.seed)
    samples = [
        (place, _sample_lines(lines[language], chance))
        for place, language in enumerate(LANGUAGES)
        if lines.get(language)
        for _ in range(recipe.samples)
    ]
    answers = np.array([place for place, _ in samples], np.int64)
    letters = read_letters([text for _, text in samples])
    table = np.zeros((recipe.buckets, len(LANGUAGES)), np.float32)
    orders = np.random.default_rng(recipe.seed)
    for done in range(recipe.passes):
        rates = [recipe.rate * (1 - at / recipe.passes) for at in (done, done + 1)]
        order = orders.permutation(len(samples))
        loss = train_letter_grams(
            letters,
            (order, answers, recipe.longest, len(LANGUAGES), rates[0], rates[1]),
            table,
        )
        print(f"pass {done + 1}: mean loss {loss:.4f}", flush=True)
    return stepped_weights(table, recipe.longest, recipe.prior)


def _sample_lines(lines: Sequence[str], chance: random.Random) -> str:
    first = chance.randrange(len(lines))
    text = " ".join(lines[first : first + chance.choice((1, 1, 1, 2, 3))])
    return text[: chance.randint(20, 200)] if chance.random() < 0.3 else text


if __name__ == "__main__":
    main()
