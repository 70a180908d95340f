"""A grammar for a language of one's own, out of a treebank and nothing else.

The weights of `grammaticality` are fitted to grades of held-out text, as those of the shipped
grammars are, in five folds, each a stretch of running text; of the corruptions those are left out
that need other languages, menus or accents. The grammar itself is then made of everything.
"""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Container, Sequence
from statistics import mean

from skord.core.failures import ConfigError
from skord.models.grammar.evaluation.measure import (
    LENGTHS,
    SEED,
    Measured,
    calibrated_areas,
    calibrated_on,
    grade_all,
)
from skord.models.grammar.grader import Grader
from skord.models.grammar.grammar import ChunkGrammar
from skord.models.grammar.induce import induce_grammar
from skord.models.grammar.treebanks.conllu import Sentence
from skord.models.grammar.treebanks.materials import FOLDS, running_words, surroundings_of

KINDS = (
    "shuffled", "reversed", "unigram salad", "lemmas", "20 % swapped", "keywords",
    "keywords, commas", "UTF-8 misread", "random letters", "words split", "words joined",
)  # fmt: skip
LEAST_SENTENCES = 200
LEAST_SNIPPETS = 4
"""Of each length and half, or weights say nothing."""


@dataclasses.dataclass(frozen=True)
class OwnGrammar:
    """A grammar, and how well it separates good text from spoilt.

    Attributes:
        grammar: of all sentences; with weights unless there was too little text.
        areas: words of a snippet to the mean AUC of good against spoilt, on held-out text.
    """

    grammar: ChunkGrammar
    areas: dict[int, float]


def own_grammar(
    language: str, sentences: Sequence[Sentence], forms: Container[str], source: str
) -> OwnGrammar:
    """The grammar of a language out of its trees.

    Args:
        sentences: in the order of the text.
        forms: of its words; may be empty.
        source: what the trees are called.

    Raises:
        ConfigError: there are too few sentences.
    """
    if len(sentences) < LEAST_SENTENCES:
        raise ConfigError(
            f"{source} has {len(sentences)} sentences: a grammar needs {LEAST_SENTENCES}, "
            "and gets better up to some thousand"
        )
    grammar = induce_grammar(language, sentences, sources={source: ""})
    measured = _fold_grades(language, sentences, forms)
    if len(measured.grades[max(LENGTHS)]["good"]) < 2 * LEAST_SNIPPETS:
        return OwnGrammar(grammar, {})
    weights = dataclasses.asdict(calibrated_on(measured))
    grammar = dataclasses.replace(grammar, head={**grammar.head, "calibration": weights})
    areas = {words: mean(calibrated_areas(measured, words).values()) for words in LENGTHS}
    return OwnGrammar(grammar, areas)


def _fold_grades(language: str, sentences: Sequence[Sentence], forms: Container[str]) -> Measured:
    """Grades of every fold by a grammar that has not seen it."""
    measured = Measured()
    size = len(sentences) // FOLDS
    for number in range(FOLDS):
        start, end = number * size, (number + 1) * size if number < FOLDS - 1 else len(sentences)
        own, test = [*sentences[:start], *sentences[end:]], sentences[start:end]
        grader = Grader(induce_grammar(language, own), forms)
        around = surroundings_of(own, test)
        grade_all(grader, running_words(test), around, random.Random(SEED), measured.grades, KINDS)
    return measured
