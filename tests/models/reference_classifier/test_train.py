from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from skord.core.failures import ConfigError
from skord.models.hashed_text.linear import write_weights
from skord.models.logistic import auc
from skord.models.reference_classifier import train
from skord.models.reference_classifier.dataset import Part, split_by_site
from skord.models.reference_classifier.interface import ReferenceClassifier
from skord.models.reference_classifier.train import citation_accuracy, log_loss

RECIPE = train.Recipe(epochs=4)


def scored(weights, pages):
    scores = ReferenceClassifier(weights).scores([page.text for page in pages])
    return scores, np.array([page.cited for page in pages])


def test_what_can_be_told_apart_is_told_apart_on_unseen_sites(separable):
    parts = split_by_site(separable, RECIPE.seed)
    weights = train.fit_weights(parts[Part.train], parts[Part.dev], RECIPE)
    scores, cited = scored(weights, parts[Part.test])
    assert len(cited) > 25
    assert auc(scores[cited], scores[~cited]) > 0.95
    assert citation_accuracy(scores, cited) > 0.9
    assert scores[cited].mean() > 0.8
    assert scores[~cited].mean() < 0.2


def test_what_cannot_be_told_apart_is_not(random_labels):
    pages = [page._replace(text=f"{page.text} {page.site}") for page in random_labels]
    recipe = replace(RECIPE, epochs=5)
    parts = split_by_site(pages, recipe.seed)
    weights = train.fit_weights(parts[Part.train], parts[Part.dev], recipe)
    scores, cited = scored(weights, test := parts[Part.test] + parts[Part.dev])
    # 3 standard deviations of the area of chance, for as many pages.
    bound = 3 * (len(test) / 3 / cited.sum() / (~cited).sum() / 4) ** 0.5
    assert abs(auc(scores[cited], scores[~cited]) - 0.5) < bound < 0.25
    # Unsure of what it cannot know, though it may know its training pages by heart.
    assert log_loss(np.log(scores / (1 - scores)), cited) < 0.75


def test_the_same_seed_gives_the_same_file_and_another_seed_another(separable, tmp_path):
    pages, dev = separable[:60], separable[60:90]
    files = []
    for number, seed in enumerate((1, 1, 2)):
        weights = train.fit_weights(pages, dev, replace(RECIPE, epochs=2, seed=seed))
        write_weights(tmp_path / f"{number}.npz", weights)
        files.append((tmp_path / f"{number}.npz").read_bytes())
    assert files[0] == files[1] != files[2]


def test_the_epoch_that_does_best_on_dev_is_kept(random_labels):
    pages, dev = random_labels[:100], random_labels[100:200]
    fitted = [train._calibrate(weights, dev) for weights in train.train_epochs(pages, RECIPE)]
    losses = [loss for _, loss in fitted]
    assert len(set(losses)) > 1
    actual = train.fit_weights(pages, dev, RECIPE)
    assert np.array_equal(actual.weights, fitted[int(np.argmin(losses))][0].weights)


def test_pages_of_each_part_and_copies_are_counted(separable):
    pages = [separable[0], *separable[:50]]
    parts = split_by_site(pages, 11)
    actual = train.part_counts(pages, parts)
    assert actual.endswith("; 1 copies left out")
    assert f"{len(parts[Part.dev])} dev (" in actual


def test_slopes_are_those_of_the_loss(separable):
    batch, chance = separable[:5], np.random.default_rng(0)
    cited = np.array([page.cited for page in batch])
    inputs = train.batch_matrix(batch, np.ones(train.SIZE, np.float32), 0.0, chance)
    weights = chance.normal(0, 0.3, train.SIZE).astype(np.float32)
    bias = np.zeros(1, np.float32)
    slope, of_bias = train.loss_gradients(weights, bias, inputs, batch)
    direction = chance.normal(0, 1, slope.shape).astype(np.float32)
    losses = [
        [log_loss(inputs @ (weights + step * direction), cited),
         log_loss(inputs @ weights + np.float32(step), cited)]
        for step in (-1e-2, 1e-2)
    ]  # fmt: skip
    measured = (np.array(losses[1]) - losses[0]) / 2e-2
    expected = [float((slope * direction).sum()), float(of_bias[0])]
    assert measured.tolist() == pytest.approx(expected, rel=0.03, abs=1e-3)


def test_dropout_leaves_features_out_and_keeps_their_mean(separable):
    chance, rarity = np.random.default_rng(0), np.ones(train.SIZE, np.float32)
    shown = [train.batch_matrix(separable[:1], rarity, 0.5, chance) for _ in range(200)]
    whole = train.batch_matrix(separable[:1], rarity, 0.0, chance)
    assert 0.4 < np.mean([np.count_nonzero(each) for each in shown]) / np.count_nonzero(whole) < 0.6
    filled = whole > 0
    assert np.mean(shown, axis=0)[filled].mean() == pytest.approx(whole[filled].mean(), rel=0.03)


@pytest.mark.parametrize(
    ("training", "dev"), [(slice(0, 20, 2), slice(20, 40)), (slice(20), slice(0))]
)
def test_pages_of_one_kind_alone_train_nothing(separable, training, dev):
    with pytest.raises(ConfigError, match="both kinds"):
        train.fit_weights(separable[training], separable[dev], train.Recipe(epochs=1))
