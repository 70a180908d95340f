"""The reference classifier that a setting names: its scores, and files that are none."""

from __future__ import annotations

import numpy as np
import pytest

from skord.core.failures import ConfigError
from skord.models.hashed_text.features import BLOCKS
from skord.models.hashed_text.linear import STEPS, Weights, write_weights
from skord.models.reference_classifier.interface import BUCKETS, load_reference_classifier

SIZE = BLOCKS * BUCKETS


@pytest.fixture
def written(tmp_path):
    chance = np.random.default_rng(1)
    rows = chance.normal(size=(SIZE, 1)).astype(np.float32)
    ones = np.ones(1, np.float32)
    write_weights(tmp_path / "w.npz", Weights(np.ones(SIZE, np.float32), rows, ones * 0, ones))
    return tmp_path / "w.npz"


def test_no_path_is_no_classifier():
    assert load_reference_classifier("") is None


def test_a_missing_file_and_another_shape_are_config_errors(tmp_path):
    with pytest.raises(ConfigError, match=r"absent\.npz holds no reference weights"):
        load_reference_classifier(str(tmp_path / "absent.npz"))
    one = np.ones(3, np.float32)
    write_weights(tmp_path / "two.npz", Weights(one, np.ones((3, 2), np.float32), one, one))
    with pytest.raises(ConfigError, match="train them again"):
        load_reference_classifier(str(tmp_path / "two.npz"))


def test_scores_are_probabilities_and_do_not_depend_on_neighbours(written):
    classifier = load_reference_classifier(str(written))
    texts = ["Bron över ån", "", "* * *", "橋を渡る " * 300, "köp nu"]
    scores = classifier.scores(texts)
    assert scores.dtype == np.float32
    assert scores.shape == (5,)
    assert ((scores >= 0) & (scores <= 1)).all()
    assert scores[1] == scores[2] == 0
    assert [float(classifier.scores([text])[0]) for text in texts] == scores.tolist()
    assert classifier.scores([]).shape == (0,)


def test_logits_are_rounded_so_that_last_bits_do_not_show(written):
    texts = [f"bron över ån nummer {'å' * n}" for n in range(50)]
    scores = load_reference_classifier(str(written)).scores(texts).astype(float)
    steps = np.log(scores / (1 - scores)) * STEPS
    assert len(set(np.rint(steps))) > 3
    assert np.abs(steps - np.rint(steps)).max() < 0.05
