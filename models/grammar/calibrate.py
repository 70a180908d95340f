"""Weights of `grammaticality`, fitted to grades of good and of spoilt texts.

Logistic regression by Newton's method, every kind of spoilt text with equal weight and all of
them together with that of the good ones, so 0.5 is where both are equally likely.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from pipeline.transforms.grading import Grade
from pipeline.transforms.grammaticality import Calibration, features

Floats = NDArray[np.float64]

PENALTY = 0.01
"""On squared weights, so that few texts do not fit too well."""

STEPS = 30
WEIGHT = 100.0
"""Of all the good texts together, and of all the spoilt ones."""


def fit(
    good: Mapping[int, Sequence[Grade]], spoilt: Mapping[int, Sequence[Sequence[Grade]]]
) -> Calibration:
    """Weights for each length of text.

    Args:
        good: words of a text to grades of good texts as long.
        spoilt: words to grades of spoilt ones, grouped by what was done to them.
    """
    lengths = sorted(good)
    fitted = [_fit_length(good[words], spoilt[words]) for words in lengths]
    return Calibration(
        lengths,
        [[round(float(weight), 4) for weight in weights[:-1]] for weights in fitted],
        [round(float(weights[-1]), 4) for weights in fitted],
    )


def _fit_length(good: Sequence[Grade], spoilt: Sequence[Sequence[Grade]]) -> Floats:
    rows = [features(grade) for group in (good, *spoilt) for grade in group]
    labels = np.repeat([1.0, 0.0], [len(good), sum(map(len, spoilt))])
    weights = [WEIGHT / len(good)] * len(good)
    for group in spoilt:
        weights += [WEIGHT / len(spoilt) / len(group)] * len(group)
    return logistic(np.array(rows), labels, np.array(weights))


def logistic(rows: Floats, labels: Floats, weights: Floats) -> Floats:
    """Coefficients and, last, the constant of a logistic regression.

    Args:
        rows: texts × features.
        labels: 1 for good, 0 for spoilt.
        weights: how much each text counts.
    """
    mean, deviation = rows.mean(0), rows.std(0) + 1e-9
    scaled = np.column_stack([(rows - mean) / deviation, np.ones(len(rows))])
    found = np.zeros(scaled.shape[1])
    for _ in range(STEPS):
        expected = 1 / (1 + np.exp(-np.clip(scaled @ found, -30, 30)))
        slope = scaled.T @ (weights * (labels - expected)) - PENALTY * found
        curve = (scaled * (weights * expected * (1 - expected))[:, None]).T @ scaled
        found += np.linalg.solve(curve + PENALTY * np.eye(len(found)), slope)
    coefficients = found[:-1] / deviation
    return np.append(coefficients, found[-1] - float(coefficients @ mean))
