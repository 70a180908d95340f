"""Logistic regression with a penalty, by Newton's method, and how well scores part two kinds.

For few measures and some thousand rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def fit_logistic(
    rows: Floats, targets: NDArray[Any], shares: Floats, penalty: Floats, steps: int
) -> Floats:
    """Weights and, last, the constant.

    Args:
        rows: shape (rows, measures).
        targets: probabilities to reach, or booleans, shape (rows,).
        shares: how much each row counts, shape (rows,).
        penalty: on half the square of each weight and of the constant, shape (measures + 1,).

    >>> rows, targets = np.array([[-1.0], [1.0]] * 4), np.array([0.1, 0.9] * 4)
    >>> fit_logistic(rows, targets, np.ones(8), np.zeros(2), 20).round(3).tolist()
    [2.197, 0.0]
    """
    inputs = np.column_stack([rows, np.ones(len(rows))])
    solution = np.zeros(inputs.shape[1])
    for _ in range(steps):
        expected = probabilities(rows, solution)
        slope = inputs.T @ (shares * (targets - expected)) - penalty * solution
        curve = (inputs * (shares * expected * (1 - expected))[:, None]).T @ inputs
        solution += np.linalg.solve(curve + np.diag(penalty), slope)
    return solution


def probabilities(rows: Floats, solution: Floats) -> Floats:
    """Of each row by these weights and the constant."""
    logits = rows @ solution[:-1] + solution[-1]
    return np.asarray(1 / (1 + np.exp(-np.clip(logits, -30, 30))), np.float64)


def auc(good: Sequence[float] | Floats, others: Sequence[float] | Floats) -> float:
    """How probable it is that a good text scores above another; a tie counts half. NaN without both.

    >>> auc([0.9, 0.8], [0.1, 0.8])
    0.875
    """
    if not len(good) or not len(others):
        return float("nan")
    below = np.sort(np.asarray(others))
    places = [np.searchsorted(below, np.asarray(good), side) for side in ("left", "right")]
    return float(np.mean(places) / len(below))
