"""Grades of held-out snippets, good and spoilt, and how well a score parts the two."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np

from skord.models.grammar.calibrate import Spoilt, fit_calibration
from skord.models.grammar.evaluation.corruptions import CORRUPTIONS, Surroundings, joined_sentences
from skord.models.grammar.evaluation.misspelling import misspelt_sentences
from skord.models.grammar.forms import load_forms
from skord.models.grammar.grader import Grade, Grader
from skord.models.grammar.grammaticality import Calibration, grammaticality
from skord.models.grammar.induce import Recipe, induce_grammar
from skord.models.grammar.treebanks.materials import (
    MATERIALS,
    corruption_material,
    running_words,
    sentence_snippets,
    treebank_folds,
)

LENGTHS = (15, 40, 200)
SHORT = (15, 40)
"""Lengths at which a word misspelt is much of a text: a sentence or two."""
SEED = 7

Grades = dict[int, dict[str, list[Grade]]]
Score = Callable[[Grade], float]
GOOD = "good"
MISSPELT = "misspelt"
TOLD_APART = CORRUPTIONS.keys() - {"lemmas", "20 % swapped", "bigram salad"}
"""What the weights are fitted to. Text by a Markov chain and the like is so nearly good that for
its sake good text of other kinds than a treebank's would count as bad."""


@dataclass
class Measured:
    """What was graded of one language.

    Attributes:
        grades: words of a snippet to kind (`good`, or a corruption) to grades, in the order of
            the text.
        graders: one for each fold.
    """

    grades: Grades = field(default_factory=lambda: {n: {} for n in LENGTHS})
    graders: list[Grader] = field(default_factory=list)


def grade_folds(language: str, folders: Sequence[Path]) -> Measured:
    """Grade the snippets of every fold with the grammar that the fold has not been part of."""
    measured = Measured()
    for fold in treebank_folds(language, folders):
        recipe = Recipe(tag_map=MATERIALS[language].tag_map)
        grader = Grader(induce_grammar(language, fold.own, fold.also, recipe), load_forms(language))
        around = corruption_material(language, fold, folders)
        chance = random.Random(SEED)
        grade_all(grader, running_words(fold.test), around, chance, measured.grades)
        measured.graders.append(grader)
    return measured


def grade_all(
    grader: Grader,
    lines: Sequence[Sequence[str]],
    around: Surroundings,
    chance: random.Random,
    into: Grades,
    kinds_of: Collection[str] = tuple(CORRUPTIONS),
) -> None:
    """Grade the snippets of running text at every length, as they are and spoilt.

    Args:
        grader: of the language.
        lines: words and signs of each sentence.
        around: what corruptions draw on.
        chance: of the corruptions.
        into: the grades so far.
        kinds_of: names of corruptions.
    """
    mistakes = random.Random(SEED)
    for words in SHORT:
        misspellings = [
            misspelt_sentences(snippet, mistakes, around)
            for snippet in sentence_snippets(lines, words)
        ]
        into[words].setdefault(MISSPELT, []).extend(map(grader.grade, misspellings))
    for words, kinds in into.items():
        for snippet in sentence_snippets(lines, words):
            kinds.setdefault(GOOD, []).append(grader.grade(joined_sentences(snippet)))
            for kind in kinds_of:
                spoilt = grader.grade(CORRUPTIONS[kind](snippet, chance, around))
                kinds.setdefault(kind, []).append(spoilt)


def calibrated_on(measured: Measured, part: slice = slice(None)) -> Calibration:
    """Weights fitted to a part of the snippets.

    Of short ones those with a word misspelt count as much as all the others spoilt: that is what
    errors in a sentence look like, and nothing else would teach it.
    """
    measured_kinds = measured.grades[LENGTHS[0]]
    told_apart = [kind for kind in CORRUPTIONS if kind in TOLD_APART and kind in measured_kinds]
    good = {words: kinds[GOOD][part] for words, kinds in measured.grades.items()}
    spoilt: dict[int, Spoilt] = {
        words: [(1.0, kinds[kind][part]) for kind in told_apart]
        for words, kinds in measured.grades.items()
    }
    for words in SHORT:
        share = float(len(told_apart))
        spoilt[words] = [*spoilt[words], (share, measured.grades[words][MISSPELT][part])]
    return fit_calibration(good, spoilt)


def corruption_aucs(kinds: Mapping[str, Sequence[Grade]], score: Score) -> dict[str, float]:
    """For each corruption the AUC of good against spoilt."""
    good = [score(grade) for grade in kinds[GOOD]]
    return {
        kind: auc(good, [score(grade) for grade in kinds[kind]])
        for kind in CORRUPTIONS
        if kind in kinds
    }


def calibrated_areas(measured: Measured, words: int) -> dict[str, float]:
    """The same by `grammaticality`, each half of the snippets by weights of the other half."""
    even, odd = slice(0, None, 2), slice(1, None, 2)
    halves = []
    for fitted, tested in ((even, odd), (odd, even)):
        score = partial(grammaticality, calibration=calibrated_on(measured, fitted))
        kinds = {kind: grades[tested] for kind, grades in measured.grades[words].items()}
        halves.append(corruption_aucs(kinds, score))
    return {kind: (halves[0][kind] + halves[1][kind]) / 2 for kind in halves[0]}


def auc(good: Sequence[float], spoilt: Sequence[float]) -> float:
    """How probable it is that a good text scores above a spoilt one; a tie counts half.

    >>> auc([0.9, 0.8], [0.1, 0.8])
    0.875
    """
    both = np.concatenate([good, spoilt])
    _, inverse, counts = np.unique(both, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[inverse]
    above = ranks[: len(good)].sum() - len(good) * (len(good) + 1) / 2
    return float(above / len(good) / len(spoilt))


def average_precision(ranked: Sequence[bool]) -> float:
    """Mean precision at each good text of a ranking.

    >>> average_precision([True, False, True])
    0.8333333333333333
    """
    hits, total = 0, 0.0
    for place, good in enumerate(ranked, 1):
        if good:
            hits += 1
            total += hits / place
    return total / hits if hits else 0.0
