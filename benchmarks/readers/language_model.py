"""Lines a second of CPU that a language model scores: compiled here, and by the packages.

    make bench-language-model ARGS="--models FOLDER"

Each line is cut into pieces (SentencePiece, unigram) and its n-grams are looked up (KenLM): here by
`skord.native`, there by sentencepiece and kenlm. Scores are compared: they are equal to the
last bit. `pieces` is sentencepiece's share of the packages' time.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.measuring import print_table
from benchmarks.readers.texts import normalised_lines
from skord.models.language_model.files import FOLDER, find_languages
from skord.models.language_model.scorer import CompiledScores, PackagedScores
from skord.native import vector_width


def main() -> None:
    """Print the table and the ratio."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--models", type=Path, default=FOLDER)
    parser.add_argument("--language", default="sv")
    parser.add_argument("--texts", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    files = find_languages(args.models)[args.language]
    compiled, packaged = CompiledScores(files), PackagedScores(files)
    chance = random.Random(3)
    rates: dict[str, list[float]] = {"compiled here": [], "packages": [], "pieces": []}
    for _ in range(args.rounds):
        lines = normalised_lines(chance, args.texts)
        work: dict[str, Callable[[], object]] = {
            "compiled here": lambda lines=lines: list(compiled(lines)),
            "packages": lambda lines=lines: list(packaged(lines)),
            "pieces": lambda lines=lines: packaged._pieces.encode(lines, out_type=str),
        }
        if list(compiled(lines)) != list(packaged(lines)):
            raise SystemExit("scores differ")
        for name, run in work.items():
            start = time.process_time()
            run()
            rates[name].append(len(lines) / (time.process_time() - start))
    medians = {name: statistics.median(results) for name, results in rates.items()}
    print_table(["lines/s", "median"], [[name, rate] for name, rate in medians.items()])
    print(
        f"language-model: {medians['compiled here'] / medians['packages']:.1f}× the packages; "
        f"{vector_width()}, load {os.getloadavg()[0]:.1f}"
    )


if __name__ == "__main__":
    main()
