"""Weights of `grammaticality`, fitted to grades of good and of spoilt texts.

Logistic regression by Newton's method. Each good text counts one, and all the spoilt ones together
as much as the good ones, so 0.5 is where both are equally likely. Of the weights, on the scale of a
feature's own spread, small ones are taken for likelier, by a normal distribution of variance two:
where there are few texts, as there are of 200 words, weights fitted to them alone would hold for
nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from skord.models.grammar.grader import Grade
from skord.models.grammar.grammaticality import Calibration, grade_features

Floats = NDArray[np.float64]

PENALTY = 0.5
"""On half the squared weights: one over the variance of what they are likely to be."""

STEPS = 30

Spoilt = Sequence[tuple[float, Sequence[Grade]]]
"""Grades of each kind of spoilt text, with the share of all of them that the kind counts for."""


def fit_calibration(
    good: Mapping[int, Sequence[Grade]], spoilt: Mapping[int, Spoilt]
) -> Calibration:
    """Weights for each length of text.

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


def logistic_regression(rows: Floats, labels: Floats, weights: Floats) -> Floats:
    """Coefficients and, last, the constant of a logistic regression.

    Args:
        rows: texts × features.
        labels: 1 for good, 0 for spoilt.
        weights: how much each text counts.
    """
    mean, deviation = rows.mean(0), rows.std(0) + 1e-9
    scaled = np.column_stack([(rows - mean) / deviation, np.ones(len(rows))])
    solution = np.zeros(scaled.shape[1])
    for _ in range(STEPS):
        expected = 1 / (1 + np.exp(-np.clip(scaled @ solution, -30, 30)))
        slope = scaled.T @ (weights * (labels - expected)) - PENALTY * solution
        curve = (scaled * (weights * expected * (1 - expected))[:, None]).T @ scaled
        solution += np.linalg.solve(curve + PENALTY * np.eye(len(solution)), slope)
    coefficients = solution[:-1] / deviation
    return np.append(coefficients, solution[-1] - float(coefficients @ mean))
