"""Products and sums of rows on one thread, by `pipeline.native`.

Not numpy's `@`: its library hands such small work to threads, and where other processes have the
cores they wait for each other, which takes ten times as long as the work.
"""

from __future__ import annotations

import numpy as np

from models.line_classifier.array_types import Floats, Ints
from pipeline.native import convolved, multiplied, scaled_product, sums_of_rows

_ONCE = np.zeros(0, np.float32)
_LANE = 16


def product(left: Floats, right: Floats) -> Floats:
    """Matrix product; with a first axis, of each matrix and its fellow.

    Args:
        left: shape [rows, inner] or [count, rows, inner].
        right: shape [inner, columns] or [count, inner, columns]; columns as `whole_lanes` has them.

    >>> product(np.ones((2, 3), np.float32), np.ones((3, 16), np.float32))[:, 0].tolist()
    [3.0, 3.0]
    """
    count = left.shape[0] if left.ndim == right.ndim == 3 else 1
    contiguous = np.ascontiguousarray(left)
    multiplied_rows = multiplied(contiguous, right, count, left.shape[-1])
    return np.frombuffer(multiplied_rows, np.float32).reshape(*left.shape[:-1], right.shape[-1])


def product_of_scaled(
    dense: Floats, more: Floats, mean: Floats, scale: Floats, weight: Floats, limit: float
) -> Floats:
    """Matrix product of features at mean 0 and deviation 1, cut at a limit to both sides.

    Args:
        dense: shape [rows, width].
        more: features of the same rows; shape [rows, rest].
        mean, scale: shape [width + rest].
        weight: shape [width + rest, columns]; columns as `whole_lanes` has them.
        limit: in deviations.
    """
    width, rest = dense.shape[1], more.shape[1]
    multiplied_rows = scaled_product(dense, width, more, rest, mean, scale, weight, limit)
    return np.frombuffer(multiplied_rows, np.float32).reshape(len(dense), weight.shape[1])


def whole_lanes(matrix: Floats) -> Floats:
    """The matrix with columns of zeros up to the next multiple of 16.

    >>> whole_lanes(np.ones((2, 4), np.float32)).shape
    (2, 16)
    """
    missing = -matrix.shape[-1] % _LANE
    return np.pad(matrix, [(0, 0)] * (matrix.ndim - 1) + [(0, missing)])


def with_convolution(vectors: Floats, weight: Floats, bias: Floats, dilation: int) -> Floats:
    """Vectors of lines, each with what a convolution along them adds where it is positive."""
    convolved_rows = convolved(vectors, weight, bias, vectors.shape[-1], dilation)
    return np.frombuffer(convolved_rows, np.float32).reshape(vectors.shape)


def sums(vectors: Floats, numbers: Ints, starts: Ints, shares: Floats = _ONCE) -> Floats:
    """Sum of the vectors of each stretch of numbers; shape [stretches, width]."""
    width = vectors.shape[1]
    summed = sums_of_rows(vectors, width, numbers, starts, shares)
    return np.frombuffer(summed, np.float32).reshape(-1, width)


def means(vectors: Floats, numbers: Ints, starts: Ints) -> Floats:
    """Mean of the vectors of each stretch of numbers, zero for an empty one."""
    counts = np.maximum(starts[1:] - starts[:-1], 1).astype(np.float32)[:, None]
    averages: Floats = np.divide(sums(vectors, numbers, starts), counts)
    return averages
