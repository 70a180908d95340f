"""The recipe of a weights file. numpy only.

    python -m skord.models.reference_classifier.train --positive FILE --negative FILE --out model.npz
    python -m skord.models.reference_classifier.train --references cited.txt.gz
        --tables CCNet/2024-10/*.parquet --out model.npz

Sites are assigned to training, dev and test by a hash of their name and the seed. The dev
sites choose the epoch and calibrate the probabilities; the test sites are scored at the end.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from skord.core.failures import ConfigError
from skord.models.hashed_text.features import BLOCKS, Floats, normalised_buckets, text_features
from skord.models.hashed_text.linear import LinearModel, Weights, write_weights
from skord.models.hashed_text.ridge import Doubles, rarity_of_counts
from skord.models.logistic import auc, fit_logistic
from skord.models.reference_classifier.dataset import (
    Page,
    Part,
    from_tables,
    pages_of_two_files,
    split_by_site,
)
from skord.models.reference_classifier.interface import BUCKETS, ReferenceClassifier
from skord.models.reference_classifier.references import read_references

Truths = NDArray[np.bool_]

_NEWTON_STEPS = 50


def citation_accuracy(scores: Doubles, cited: Truths) -> float:
    """Share of pages on the right side of a half; NaN without pages."""
    return float(np.mean((scores >= 0.5) == cited)) if scores.size else float("nan")


def log_loss(logits: Doubles, cited: Truths) -> float:
    """Mean cross entropy in nats."""
    return float(np.mean(np.logaddexp(0, np.where(cited, -logits, logits))))


def platt_scaling(logits: Doubles, cited: Truths) -> tuple[float, float]:
    """Scale and shift after which the logits' probabilities fit the truths best.

    Platt 1999, "Probabilistic Outputs for Support Vector Machines": logistic regression of
    one variable by Newton's method, with targets a little inside of 0 and 1, so that a
    separable sample gives a finite scale. A scale below zero would turn the ranking around:
    then the logits say nothing, and the scale is 0.

    >>> cited = np.array([1, 1, 0, 0, 0, 1]) > 0
    >>> scale, shift = platt_scaling(np.array([4.0, 4, 4, -4, -4, -4]), cited)
    >>> 0 < scale < 0.3, abs(shift) < 1e-6
    (True, True)
    """
    positives, negatives = int(cited.sum()), int((~cited).sum())
    targets = np.where(cited, (positives + 1) / (positives + 2), 1 / (negatives + 2))
    penalty = np.full(2, 1e-6)
    scale, shift = fit_logistic(
        logits[:, None], targets, np.ones(len(logits)), penalty, _NEWTON_STEPS
    ).tolist()
    if scale > 0:
        return scale, shift
    return 0.0, float(np.log((positives + 1) / (negatives + 1)))


SIZE = BLOCKS * BUCKETS


@dataclass(frozen=True)
class Recipe:
    """Every number of the training, a logistic regression as in LLaMA.

    Attributes:
        epochs: passes over the training pages; the one that does best on dev is kept.
        learning_rate: of Adam, falling to zero over all steps.
        weight_decay: of the weights, as a share for each step times the rate.
        dropout: share of a page's buckets left out when it is shown.
        seed: of all chance, the split by site included.
    """

    epochs: int = 10
    batch_pages: int = 32
    learning_rate: float = 0.2
    weight_decay: float = 1e-2
    dropout: float = 0.3
    seed: int = 11


def fit_weights(training: Sequence[Page], dev: Sequence[Page], recipe: Recipe) -> Weights:
    """Calibrated weights of the epoch that does best on dev.

    Features are computed whenever a page is shown: texts are smaller than their features.

    Raises:
        ConfigError: training or dev lacks cited pages or others.
    """
    for name, pages in (("training", training), ("dev", dev)):
        if len({page.cited for page in pages}) < 2:
            raise ConfigError(f"the {name} sites need pages of both kinds: give more sites")
    fitted = (_calibrate(weights, dev) for weights in train_epochs(training, recipe))
    return min(fitted, key=lambda pair: pair[1])[0]


def _calibrate(weights: Weights, dev: Sequence[Page]) -> tuple[Weights, float]:
    """Weights calibrated on dev, and their loss there. Before calibration an epoch that ranks
    well may lose by being too sure.
    """
    sums = LinearModel(weights).sums([page.text for page in dev])[:, 0].astype(np.float64)
    cited = np.array([page.cited for page in dev])
    scale, shift = platt_scaling(sums, cited)
    calibrated = weights._replace(
        weights=weights.weights * np.float32(scale),
        shares=weights.shares * np.float32(scale) + np.float32(shift),
    )
    return calibrated, log_loss(scale * sums + shift, cited)


def rarity_in(pages: Sequence[Page]) -> Floats:
    """Inverse document frequencies of the buckets; shape [SIZE]."""
    frequency = np.zeros(SIZE, np.int64)
    for text in text_features([page.text for page in pages], BUCKETS):
        frequency[text.buckets] += 1
    return rarity_of_counts(frequency, len(pages))


def train_epochs(training: Sequence[Page], recipe: Recipe) -> Iterator[Weights]:
    """Weights after each epoch of AdamW (Loshchilov and Hutter 2019), not calibrated."""
    chance = np.random.default_rng([recipe.seed, 1])
    rarity = rarity_in(training)
    trained = [np.zeros(SIZE, np.float32), np.zeros(1, np.float32)]
    means = [np.zeros_like(array) for array in trained]
    squares = [np.zeros_like(array) for array in trained]
    steps, taken = -(-len(training) // recipe.batch_pages) * recipe.epochs, 0
    for _ in range(recipe.epochs):
        order = chance.permutation(len(training)).tolist()
        for first in range(0, len(order), recipe.batch_pages):
            batch = [training[at] for at in order[first : first + recipe.batch_pages]]
            rate, taken = recipe.learning_rate * (1 - taken / steps), taken + 1
            trained[0] *= 1 - rate * recipe.weight_decay
            inputs = batch_matrix(batch, rarity, recipe.dropout, chance)
            slopes = loss_gradients(trained[0], trained[1], inputs, batch)
            for at, slope in enumerate(slopes):
                means[at] += 0.1 * (slope - means[at])
                squares[at] += 0.001 * (slope * slope - squares[at])
                size = np.sqrt(squares[at] / (1 - 0.999**taken)) + 1e-8
                trained[at] -= rate / (1 - 0.9**taken) * means[at] / size
        halved = trained[0].astype(np.float16).astype(np.float32)  # as it is stored
        yield Weights(rarity, halved[:, None], trained[1].copy(), np.full(1, 0.5, np.float32))


def loss_gradients(
    weights: Floats, bias: Floats, inputs: Floats, batch: Sequence[Page]
) -> tuple[Floats, Floats]:
    """Slopes of the batch's mean cross entropy, of the weights and of the bias."""
    cited = np.array([page.cited for page in batch], np.float32)
    chances = 1 / (1 + np.exp(-np.clip(inputs @ weights + bias[0], -30, 30)))
    off = ((chances - cited) / len(cited)).astype(np.float32)
    return inputs.T @ off, off.sum(keepdims=True)


def batch_matrix(
    batch: Sequence[Page], rarity: Floats, dropout: float, chance: np.random.Generator
) -> Floats:
    """The features of a batch side by side, some left out; shape [pages, SIZE]."""
    matrix = np.zeros((len(batch), SIZE), np.float32)
    texts = text_features([page.text for page in batch], BUCKETS)
    for row, text in zip(matrix, texts, strict=True):
        values = normalised_buckets(text, rarity)
        kept = chance.random(text.buckets.size, np.float32) >= dropout
        row[text.buckets[kept]] = values[kept] / (1 - dropout)
    return matrix


def given_pages(chosen: argparse.Namespace) -> list[Page]:
    """The pages that the command line names.

    Raises:
        ConfigError: neither of the two ways to name them is complete.
    """
    if chosen.positive and chosen.negative:
        return pages_of_two_files(chosen.positive, chosen.negative)
    if chosen.references and chosen.tables:
        cited = set().union(*map(read_references, chosen.references))
        return from_tables(chosen.tables, cited, chosen.seed)
    raise ConfigError("give --positive and --negative, or --references and --tables")


def train_reference_classifier(chosen: argparse.Namespace) -> None:
    """Train on the pages given, write the weights, and print how they do on the test sites."""
    pages = given_pages(chosen)
    parts = split_by_site(pages, chosen.seed)
    weights = fit_weights(parts[Part.train], parts[Part.dev], Recipe(seed=chosen.seed))
    write_weights(chosen.out, weights)
    print(f"{chosen.out}: {part_counts(pages, parts)}\n")
    print(evaluation_report(ReferenceClassifier(weights), parts[Part.test]))


def part_counts(pages: Sequence[Page], parts: Mapping[Part, Sequence[Page]]) -> str:
    """How many pages each part has, and how many were left out as copies."""
    listed = [
        f"{len(part_pages)} {part} ({sum(page.cited for page in part_pages)} cited)"
        for part, part_pages in parts.items()
    ]
    copies = len(pages) - sum(map(len, parts.values()))
    return f"{', '.join(listed)}; {copies} copies left out"


def by_language(pages: Sequence[Page]) -> dict[str, list[int]]:
    """Numbers of all pages, and of those of each language where languages are given."""
    groups = {"all": list(range(len(pages)))}
    for language in sorted({page.language for page in pages} - {""}):
        groups[language] = [at for at, page in enumerate(pages) if page.language == language]
    return groups


def evaluation_report(classifier: ReferenceClassifier, pages: Sequence[Page]) -> str:
    """A Markdown table: figures by language."""
    scores = classifier.scores([page.text for page in pages]).astype(np.float64)
    cited = np.array([page.cited for page in pages])
    rows = ["| pages | cited | others | sites | ROC AUC | accuracy at 0.5 |", "|---" * 6 + "|"]
    for name, numbers in by_language(pages).items():
        part_scores, truths = scores[numbers], cited[numbers]
        sites = len({pages[at].site for at in numbers})
        area = auc(part_scores[truths], part_scores[~truths])
        figures = f"{area:.3f} | {citation_accuracy(part_scores, truths):.3f}"
        rows.append(f"| {name} | {truths.sum()} | {(~truths).sum()} | {sites} | {figures} |")
    return "\n".join(rows)


def main() -> None:
    """Train and evaluate weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--positive", type=Path, help="pages that are cited, JSON lines or Parquet")
    parser.add_argument("--negative", type=Path, help="pages that are not")
    parser.add_argument("--references", type=Path, nargs="+", help="dumps, or a list of URLs")
    parser.add_argument("--tables", type=Path, nargs="+", help="pages with URLs to label by them")
    parser.add_argument("--seed", type=int, default=Recipe.seed)
    parser.add_argument("--out", type=Path, required=True)
    try:
        train_reference_classifier(parser.parse_args())
    except ConfigError as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
