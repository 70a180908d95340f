"""Hashed features and linear models over them: blocks weigh alike, each text for itself."""

import numpy as np
import pytest

from skord.core.failures import ConfigError
from skord.models.hashed_text.features import (
    BLOCKS,
    BUCKETS,
    SIZE,
    normalised_buckets,
    text_features,
)
from skord.models.hashed_text.linear import LinearModel, Weights, linear_scores, write_weights
from skord.models.hashed_text.ridge import (
    kernel_of,
    log_count_rows,
    out_of_part,
    primal_weights,
    rarity_of,
    solve_ridge,
    weight_by_rarity,
)

TEXTS = ["Häll i mjölet och vispa.", "Partiet vann valet i går.", "Häll upp, vispa, häll i."]


def test_every_block_of_a_text_is_of_length_1():
    (text,) = text_features(["Vispa  ägg\nväl, vispa ägg"])

    values = normalised_buckets(text, np.ones(SIZE, np.float32))

    lengths = [
        np.linalg.norm(values[(text.buckets >= at * BUCKETS) & (text.buckets < (at + 1) * BUCKETS)])
        for at in range(BLOCKS)
    ]
    assert lengths == pytest.approx([1, 1, 1], abs=1e-6)


def test_case_and_kinds_of_blanks_do_not_count():
    first, second = text_features(["Vispa ägg väl", "VISPA\n\tägg  väl"])

    assert (first.buckets == second.buckets).all()
    assert (first.values == second.values).all()


@pytest.mark.parametrize("text", ["", "a", "  ", "\ud800"])
def test_texts_with_next_to_nothing_have_features(text):
    (numbers,) = text_features([text.encode("utf-8", "replace").decode()])

    assert len(numbers.buckets) == len(numbers.values)


def test_dual_weights_become_weights_of_buckets():
    rows = log_count_rows(TEXTS)
    rarity = np.maximum(rarity_of(rows), 0.1)
    matrix = weight_by_rarity(rows, rarity)
    kernel, targets = kernel_of(matrix), np.array([[1.0], [-1.0], [1.0]])
    dual = solve_ridge(kernel, targets, 0.1, np.ones(3))
    weights = Weights(
        rarity, primal_weights(matrix, dual), np.zeros(1, np.float32), np.zeros(1, np.float32)
    )

    scores = linear_scores(TEXTS, weights)

    assert scores[:, 0] == pytest.approx((kernel @ dual)[:, 0], abs=2e-3)
    assert (np.sign(scores) == targets).all()
    assert (linear_scores(TEXTS[1:2], weights)[0] == scores[1]).all()


def test_what_a_part_says_is_not_of_the_part():
    kernel = np.eye(4) + 0.5
    targets = np.array([[1.0], [1.0], [0.0], [9.0]])

    scores = out_of_part(kernel, targets, 0.1, np.ones(4), np.array([0, 0, 1, 1]))

    changed = out_of_part(
        kernel, targets * [[1], [1], [1], [0]], 0.1, np.ones(4), np.array([0, 0, 1, 1])
    )
    assert (scores[2:] == changed[2:]).all()
    assert (scores[:2] != changed[:2]).any()


def test_files_are_read_as_written_and_others_refused(tmp_path):
    path = tmp_path / "weights.npz"
    one = np.ones(1, np.float32)
    write_weights(
        path, Weights(np.ones(SIZE, np.float32), np.ones((SIZE, 1), np.float32), one, one)
    )

    model = LinearModel.load(path, 1, "test")

    assert model.sums([]).shape == (0, 1)
    assert len(model.name) == len("test-") + 12
    with pytest.raises(ConfigError, match="another shape"):
        LinearModel.load(path, 6, "test")
    path.write_bytes(b"none")
    with pytest.raises(ConfigError, match="holds no test weights"):
        LinearModel.load(path, 2, "test")


def test_rarity_is_the_logarithm_of_one_in_so_many_texts():
    """Smoothed by one text that holds everything; what one text alone holds teaches nothing."""
    rows = np.array([[1, 1, 0], [1, 1, 0], [0, 1, 1]], np.float32)

    assert rarity_of(rows) == pytest.approx([np.log(4 / 3), np.log(4 / 4), 0])
