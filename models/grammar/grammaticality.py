"""From a grade to how probable it is that a text is good: grammaticality, in [0, 1].

The probability is a logistic one, of the shares of a text's words that are in chunks of each
length, that are known, that are numbers, and that are function words (and the square of that last
share: lists of keywords have too few, salads of small words too many). Short texts tell less than
long ones, so there are weights for three lengths, and those for a length between lie between, on a
logarithmic scale. `skord.models.grammar.evaluation.measure` fits them: as many good texts as spoilt ones.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from skord.models.grammar.grader import Grade

FEATURES = (
    "alone",
    "in_chunks_of_2",
    "in_chunks_of_3",
    "in_chunks_of_4",
    "in_chunks_of_5",
    "known",
    "numbers",
    "function_words",
    "function_words_squared",
)


@dataclass(frozen=True)
class Calibration:
    """Weights at some lengths of text.

    Attributes:
        words: lengths, ascending.
        weights: for each length a weight for every one of `FEATURES`.
        constants: for each length.
    """

    words: Sequence[int]
    weights: Sequence[Sequence[float]]
    constants: Sequence[float]


def grade_features(grade: Grade) -> list[float]:
    """Shares of the words, in the order of `FEATURES`.

    >>> grade_features(Grade(10, 8, 3, (0, 1, 0, 0, 0, 1), numbers=1))
    [0.1, 0.0, 0.0, 0.0, 0.5, 0.8, 0.1, 0.3, 0.09]
    """
    words = grade.words or 1
    in_chunks = [length * n / words for length, n in enumerate(grade.by_length)][1:]
    small = grade.function_words / words
    return [*in_chunks, grade.known / words, grade.numbers / words, small, small**2]


def grammaticality(grade: Grade, calibration: Calibration) -> float:
    """How probable it is that the text is good; 0 for one without words.

    >>> even = Calibration([40, 200], [[0.0] * 9, [0.0] * 9], [0.0, 4.0])
    >>> grammaticality(Grade(20, 9, 4, (0,) * 6), even)
    0.5
    >>> round(grammaticality(Grade(89, 9, 4, (0,) * 6), even), 2)
    0.88
    """
    if not grade.words:
        return 0.0
    values = grade_features(grade)
    sums = [
        constant + sum(weight * value for weight, value in zip(weights, values, strict=True))
        for weights, constant in zip(calibration.weights, calibration.constants, strict=True)
    ]
    total = _interpolate(calibration.words, sums, grade.words)
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))


GATE = 8
"""How sharply `grammatical_size` takes doubtful texts down: one at 0.9 counts with 43 % of its
size, one at 0.5 with 0.4 %."""


def grammatical_size(recognized_words: int, probability: float) -> float:
    """Size of a text, gated by how probable it is that it is good; what the best rank by.

    >>> round(grammatical_size(1000, 0.9)), round(grammatical_size(1000, 0.5))
    (430, 4)
    """
    return float(recognized_words * probability**GATE)


def _interpolate(lengths: Sequence[int], values: Sequence[float], words: int) -> float:
    """The value for a length, linear in its logarithm; beyond the ends that of the end."""
    if words <= lengths[0]:
        return values[0]
    for at in range(1, len(lengths)):
        low, high = lengths[at - 1], lengths[at]
        if words < high:
            share = math.log(words / low) / math.log(high / low)
            return values[at - 1] + share * (values[at] - values[at - 1])
    return values[-1]
