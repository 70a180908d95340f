from __future__ import annotations

import numpy as np
import pytest

from skord.models.logistic import auc
from skord.models.reference_classifier.train import citation_accuracy, platt_scaling


def test_the_area_is_the_share_of_pairs_in_order():
    chance = np.random.default_rng(1)
    scores, cited = chance.integers(0, 20, 300) / 20, chance.random(300) < 0.3
    pairs = np.sign(scores[cited][:, None] - scores[~cited][None, :])
    assert auc(scores[cited], scores[~cited]) == pytest.approx((1 + pairs.mean()) / 2)
    assert auc(-scores[cited], -scores[~cited]) == pytest.approx(
        1 - auc(scores[cited], scores[~cited])
    )


def test_figures_of_one_kind_of_page_or_none():
    assert np.isnan(auc([0.5], []))
    assert citation_accuracy(np.array([0.5, 0.4]), np.array([True, True])) == 0.5
    assert np.isnan(citation_accuracy(np.zeros(0), np.zeros(0, bool)))


def test_platt_finds_the_scale_and_shift_that_made_the_truths():
    chance = np.random.default_rng(2)
    logits = chance.normal(0, 3, 40_000)
    cited = chance.random(40_000) < 1 / (1 + np.exp(-(0.5 * logits - 1)))
    assert platt_scaling(logits, cited) == pytest.approx((0.5, -1), abs=0.05)


def test_platt_stays_finite_where_nothing_is_wrong_and_never_turns_a_ranking_around():
    logits = np.array([-3.0, -2.0, 2.0, 3.0])
    scale, shift = platt_scaling(logits, logits > 0)
    assert 0 < scale < 10
    assert abs(shift) < 1
    scale, shift = platt_scaling(logits, logits < 0)
    assert scale == 0
    assert shift == 0
