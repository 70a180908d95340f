"""Measured figures of calibrated scores are those of snippets that no weight was fitted to."""

import pytest

from skord.models.grammar.evaluation.measure import (
    GOOD,
    LENGTHS,
    MISSPELT,
    SEPARATED,
    Measured,
    calibrated_areas,
)
from skord.models.grammar.grader import Grade
from skord.models.logistic import auc


def test_each_half_is_judged_by_weights_of_the_other():
    """What is good in one half is spoilt in the other: no weights of one serve the other."""
    kind = min(SEPARATED)
    grades = {}
    for words in LENGTHS:
        known, unknown = (Grade(words, n, words // 3, (0,) * 6) for n in (words, words // 4))
        good, spoilt = [known, unknown] * 20, [unknown, known] * 20
        grades[words] = {GOOD: good, MISSPELT: spoilt, kind: spoilt}

    areas = calibrated_areas(Measured(grades), LENGTHS[0])

    assert areas == {kind: pytest.approx(0)}


def test_areas_of_rankings():
    assert auc([1.0], [0.0]) == 1.0
    assert auc([0.0], [1.0]) == 0.0
    assert auc([0.5, 0.5], [0.5]) == 0.5
    assert auc([3, 1], [2, 0]) == 0.75
