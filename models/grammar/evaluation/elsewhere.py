"""Text of other kinds than the grammars and the weights of `grammaticality` were made of.

What is not sentences cannot be told from the same shuffled, so that of texts with lists and tables
in them the sentences are also measured by themselves.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from skord.models.grammar.evaluation.corruptions import (
    CORRUPTIONS,
    Surroundings,
    is_word,
    joined_sentences,
)
from skord.models.grammar.evaluation.measure import SEED, Measured, auc, calibrated_on
from skord.models.grammar.forms import load_forms
from skord.models.grammar.grader import Grade, Grader
from skord.models.grammar.grammaticality import grammaticality
from skord.models.grammar.induce import Recipe, induce_grammar
from skord.models.grammar.treebanks.materials import (
    MATERIALS,
    corruption_material,
    running_words,
    sentence_snippets,
    text_lines,
    treebank_folds,
)

WORDS = 200
SENTENCE_WORDS = 8
MOST = 300
"""Snippets of each text."""

Scores = tuple[Callable[[Grade], float], Callable[[Grade], float]]
Elsewhere = Mapping[str, tuple[float, float]]
"""Name of a text to AUC by `avg_size` and by `grammaticality`."""


def auc_elsewhere(
    language: str, folders: Sequence[Path], measured: Measured
) -> dict[str, tuple[float, float]]:
    """AUC of text of other kinds against itself shuffled, by `avg_size` and `grammaticality`."""
    around = corruption_material(language, next(iter(treebank_folds(language, folders))), folders)
    likely = partial(grammaticality, calibration=calibrated_on(measured))
    scores: Scores = (lambda grade: grade.sizes.avg_size, likely)
    areas: dict[str, tuple[float, float]] = {}
    for name in MATERIALS[language].elsewhere:
        lines = text_lines(name, folders, language)
        sentences = list(filter(is_sentence, lines))
        for said, part in ((name, lines), (f"{name}, sentences", sentences)):
            areas[said] = _aucs_by_score(shuffled_grades(part, measured.graders[0], around), scores)
    for genre, grader, lines in other_genres(language, folders):
        areas[genre] = _aucs_by_score(shuffled_grades(lines, grader, around), scores)
    return areas


def other_genres(
    language: str, folders: Sequence[Path]
) -> Iterator[tuple[str, Grader, list[list[str]]]]:
    """Each genre of the treebank, and a grader made of all the others."""
    fold = next(iter(treebank_folds(language, folders)))
    recipe = Recipe(tag_map=MATERIALS[language].tag_map)
    for letter, genre in MATERIALS[language].genres.items():
        others = [one for one in fold.own if not one.document.startswith(letter)]
        own = [one for one in fold.own if one.document.startswith(letter)]
        grader = Grader(induce_grammar(language, others, fold.also, recipe), load_forms(language))
        yield genre, grader, running_words(own)


def _aucs_by_score(
    graded: tuple[Sequence[Grade], Sequence[Grade]], scores: Scores
) -> tuple[float, float]:
    good, bad = graded
    first, second = (
        auc([score(grade) for grade in good], [score(grade) for grade in bad]) for score in scores
    )
    return first, second


def is_sentence(line: Sequence[str]) -> bool:
    """Whether it is a sentence for certain, and no heading, row of a table or item of a list."""
    return line[-1] == "." and sum(map(is_word, line)) >= SENTENCE_WORDS


def shuffled_grades(
    lines: Sequence[Sequence[str]], grader: Grader, around: Surroundings
) -> tuple[list[Grade], list[Grade]]:
    """Grades of a text's snippets, and of the same shuffled."""
    shuffle, chance = CORRUPTIONS["shuffled"], random.Random(SEED)
    pieces = sentence_snippets(lines, WORDS)[:MOST]
    good = [grader.grade(joined_sentences(snippet)) for snippet in pieces]
    return good, [grader.grade(shuffle(snippet, chance, around)) for snippet in pieces]


def elsewhere_table(figures: Mapping[str, Elsewhere]) -> list[str]:
    """AUC of text of other kinds, 200 words, against itself shuffled."""
    head = ["| text | avg_size | grammaticality |", "|---|---|---|"]
    return head + [
        f"| {code}, {name} | {by_avg_size:.3f} | {by_grammaticality:.3f} |"
        for code, table in figures.items()
        for name, (by_avg_size, by_grammaticality) in table.items()
    ]
