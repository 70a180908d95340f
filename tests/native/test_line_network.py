"""Sums of rows, products and convolutions, against the same in numpy."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from pipeline.native import convolved, multiplied, scaled_product, sums_of_rows


@pytest.mark.parametrize("width", [1, 16, 48, 50])
def test_rows_are_added_up_by_stretches(width):
    chance = np.random.default_rng(width)
    rows = chance.normal(size=(30, width)).astype(np.float32)
    numbers = chance.integers(0, 30, 40)
    starts = np.array([0, 0, 7, 7, 39, 40])
    shares = chance.random(40).astype(np.float32)
    for by in (shares, shares[:0]):
        actual = np.frombuffer(sums_of_rows(rows, width, numbers, starts, by), np.float32)
        weighed = rows[numbers] * (by[:, None] if by.size else 1)
        expected = [weighed[a:b].sum(0) for a, b in pairwise(starts)]
        assert np.allclose(actual.reshape(5, width), expected, atol=1e-5)


@pytest.mark.parametrize(
    ("numbers", "starts", "shares"),
    [([2], [0, 1], []), ([-1], [0, 1], []), ([0], [0, 2], []), ([0], [1, 1], []),
     ([0, 1], [0, 2, 1, 2], []), ([0], [], []), ([0], [0, 1], [1, 1])],
)  # fmt: skip
def test_rows_and_stretches_that_are_not_there_are_refused(numbers, starts, shares):
    rows = np.ones((2, 3), np.float32)
    with pytest.raises(ValueError, match="fit"):
        sums_of_rows(
            rows, 3, np.array(numbers, np.int64), np.array(starts, np.int64),
            np.array(shares, np.float32),
        )  # fmt: skip


@pytest.mark.parametrize("lines", [1, 2, 5, 6, 7, 40])
@pytest.mark.parametrize("dilation", [1, 4, 16])
@pytest.mark.parametrize("width", [16, 48, 64])
def test_convolutions_see_the_lines_around_and_zeros_beyond(lines, dilation, width):
    chance = np.random.default_rng(lines)
    vectors = chance.normal(size=(2, lines, width)).astype(np.float32)
    weights = chance.normal(size=(2, 3, width, width)).astype(np.float32)
    biases = chance.normal(size=(2, width)).astype(np.float32)
    actual = np.frombuffer(convolved(vectors, weights, biases, width, dilation), np.float32)
    padded = np.pad(vectors, ((0, 0), (dilation, dilation), (0, 0)))
    sums = biases[:, None] + sum(
        padded[:, place * dilation : place * dilation + lines] @ weights[:, place]
        for place in range(3)
    )
    assert np.allclose(actual.reshape(vectors.shape), vectors + np.maximum(sums, 0), atol=1e-3)


def test_vectors_and_weights_of_other_shapes_are_refused():
    vectors, weights = np.zeros((2, 3, 48), np.float32), np.zeros((2, 3, 48, 48), np.float32)
    biases = np.zeros((2, 48), np.float32)
    assert len(convolved(vectors, weights, biases, 48, 1)) == vectors.nbytes
    assert convolved(vectors[:, :0], weights, biases, 48, 1) == b""
    huge = 1 << 62
    for worse in (
        (vectors[:, :, :47].copy(), weights, biases, 48, 1),
        (vectors[:, :1, :24].copy(), weights, biases, 48, 1),
        (vectors, weights[:1], biases, 48, 1), (vectors, weights, biases[:0], 48, 1),
        (vectors, weights, biases, 48, 0), (vectors.reshape(-1)[: 48 * 5], weights, biases, 48, 1),
        (vectors, weights, biases, 24, 1), (vectors, weights, biases, 0, 1),
        (vectors, weights, biases, huge, 1), (vectors, weights, biases, -48, 1),
    ):  # fmt: skip
        with pytest.raises(ValueError, match="fit"):
            convolved(*worse)


@pytest.mark.parametrize("rows", [0, 1, 2, 5, 6, 7, 40])
@pytest.mark.parametrize("columns", [16, 48, 64, 240])
def test_products_are_those_of_numpy(rows, columns):
    chance = np.random.default_rng(rows)
    left = chance.normal(size=(3, rows, 21)).astype(np.float32)
    right = chance.normal(size=(3, 21, columns)).astype(np.float32)
    actual = np.frombuffer(multiplied(left, right, 3, 21), np.float32)
    assert np.allclose(actual.reshape(3, rows, columns), left @ right, atol=1e-4)


def test_rows_too_wide_for_any_machine_are_refused():
    nothing = np.zeros(0, np.int64)
    for width in (0, -1, 1 << 62, 1 << 61):
        with pytest.raises(ValueError, match="fit"):
            sums_of_rows(np.ones(4, np.float32), width, nothing, np.zeros(1, np.int64), nothing)


def test_matrices_that_do_not_fit_are_refused():
    def zeros(size):
        return np.zeros(size, np.float32)

    assert len(multiplied(zeros(6), zeros(32), 1, 2)) == 3 * 16 * 4
    for left, right, count, inner in (
        (6, 48, 2, 3), (6, 96, 0, 3), (6, 96, 2, 0), (5, 96, 2, 3), (6, 40, 1, 3),
        (6, 96, 1 << 62, 1 << 62), (6, 96, 1 << 31, 1 << 31), (0, 0, 1 << 62, 4),
    ):  # fmt: skip
        with pytest.raises(ValueError, match="matrices"):
            multiplied(zeros(left), zeros(right), count, inner)


@pytest.mark.parametrize("rows", [0, 1, 7])
@pytest.mark.parametrize("rest", [0, 5])
def test_scaled_products_are_those_of_numpy(rows, rest):
    chance = np.random.default_rng(rows)
    first = chance.normal(size=(rows, 9)).astype(np.float32)
    second = chance.normal(size=(rows, rest)).astype(np.float32)
    means, scales = chance.normal(size=(2, 9 + rest)).astype(np.float32)
    weights = chance.normal(size=(9 + rest, 32)).astype(np.float32)
    actual = scaled_product(first, 9, second, rest, means, scales, weights, 1.5)
    scaled = np.clip((np.concatenate([first, second], 1) - means) * scales, -1.5, 1.5)
    expected = scaled @ weights
    assert np.allclose(np.frombuffer(actual, np.float32).reshape(rows, 32), expected, atol=1e-4)


def test_features_and_scales_of_other_shapes_are_refused():
    first, second = np.zeros((2, 9), np.float32), np.zeros((2, 5), np.float32)
    scales, weights = np.zeros(14, np.float32), np.zeros((14, 16), np.float32)
    assert len(scaled_product(first, 9, second, 5, scales, scales, weights, 1.0)) == 2 * 16 * 4
    huge = (1 << 63) - 1
    for worse in (
        (first, 9, second[:1], 5, scales, scales, weights), (first, 8, second, 5, *[scales] * 3),
        (first, 9, second, 0, scales, scales, weights),
        (first, 0, second, 5, scales, scales, weights),
        (first, 9, second, -5, scales, scales, weights), (first, huge, second, 5, *[scales] * 3),
        (first, 9, second, huge, scales, scales, weights),
        (first, 9, second, 5, scales[:9], scales, weights),
        (first, 9, second, 5, scales, scales[:0], weights),
        (first, 9, second, 5, scales, scales, weights[:, :8].copy()),
    ):  # fmt: skip
        with pytest.raises(ValueError, match="fit"):
            scaled_product(*worse, 1.0)
