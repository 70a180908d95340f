from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from skord.core.failures import ConfigError
from skord.models.reference_classifier import train
from skord.models.reference_classifier.dataset import Part, split_by_site
from skord.models.reference_classifier.figures import citation_accuracy, log_loss, roc_auc
from skord.models.reference_classifier.interface import ReferenceClassifier
from skord.models.reference_classifier.network import as_stored, write_network

RECIPES = {
    "layered": replace(train.LAYERED, width=4, epochs=4),
    "linear": train.Recipe(epochs=4),
}


def scored(pages, recipe):
    """Scores and truths of the test sites, by a network fitted on the others."""
    dealt = split_by_site(pages, recipe.seed)
    network = train.fit_network(dealt[Part.train], dealt[Part.dev], recipe)
    test = dealt[Part.test]
    scores = ReferenceClassifier(network, "x").scores([page.text for page in test])
    return scores, np.array([page.cited for page in test])


@pytest.mark.parametrize("kind", RECIPES)
def test_what_can_be_told_apart_is_told_apart_on_unseen_sites(separable, kind):
    scores, cited = scored(separable, RECIPES[kind])
    assert len(cited) > 25
    assert roc_auc(scores, cited) > 0.95
    assert citation_accuracy(scores, cited) > 0.9
    assert scores[cited].mean() > 0.8
    assert scores[~cited].mean() < 0.2


@pytest.mark.parametrize("kind", RECIPES)
def test_what_cannot_be_told_apart_is_not(random_labels, kind):
    pages = [page._replace(text=f"{page.text} {page.site}") for page in random_labels]
    recipe = replace(RECIPES[kind], epochs=5)
    dealt = split_by_site(pages, recipe.seed)
    network = train.fit_network(dealt[Part.train], dealt[Part.dev], recipe)
    test = dealt[Part.test] + dealt[Part.dev]
    scores = ReferenceClassifier(network, "x").scores([page.text for page in test])
    cited = np.array([page.cited for page in test])
    # 3 standard deviations of the area of chance, for as many pages.
    bound = 3 * (len(test) / 3 / cited.sum() / (~cited).sum() / 4) ** 0.5
    assert abs(roc_auc(scores, cited) - 0.5) < bound < 0.25
    # Unsure of what it cannot know, though it may know its training pages by heart.
    assert log_loss(np.log(scores / (1 - scores)), cited) < 0.75


def test_the_same_seed_gives_the_same_file_and_another_seed_another(separable, tmp_path):
    pages, dev = separable[:60], separable[60:90]
    files = []
    for number, seed in enumerate((1, 1, 2)):
        network = train.fit_network(
            pages, dev, replace(train.LAYERED, width=2, epochs=2, seed=seed)
        )
        write_network(tmp_path / f"{number}.npz", network)
        files.append((tmp_path / f"{number}.npz").read_bytes())
    assert files[0] == files[1] != files[2]


def test_the_epoch_that_does_best_on_dev_is_kept(random_labels):
    pages, dev = random_labels[:100], random_labels[100:200]
    recipe = train.Recipe(epochs=4)
    networks = list(train._train_epochs(pages, recipe))
    losses = [train._calibrated_network(network, dev)[1] for network in networks]
    best = int(np.argmin(losses))
    assert len(set(losses)) > 1
    assert len({float(network.bias[0]) for network in networks}) == 4
    actual = train.fit_network(pages, dev, recipe)
    assert np.array_equal(actual.inputs, networks[best].inputs)
    assert np.array_equal(actual.inputs, as_stored(actual).inputs)


def test_weights_that_no_page_moves_decay_and_steps_shrink(separable):
    recipe = replace(train.LAYERED, width=2, epochs=3, weight_decay=1.0)
    first = train.initial_weights(recipe).inputs
    seen = np.zeros(len(first), bool)
    for page in separable[:64]:
        seen[train.text_features(page.text).buckets] = True
    networks = [first, *(network.inputs for network in train._train_epochs(separable[:64], recipe))]
    shares = [(np.abs(n[~seen]).sum() / np.abs(first[~seen]).sum()) for n in networks]
    assert shares == sorted(shares, reverse=True)
    # Six steps whose rates fall from all of the learning rate to a sixth of it.
    rates = recipe.learning_rate * np.arange(6, 0, -1) / 6
    assert shares[-1] == pytest.approx(np.prod(1 - rates), abs=5e-4)


def test_pages_of_each_part_and_copies_are_counted(separable):
    pages = [separable[0], *separable[:50]]
    dealt = split_by_site(pages, 11)
    actual = train.part_counts(pages, dealt)
    assert actual.endswith("; 1 copies left out")
    assert f"{len(dealt[Part.dev])} dev (" in actual


@pytest.mark.parametrize("width", [3, 0])
def test_slopes_are_those_of_the_loss(separable, width):
    batch = separable[:5]
    cited = np.array([page.cited for page in batch])
    chance = np.random.default_rng(0)
    weights = train.initial_weights(train.Recipe(width=width))
    weights = weights._replace(
        inputs=chance.normal(0, 0.3, weights.inputs.shape).astype(np.float32),
        bias=chance.normal(0, 0.3, weights.bias.shape).astype(np.float32),
    )
    slopes = train._loss_gradients(weights, batch, 0.0, chance)
    for name, slope in zip(weights._fields, slopes, strict=False):
        direction = chance.normal(0, 1, slope.shape).astype(np.float32)
        losses = []
        for step in (-1e-2, 1e-2):
            moved = weights._replace(**{name: getattr(weights, name) + step * direction})
            losses.append(log_loss(train._page_logits(moved, batch), cited))
        measured = (losses[1] - losses[0]) / 2e-2
        assert measured == pytest.approx(float((slope * direction).sum()), rel=0.03, abs=1e-3)


def test_dropout_leaves_features_out_and_keeps_their_mean(separable):
    chance = np.random.default_rng(0)
    shown = [train._batch_matrix(separable[:1], 0.5, chance) for _ in range(200)]
    whole = train._batch_matrix(separable[:1], 0.0, chance)
    assert 0.4 < np.mean([np.count_nonzero(each) for each in shown]) / np.count_nonzero(whole) < 0.6
    filled = whole > 0
    assert np.mean(shown, axis=0)[filled].mean() == pytest.approx(whole[filled].mean(), rel=0.03)


@pytest.mark.parametrize(
    ("training", "dev"), [(slice(0, 20, 2), slice(20, 40)), (slice(20), slice(0))]
)
def test_pages_of_one_kind_alone_teach_nothing(separable, training, dev):
    with pytest.raises(ConfigError, match="both kinds"):
        train.fit_network(separable[training], separable[dev], train.Recipe(epochs=1))


@pytest.mark.parametrize(("width", "shapes"), [(0, (1, 1, 0, 0)), (3, (3, 3, 3, 1))])
def test_a_network_without_a_layer_has_one_number_for_each_bucket(width, shapes):
    network = train.initial_weights(train.Recipe(width=width))
    assert (network.inputs.shape[1], network.bias.size, network.outputs.size,
            network.out_bias.size) == shapes  # fmt: skip
    assert bool(network.inputs.any()) is bool(width)


def test_steps_are_those_of_adamw():
    """Algorithm 2 of Loshchilov and Hutter (2019), written out for one number at a time."""
    recipe = train.Recipe(width=2, learning_rate=0.1, weight_decay=0.5)
    weights = train.initial_weights(recipe)
    start = [array.astype(np.float64) for array in list(weights)[:4]]
    optimizer = train._Adam(weights, recipe, steps=4)
    dice = np.random.default_rng(1)
    slopes = [[dice.normal(size=array.shape).astype(np.float32) for array in start] for _ in "ab"]

    for of_step in slopes:
        optimizer.take(of_step)

    for at, (first, actual) in enumerate(zip(start, list(weights)[:4], strict=True)):
        now, mean, square = first, np.zeros(first.shape), np.zeros(first.shape)
        for step, of_step in enumerate(slopes):
            rate = 0.1 * (1 - step / 4)
            slope = of_step[at].astype(np.float64)
            mean = 0.9 * mean + 0.1 * slope
            square = 0.999 * square + 0.001 * slope**2
            unbiased = mean / (1 - 0.9 ** (step + 1)), square / (1 - 0.999 ** (step + 1))
            decay = 0.5 * now if at == 0 else 0
            now = now - rate * (unbiased[0] / (np.sqrt(unbiased[1]) + 1e-8) + decay)
        np.testing.assert_allclose(actual, now, rtol=2e-3, atol=1e-5)
