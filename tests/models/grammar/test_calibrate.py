"""The weights of grammaticality against what logistic regression must give."""

import numpy as np
import pytest

from skord.models.grammar.evaluation.measure import PENALTY, fit_calibration, logistic_regression
from skord.models.grammar.grader import Grade
from skord.models.grammar.grammaticality import FEATURES, grammaticality

GOOD = Grade(20, 19, 8, (0, 2, 1, 1, 1, 1))
BAD = Grade(20, 9, 1, (0, 7, 0, 0, 0, 0), numbers=3)


def gradient(rows, labels, weights, solution):
    """Of the penalised likelihood, on the scale of the features' own spread."""
    spread = rows.std(0)
    scaled = np.column_stack([(rows - rows.mean(0)) / spread, np.ones(len(rows))])
    own = np.append(solution[:-1] * spread, solution[-1] + solution[:-1] @ rows.mean(0))
    expected = 1 / (1 + np.exp(-scaled @ own))
    return scaled.T @ (weights * (labels - expected)) - PENALTY * own


def test_the_weights_are_where_the_penalised_likelihood_is_highest():
    chance = np.random.default_rng(3)
    rows = chance.normal([1, 5, -2], [1, 3, 0.2], (60, 3))
    labels = (rows[:, 0] + chance.normal(0, 1, 60) > 1.3).astype(float)
    weights = chance.uniform(0.5, 2, 60)

    solution = logistic_regression(rows, labels, weights)

    assert solution.shape == (4,)
    assert solution[0] > 0.5
    assert gradient(rows, labels, weights, solution) == pytest.approx(np.zeros(4), abs=1e-6)


def test_half_is_where_good_and_spoilt_are_equally_likely():
    same = {15: [GOOD, BAD]}
    for kinds in ([(1.0, [GOOD, BAD])], [(3.0, [GOOD, BAD] * 5), (1.0, [GOOD, BAD])]):
        made = fit_calibration(same, {15: kinds})
        assert [grammaticality(one, made) for one in (GOOD, BAD)] == pytest.approx([0.5, 0.5])


def test_good_texts_are_likelier_and_a_kind_counts_by_its_share():
    mixed = {15: [(1.0, [BAD] * 9), (1.0, [GOOD])]}
    even = fit_calibration({15: [GOOD] * 4}, mixed)
    rare = fit_calibration({15: [GOOD] * 4}, {15: [(9.0, [BAD] * 9), (1.0, [GOOD])]})
    assert grammaticality(BAD, even) < 0.5 < grammaticality(GOOD, even)
    assert grammaticality(GOOD, even) < grammaticality(GOOD, rare)


def test_lengths_ascend_each_with_a_weight_for_every_feature():
    made = fit_calibration(
        {40: [GOOD, GOOD], 15: [BAD, GOOD]}, {15: [(1, [BAD])], 40: [(1, [BAD])]}
    )
    assert made.words == [15, 40]
    assert [len(weights) for weights in made.weights] == [len(FEATURES)] * 2
    assert len(made.constants) == 2
    assert all(weight == round(weight, 4) for weight in (*made.weights[0], *made.constants))
    assert made.weights[0] != made.weights[1]
