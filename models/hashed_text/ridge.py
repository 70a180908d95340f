"""Least squares with a penalty (Hoerl & Kennard 1970) in the dual: there are few texts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from skord.models.hashed_text.features import (
    BLOCKS,
    BUCKETS,
    Text,
    normalised_buckets,
    text_features,
)

Matrix = NDArray[np.float32]
Doubles = NDArray[np.float64]
Places = NDArray[np.int64]


def log_count_rows(texts: Sequence[str], buckets: int = BUCKETS) -> Matrix:
    """Rows of 1 + log of counts, shape (texts, BLOCKS * buckets)."""
    rows = np.zeros((len(texts), BLOCKS * buckets), np.float32)
    for row, text in zip(rows, text_features(texts, buckets), strict=True):
        row[text.buckets] = text.values
    return rows


def rarity_of(rows: Matrix) -> Matrix:
    """Inverse document frequencies; 0 for what is in one text only."""
    return rarity_of_counts((rows > 0).sum(axis=0), len(rows))


def rarity_of_counts(frequency: NDArray[np.int64], texts: int) -> Matrix:
    """Inverse document frequencies, of how many of so many texts have each bucket."""
    frequencies = np.log((1 + texts) / (1 + frequency)) * (frequency > 1)
    return np.asarray(frequencies, np.float32)


def weight_by_rarity(rows: Matrix, rarity: Matrix) -> Matrix:
    """Rows whose blocks are of length 1; in place."""
    for row in rows:
        buckets = np.flatnonzero(row)
        row[buckets] = normalised_buckets(Text(buckets, row[buckets]), rarity)
    return rows


def kernel_of(rows: Matrix) -> Doubles:
    """Inner products of all rows, a third for each block."""
    return (rows @ rows.T).astype(np.float64) / BLOCKS


def solve_ridge(kernel: Doubles, targets: Doubles, penalty: float, shares: Doubles) -> Doubles:
    """Dual weights of texts with these inner products.

    Args:
        kernel: shape (texts, texts).
        targets: shape (texts, outputs), what is added in the end already taken off.
        penalty: on the squares of the weights.
        shares: how much each text counts, shape (texts,).
    """
    return np.asarray(np.linalg.solve(kernel + np.diag(penalty / shares), targets), np.float64)


def primal_weights(rows: Matrix, dual: Doubles) -> Matrix:
    """Weights of the buckets."""
    return np.asarray((rows.T @ dual.astype(np.float32)) / BLOCKS, np.float32)


def out_of_part(
    kernel: Doubles, targets: Doubles, penalty: float, shares: Doubles, part: Places
) -> Doubles:
    """Predictions for each text by models that were trained without its part."""
    predicted = np.zeros(targets.shape)
    for one in np.unique(part):
        own, out = np.flatnonzero(part != one), np.flatnonzero(part == one)
        dual = solve_ridge(kernel[np.ix_(own, own)], targets[own], penalty, shares[own])
        predicted[out] = kernel[np.ix_(out, own)] @ dual
    return predicted
