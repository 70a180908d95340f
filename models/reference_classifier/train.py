"""The recipe of a weights file. numpy only.

    python -m skord.models.reference_classifier.train --positive FILE --negative FILE --out model.npz
    python -m skord.models.reference_classifier.train --references cited.txt.gz
        --tables CCNet/2024-10/*.parquet --out model.npz

Sites are dealt into training, dev and test by a hash of their name and the seed. The dev
sites choose the epoch and calibrate the probabilities; the test sites are read by
`evaluate.py` alone, which deals them in the same way when given the same seed.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from skord.core.failures import ConfigError
from skord.models.reference_classifier.dataset import (
    Page,
    Part,
    from_tables,
    pages_of_two_files,
    split_by_site,
)
from skord.models.reference_classifier.features import Floats, text_features
from skord.models.reference_classifier.figures import log_loss, platt_scaling
from skord.models.reference_classifier.network import (
    INPUTS,
    Network,
    as_stored,
    raw_logit,
    write_network,
)
from skord.models.reference_classifier.references import read_references


@dataclass(frozen=True)
class Recipe:
    """Every number of the training.

    Attributes:
        width: hidden values; 0 for the linear form, a logistic regression as in LLaMA.
        epochs: passes over the training pages; the one that does best on dev is kept.
        batch_pages: pages in a step.
        learning_rate: of Adam, falling to zero over all steps.
        weight_decay: of the inputs' weights, as a share for each step times the rate.
        dropout: share of a page's buckets left out when it is shown.
        seed: of all chance, the split by site included.
    """

    width: int = 0
    epochs: int = 10
    batch_pages: int = 32
    learning_rate: float = 0.2
    weight_decay: float = 1e-2
    dropout: float = 0.3
    seed: int = 11


LAYERED = Recipe(width=16, learning_rate=3e-3)
"""The recipe with hidden values. Linear weights start at zero, stand alone and have far to go;
these move together, and a fast step is too far."""


def fit_network(training: Sequence[Page], dev: Sequence[Page], recipe: Recipe) -> Network:
    """A calibrated network, as it will be stored.

    Features are computed whenever a page is shown: texts are smaller than their features.

    Raises:
        ConfigError: training or dev lacks cited pages or others.
    """
    for name, pages in (("training", training), ("dev", dev)):
        if len({page.cited for page in pages}) < 2:
            raise ConfigError(f"the {name} sites need pages of both kinds: give more sites")
    fitted = (_calibrated_network(network, dev) for network in _train_epochs(training, recipe))
    return min(fitted, key=lambda pair: pair[1])[0]


def _calibrated_network(network: Network, dev: Sequence[Page]) -> tuple[Network, float]:
    """The network calibrated on dev, and its loss there. Before calibration an epoch that
    ranks well may lose by being too sure.
    """
    logits, cited = _page_logits(network, dev), np.array([page.cited for page in dev])
    scale, shift = platt_scaling(logits, cited)
    loss = log_loss(scale * logits + shift, cited)
    return network._replace(platt=np.array([scale, shift], np.float32)), loss


def _page_logits(network: Network, pages: Sequence[Page]) -> NDArray[np.float64]:
    return np.array([raw_logit(network, text_features(page.text)) for page in pages])


def initial_weights(recipe: Recipe) -> Network:
    """Weights before the first step. Those of the inputs are small, since a bucket that no
    training page fills keeps them.
    """
    chance = np.random.default_rng(recipe.seed)
    width = recipe.width or 1
    spread = 0.05 if recipe.width else 0.0
    return Network(
        inputs=(spread * chance.standard_normal((INPUTS, width), np.float32)),
        bias=np.zeros(width, np.float32),
        outputs=chance.choice(np.array([-1, 1], np.float32), recipe.width),
        out_bias=np.zeros(1 if recipe.width else 0, np.float32),
        platt=np.array([1, 0], np.float32),
    )


def _train_epochs(training: Sequence[Page], recipe: Recipe) -> Iterator[Network]:
    """The network after each epoch."""
    chance = np.random.default_rng([recipe.seed, 1])
    weights = initial_weights(recipe)
    steps = _Adam(weights, recipe, -(-len(training) // recipe.batch_pages) * recipe.epochs)
    for _ in range(recipe.epochs):
        order = chance.permutation(len(training)).tolist()
        for first in range(0, len(order), recipe.batch_pages):
            batch = [training[at] for at in order[first : first + recipe.batch_pages]]
            steps.take(_loss_gradients(weights, batch, recipe.dropout, chance))
        yield as_stored(Network(*(array.copy() for array in weights)))


def _loss_gradients(
    weights: Network, batch: Sequence[Page], dropout: float, chance: np.random.Generator
) -> list[Floats]:
    """The slopes of the batch's mean cross entropy, in the order of the weights."""
    inputs = _batch_matrix(batch, dropout, chance)
    cited = np.array([page.cited for page in batch], np.float32)
    sums = inputs @ weights.inputs + weights.bias
    if not weights.outputs.size:
        off = _logit_errors(sums[:, 0], cited)[:, None]
        return [inputs.T @ off, off.sum(0), weights.outputs, weights.out_bias]
    hidden = np.maximum(sums, 0)
    off = _logit_errors(hidden @ weights.outputs + weights.out_bias[0], cited)
    back = np.outer(off, weights.outputs) * (sums > 0)
    return [inputs.T @ back, back.sum(0), hidden.T @ off, off.sum(keepdims=True)]


def _logit_errors(logits: Floats, cited: Floats) -> Floats:
    """How far each page's probability is off, over the number of pages."""
    chances = 1 / (1 + np.exp(-np.clip(logits, -30, 30)))
    return ((chances - cited) / len(cited)).astype(np.float32)


def _batch_matrix(batch: Sequence[Page], dropout: float, chance: np.random.Generator) -> Floats:
    """The features of a batch side by side, some left out; shape [pages, INPUTS]."""
    matrix = np.zeros((len(batch), INPUTS), np.float32)
    for row, page in zip(matrix, batch, strict=True):
        buckets, values = text_features(page.text)
        kept = chance.random(buckets.size, np.float32) >= dropout
        row[buckets[kept]] = values[kept] / (1 - dropout)
    return matrix


class _Adam:
    """Steps of AdamW (Loshchilov and Hutter 2019) that change the weights in place."""

    def __init__(self, weights: Network, recipe: Recipe, steps: int) -> None:
        self._trained = list(weights)[:4]
        self._means = [np.zeros_like(array) for array in self._trained]
        self._squares = [np.zeros_like(array) for array in self._trained]
        self._recipe, self._steps, self._taken = recipe, steps, 0

    def take(self, slopes: Sequence[Floats]) -> None:
        rate = self._recipe.learning_rate * (1 - self._taken / self._steps)
        self._taken += 1
        self._trained[0] *= 1 - rate * self._recipe.weight_decay
        for at, slope in enumerate(slopes):
            mean, square = self._means[at], self._squares[at]
            mean += 0.1 * (slope - mean)
            square += 0.001 * (slope * slope - square)
            size = np.sqrt(square / (1 - 0.999**self._taken)) + 1e-8
            self._trained[at] -= rate / (1 - 0.9**self._taken) * mean / size


def given_pages(chosen: argparse.Namespace) -> list[Page]:
    """The pages that the command line names.

    Raises:
        ConfigError: neither of the two ways to name them is complete.
    """
    if chosen.positive and chosen.negative:
        return pages_of_two_files(chosen.positive, chosen.negative)
    if chosen.references and chosen.tables:
        cited = set().union(*map(read_references, chosen.references))
        return from_tables(chosen.tables, cited, chosen.seed, chosen.negatives)
    raise ConfigError("give --positive and --negative, or --references and --tables")


def page_arguments(about: str | None) -> argparse.ArgumentParser:
    """The options by which training and evaluation are given the same pages."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--positive", type=Path, help="pages that are cited, JSON lines or Parquet")
    parser.add_argument("--negative", type=Path, help="pages that are not")
    parser.add_argument("--references", type=Path, nargs="+", help="dumps, or a list of URLs")
    parser.add_argument("--tables", type=Path, nargs="+", help="pages with URLs to label by them")
    parser.add_argument("--negatives", type=float, default=1.0, help="others for each cited page")
    parser.add_argument("--seed", type=int, default=Recipe.seed)
    return parser


def train_reference_classifier(chosen: argparse.Namespace) -> None:
    """Train on the pages given, and write the network."""
    pages = given_pages(chosen)
    dealt = split_by_site(pages, chosen.seed)
    recipe = replace(LAYERED if chosen.layered else Recipe(), seed=chosen.seed)
    write_network(chosen.out, fit_network(dealt[Part.train], dealt[Part.dev], recipe))
    print(f"{chosen.out}: {part_counts(pages, dealt)}")


def part_counts(pages: Sequence[Page], dealt: Mapping[Part, Sequence[Page]]) -> str:
    """How many pages each part has, and how many were left out as copies."""
    listed = [
        f"{len(part_pages)} {part} ({sum(page.cited for page in part_pages)} cited)"
        for part, part_pages in dealt.items()
    ]
    copies = len(pages) - sum(map(len, dealt.values()))
    return f"{', '.join(listed)}; {copies} copies left out"


def main() -> None:
    """Trains a network and writes it."""
    parser = page_arguments(__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--layered", action="store_true", help="with hidden values")
    try:
        train_reference_classifier(parser.parse_args())
    except ConfigError as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
