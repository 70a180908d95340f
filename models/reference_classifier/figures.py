"""How good probabilities are: ranking, accuracy, calibration. Pure functions of arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Truths = NDArray[np.bool_]

_NEWTON_STEPS = 50


class Bin(NamedTuple):
    """Pages whose probability lies in [low, high), the last bin including 1."""

    low: float
    high: float
    pages: int
    mean_score: float
    cited_share: float


def roc_auc(scores: Floats, cited: Truths) -> float:
    """The chance that a cited page scores above another; ties count half. NaN without both.

    >>> roc_auc(np.array([0.9, 0.5, 0.5, 0.1]), np.array([True, True, False, False]))
    0.875
    """
    positives, negatives = scores[cited], np.sort(scores[~cited])
    if not positives.size or not negatives.size:
        return float("nan")
    below = np.searchsorted(negatives, positives, "left")
    up_to = np.searchsorted(negatives, positives, "right")
    return float((below + up_to).mean() / 2 / negatives.size)


def citation_accuracy(scores: Floats, cited: Truths) -> float:
    """Share of pages on the right side of a half; NaN without pages."""
    return float(np.mean((scores >= 0.5) == cited)) if scores.size else float("nan")


def calibration_bins(scores: Floats, cited: Truths, bins: int = 10) -> list[Bin]:
    """Mean score and share of cited pages where scores are alike; empty bins left out.

    >>> calibration_bins(np.array([0.1, 0.2, 0.9]), np.array([False, True, True]), bins=2)
    [Bin(low=0.0, high=0.5, pages=2, mean_score=0.15, cited_share=0.5), \
Bin(low=0.5, high=1.0, pages=1, mean_score=0.9, cited_share=1.0)]
    """
    numbers = np.minimum((scores * bins).astype(int), bins - 1)
    filled_bins = []
    for number in np.unique(numbers).tolist():
        inside = numbers == number
        mean, share = round(float(scores[inside].mean()), 4), round(float(cited[inside].mean()), 4)
        filled_bins.append(Bin(number / bins, (number + 1) / bins, int(inside.sum()), mean, share))
    return filled_bins


def expected_error(bins: list[Bin]) -> float:
    """Mean distance of score and share over all pages (expected calibration error)."""
    pages = sum(each.pages for each in bins)
    return sum(each.pages * abs(each.mean_score - each.cited_share) for each in bins) / pages


def log_loss(logits: Floats, cited: Truths) -> float:
    """Mean cross entropy in nats."""
    return float(np.mean(np.logaddexp(0, np.where(cited, -logits, logits))))


def platt_scaling(logits: Floats, cited: Truths) -> tuple[float, float]:
    """Scale and shift after which the logits' probabilities fit the truths best.

    Platt 1999, "Probabilistic Outputs for Support Vector Machines": logistic regression of
    one variable by Newton's method, with targets a little inside of 0 and 1, so that a
    separable sample gives a finite scale. A scale below zero would turn the ranking around:
    then the logits say nothing, and the scale is 0.

    >>> cited = np.array([1, 1, 0, 0, 0, 1]) > 0
    >>> scale, shift = platt_scaling(np.array([4.0, 4, 4, -4, -4, -4]), cited)
    >>> 0 < scale < 0.3, abs(shift) < 1e-6
    (True, True)
    """
    positives, negatives = int(cited.sum()), int((~cited).sum())
    targets = np.where(cited, (positives + 1) / (positives + 2), 1 / (negatives + 2))
    inputs = np.stack([logits, np.ones_like(logits)], axis=1)
    coefficients = np.zeros(2)
    for _ in range(_NEWTON_STEPS):
        chances = 1 / (1 + np.exp(-np.clip(inputs @ coefficients, -30, 30)))
        weights = np.maximum(chances * (1 - chances), 1e-9)
        curve = inputs.T @ (inputs * weights[:, None]) + 1e-6 * np.eye(2)
        coefficients += np.linalg.solve(curve, inputs.T @ (targets - chances))
    if coefficients[0] > 0:
        return float(coefficients[0]), float(coefficients[1])
    return 0.0, float(np.log((positives + 1) / (negatives + 1)))
