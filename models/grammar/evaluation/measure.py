"""Grades of held-out snippets, good and spoilt, and how well a score parts the two."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from skord.models.grammar.evaluation.corruptions import (
    CORRUPTIONS,
    Sentences,
    Surroundings,
    is_word,
    joined_sentences,
)
from skord.models.grammar.forms import load_forms
from skord.models.grammar.grader import Grade, Grader
from skord.models.grammar.grammaticality import Calibration, grade_features, grammaticality
from skord.models.grammar.induce import Recipe, induce_grammar
from skord.models.grammar.treebanks.materials import (
    MATERIALS,
    corruption_material,
    running_words,
    sentence_snippets,
    treebank_folds,
)
from skord.models.logistic import auc, fit_logistic

LEAST_LETTERS = 3


def misspelt_sentences(sentences: Sentences, chance: random.Random, around: Surroundings) -> str:
    """The text with one word misspelt, if it has any that is long enough."""
    changed = [list(sentence) for sentence in sentences]
    long_enough = [
        (line, at)
        for line, sentence in enumerate(changed)
        for at, token in enumerate(sentence)
        if is_word(token) and len(token) >= LEAST_LETTERS
    ]
    if long_enough:
        line, at = chance.choice(long_enough)
        changed[line][at] = misspelt_word(changed[line][at], chance, around.words)
    return joined_sentences(changed)


def misspelt_word(word: str, chance: random.Random, words: Sequence[str]) -> str:
    """A letter left out, doubled, changed round with the one before it, or another in its place.

    >>> chance = random.Random(2)
    >>> [misspelt_word("kommun", chance, ["och", "att"]) for _ in range(5)]
    ['okmmun', 'kommmun', 'kommunn', 'komumn', 'kommnu']
    """
    at = chance.randrange(1, len(word))
    other = chance.choice(chance.choice(words)).lower()
    return chance.choice(
        [
            word[:at] + word[at + 1 :],
            word[:at] + word[at] + word[at:],
            word[: at - 1] + word[at] + word[at - 1] + word[at + 1 :],
            word[:at] + other + word[at + 1 :],
        ]
    )


Floats = NDArray[np.float64]

PENALTY = 0.5
"""On half the squared weights: one over the variance of what they are likely to be."""

STEPS = 30

Spoilt = Sequence[tuple[float, Sequence[Grade]]]
"""Grades of each kind of spoilt text, with the share of all of them that the kind counts for."""


def fit_calibration(
    good: Mapping[int, Sequence[Grade]], spoilt: Mapping[int, Spoilt]
) -> Calibration:
    """Weights of `grammaticality` for each length of text, by logistic regression.

    Each good text counts one, and all the spoilt ones together as much as the good ones, so 0.5 is
    where both are equally likely. Of the weights, on the scale of a feature's own spread, small
    ones are taken for likelier, by a normal distribution of variance two: where there are few
    texts, as there are of 200 words, weights fitted to them alone would hold for nothing else.

    Args:
        good: words of a text to grades of good texts as long.
        spoilt: words to grades of spoilt ones.
    """
    lengths = sorted(good)
    fitted = [_fit_length(good[words], spoilt[words]) for words in lengths]
    return Calibration(
        lengths,
        [[round(float(weight), 4) for weight in weights[:-1]] for weights in fitted],
        [round(float(weights[-1]), 4) for weights in fitted],
    )


def _fit_length(good: Sequence[Grade], spoilt: Spoilt) -> Floats:
    groups = [good, *(grades for _, grades in spoilt)]
    rows = [grade_features(grade) for grades in groups for grade in grades]
    labels = np.repeat([1.0, 0.0], [len(good), len(rows) - len(good)])
    shares = np.array([share for share, _ in spoilt])
    of_group = np.append(1.0, shares / shares.sum()) * len(good)
    sizes = np.array([len(grades) for grades in groups])
    return logistic_regression(np.array(rows), labels, np.repeat(of_group / sizes, sizes))


def logistic_regression(rows: Floats, labels: Floats, shares: Floats) -> Floats:
    """Coefficients and, last, the constant; the penalty is on the scale of each feature's spread.

    Args:
        labels: 1 for good, 0 for spoilt.
        shares: how much each text counts.
    """
    mean, deviation = rows.mean(0), rows.std(0) + 1e-9
    penalty = np.full(rows.shape[1] + 1, PENALTY)
    solution = fit_logistic((rows - mean) / deviation, labels, shares, penalty, STEPS)
    coefficients = solution[:-1] / deviation
    return np.append(coefficients, solution[-1] - float(coefficients @ mean))


LENGTHS = (15, 40, 200)
SHORT = (15, 40)
"""Lengths at which a word misspelt is much of a text: a sentence or two."""
SEED = 7

Grades = dict[int, dict[str, list[Grade]]]
Score = Callable[[Grade], float]
GOOD = "good"
MISSPELT = "misspelt"
SEPARATED = CORRUPTIONS.keys() - {"lemmas", "20 % swapped", "bigram salad"}
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
        lines: words and signs of each sentence.
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
    errors in a sentence look like, and nothing else has them.
    """
    measured_kinds = measured.grades[LENGTHS[0]]
    separated = [kind for kind in CORRUPTIONS if kind in SEPARATED and kind in measured_kinds]
    good = {words: kinds[GOOD][part] for words, kinds in measured.grades.items()}
    spoilt: dict[int, Spoilt] = {
        words: [(1.0, kinds[kind][part]) for kind in separated]
        for words, kinds in measured.grades.items()
    }
    for words in SHORT:
        share = float(len(separated))
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
