"""Logits after the network, against the same in numpy."""

from __future__ import annotations

import numpy as np
import pytest

from skord.native import chances_of, smoothed_logits, with_blank_lines


def plainly_smoothed(logits, words, groups, shares, surest, step):
    own = np.clip(logits.astype(np.float64), -surest, surest)
    weights = np.sqrt(words + 1.0)
    mixed = own * (1 - sum(shares))
    for share, group in zip(shares, groups, strict=True):
        total = np.bincount(group, own * weights)
        mixed += share * (total / np.maximum(np.bincount(group, weights), 1))[group]
    return np.rint(mixed.astype(np.float32) / step) * step


def test_probabilities_are_those_of_numpy():
    logits = np.array([-np.inf, -800, -9, -0.5, 0, 1 / 64, 3, 800, np.inf], np.float32)
    actual = np.frombuffer(chances_of(logits), np.float32)
    with np.errstate(over="ignore"):
        assert np.array_equal(actual, (1 / (1 + np.exp(-logits.astype(float)))).astype(np.float32))


@pytest.mark.parametrize("count", [0, 1, 2, 30])
@pytest.mark.parametrize("shares", [(), (0.6,), (0.4, 0.3)])
def test_logits_are_drawn_to_means_of_groups_as_by_numpy(count, shares):
    chance = np.random.default_rng(count)
    logits = (chance.normal(size=count) * 8).astype(np.float32)
    words, groups = chance.integers(0, 90, count), np.zeros((len(shares), count), np.int64)
    groups += chance.integers(0, max(count // 2, 1), groups.shape)
    args = (logits, words, groups)
    actual = np.frombuffer(
        smoothed_logits(*args, (np.array(shares), 1 - sum(shares), 8.0, 1 / 64)), np.float32
    )
    assert np.array_equal(actual, plainly_smoothed(logits, words, groups, shares, 8, 1 / 64))


def test_groups_that_do_not_fit_are_refused():
    logits, words, groups = np.ones(3, np.float32), np.ones(3, np.int64), np.zeros((2, 3), np.int64)
    shares = np.array([0.4, 0.3])
    assert len(smoothed_logits(logits, words, groups, (shares, 0.3, 8.0, 1.0))) == 12
    for worse in (
        (logits, words[:2], groups, (shares, 0.3, 8.0, 1.0)),
        (logits, words, groups[:1], (shares, 0.3, 8.0, 1.0)),
        (logits, words, groups + 3, (shares, 0.3, 8.0, 1.0)),
        (logits, words, groups - 1, (shares, 0.3, 8.0, 1.0)),
        (logits, words, groups, (shares[:1], 0.3, 8.0, 1.0)),
        (logits[:0], words[:0], groups, (shares, 0.3, 8.0, 1.0)),
        (logits, words, groups, (shares, 0.3, 8.0, 0.0)),
    ):
        with pytest.raises(ValueError, match="fit"):
            smoothed_logits(*worse)


def test_a_blank_line_has_the_greatest_logit_of_the_block_before_it():
    lines, logits = np.array([1, 2, 5]), np.array([1, -1, -2], np.float32)
    whole = np.frombuffer(with_blank_lines(lines, logits, 7, -16.0), np.float32)
    assert whole.tolist() == [-16, 1, -1, 1, 1, -2, -2]


def test_lines_beyond_the_page_are_refused():
    logits = np.ones(2, np.float32)
    for lines, line_count in (([0, 4], 4), ([-1, 0], 4), ([2, 1], 4), ([0], 4), ([1, 1], 4)):
        with pytest.raises(ValueError, match="fit"):
            with_blank_lines(np.array(lines), logits, line_count, 0.0)
    with pytest.raises(ValueError, match="fit"):
        with_blank_lines(np.zeros(0, np.int64), logits[:0], -1, 0.0)
