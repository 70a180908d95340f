"""The figures of CARD.md: what the grades tell apart, on text that the grammars have not seen.

    python -m skord.models.grammar.evaluate --data FOLDER [FOLDER …] [--only lv sv]

The folders are those of `skord.models.grammar.train`, and hold the texts and error corpora besides.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from skord.models.grammar.evaluation import error_pairs
from skord.models.grammar.evaluation.corruptions import CORRUPTIONS
from skord.models.grammar.evaluation.elsewhere import Elsewhere, auc_elsewhere, elsewhere_table
from skord.models.grammar.evaluation.measure import (
    Measured,
    calibrated_areas,
    calibrated_on,
    corruption_aucs,
    grade_folds,
)
from skord.models.grammar.evaluation.simulated_crawl import Precision, simulated_crawl_precision
from skord.models.grammar.grader import Grade
from skord.models.grammar.grammaticality import grammaticality
from skord.models.grammar.interface import load_calibration, load_grader
from skord.models.grammar.treebanks.materials import (
    MATERIALS,
    corruption_material,
    running_words,
    treebank_folds,
)

REPORTED = (40, 200)
Areas = Mapping[str, float]


def avg_size(grade: Grade) -> float:
    """The published size."""
    return grade.sizes.avg_size


def recognized_share(grade: Grade) -> float:
    """The share of recognised words."""
    return grade.sizes.recognized


def known_share(grade: Grade) -> float:
    """The share of known words: what a spelling checker tells."""
    return grade.known / max(1, grade.words)


SCORES: Mapping[str, Callable[[Grade], float]] = {
    "known %": known_share,
    "recognized %": recognized_share,
    "avg_size": avg_size,
}
CALIBRATED = "grammaticality"


@dataclass(frozen=True)
class Figures:
    """What was measured of one language: AUC by words, score and corruption, and the crawl."""

    areas: Mapping[tuple[int, str], Areas]
    crawl: Precision
    elsewhere: Elsewhere


def language_figures(language: str, folders: Sequence[Path]) -> Figures:
    """Everything of one language."""
    measured = grade_folds(language, folders)
    by_score: dict[tuple[int, str], Areas] = {}
    for words in REPORTED:
        kinds = measured.grades[words]
        by_score.update(
            {(words, name): corruption_aucs(kinds, score) for name, score in SCORES.items()}
        )
        by_score[words, CALIBRATED] = calibrated_areas(measured, words)
    return Figures(
        by_score,
        evaluate_simulated_crawl(language, folders, measured),
        auc_elsewhere(language, folders, measured),
    )


def evaluate_simulated_crawl(
    language: str, folders: Sequence[Path], measured: Measured
) -> Precision:
    """The simulated crawl out of the first fold's held-out text."""
    fold = next(iter(treebank_folds(language, folders)))
    around = corruption_material(language, fold, folders)
    return simulated_crawl_precision(
        measured.graders[0], calibrated_on(measured), running_words(fold.test), around
    )


def mean_auc(tables: Mapping[str, Figures]) -> list[str]:
    """Mean AUC of each score, over languages."""
    names = [*SCORES, CALIBRATED]
    head = ["| words | " + " | ".join(names) + " |", "|---|" + "---|" * len(names)]
    rows = [
        f"| {words} | "
        + " | ".join(
            f"{_mean([_mean(t.areas[words, name].values()) for t in tables.values()]):.3f}"
            for name in names
        )
        + " |"
        for words in REPORTED
    ]
    return head + rows


def by_corruption(tables: Mapping[str, Figures], name: str) -> list[str]:
    """AUC of a score for each corruption and language, at both lengths."""
    head = [
        "| corruption | " + " | ".join(tables) + " | mean |",
        "|---|" + "---|" * (len(tables) + 1),
    ]
    rows = []
    for kind in CORRUPTIONS:
        cells = [
            "/".join(f"{table.areas[words, name][kind]:.2f}" for words in REPORTED)
            for table in tables.values()
        ]
        mean = "/".join(
            f"{_mean([t.areas[words, name][kind] for t in tables.values()]):.3f}"
            for words in REPORTED
        )
        rows.append(f"| {kind} | " + " | ".join(cells) + f" | {mean} |")
    last = [
        "/".join(f"{_mean(table.areas[words, name].values()):.3f}" for words in REPORTED)
        for table in tables.values()
    ]
    return [*head, *rows, "| **mean** | " + " | ".join(last) + " | |"]


def mean_crawl_precision(tables: Mapping[str, Figures]) -> list[str]:
    """Average precision of the simulated crawls."""
    head = ["| | recognised words | avg_size | worth |", "|---|---|---|---|"]
    return head + [
        f"| {code} | {t.crawl.by_recognized_words:.2f} | {t.crawl.by_avg_size:.2f} "
        f"| {t.crawl.by_worth:.2f} |"
        for code, t in tables.items()
    ]


def error_pair_figures(folders: Sequence[Path]) -> list[str]:
    """Which side of the error pairs scores higher."""
    lines = ["| pairs | number | of different score | corrected higher |", "|---|---|---|---|"]
    readers = {"is": error_pairs.icelandic_pairs, "sv": error_pairs.swedish_pairs}
    for code, read in readers.items():
        grader, weights = load_grader(code), load_calibration(code)
        error_rows = read(_folder_with_errors(folders))
        scores: dict[str, Callable[[Grade], float]] = dict(SCORES)
        if weights:
            scores[CALIBRATED] = partial(grammaticality, calibration=weights)
        for name, score in scores.items():
            rate = error_pairs.preferred_sides(error_rows, grader, score)
            lines.append(f"| {code}, {name} | {rate.pairs} | {rate.different} | {rate.share:.1%} |")
    return lines


def _folder_with_errors(folders: Sequence[Path]) -> Path:
    holding = [folder for folder in folders if any(folder.rglob("iceErrorCorpus.jsonl.gz"))]
    return holding[0] if holding else folders[0]


def _mean(values: Iterable[float]) -> float:
    numbers = list(values)
    return sum(numbers) / len(numbers)


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(
        prog="python -m skord.models.grammar.evaluate", description=__doc__
    )
    parser.add_argument("--data", type=Path, nargs="+", required=True)
    parser.add_argument("--only", nargs="+", choices=sorted(MATERIALS), default=list(MATERIALS))
    options = parser.parse_args()
    tables = {code: language_figures(code, options.data) for code in options.only}
    print("\nMean AUC over languages and corruptions\n", *mean_auc(tables), sep="\n")
    for name in ("avg_size", CALIBRATED):
        print(f"\n{name}, AUC at {REPORTED} words\n", *by_corruption(tables, name), sep="\n")
    print("\nSimulated crawl, average precision\n", *mean_crawl_precision(tables), sep="\n")
    print(
        "\nElsewhere, against shuffled, AUC\n",
        *elsewhere_table({code: t.elsewhere for code, t in tables.items()}),
        sep="\n",
    )
    print("\nErrors\n", *error_pair_figures(options.data), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
