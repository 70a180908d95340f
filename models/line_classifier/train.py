"""The recipe of the shipped weights.

    python -m models.line_classifier.train --data FOLDER --cache FOLDER --out weights.npz
    python -m models.line_classifier.train --data FOLDER --cache FOLDER --folds 4

Needs torch (`pip install skord[transformers]`) for the gradients; the network itself is that
of `network.py`, and the weights are written under its names. With --folds nothing is written:
the training sites are dealt into folds, and each fold is scored by a network that has not
seen its sites. The test sites are read by neither.
"""

from __future__ import annotations

import argparse
import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from models.line_classifier.dataset import SITE_GROUPS, Page, in_test, read_pages
from models.line_classifier.embedded import EmbeddedClassifier
from models.line_classifier.evaluate import THRESHOLDS, by_lines, table
from models.line_classifier.examples import Example, example
from models.line_classifier.network import (
    DILATIONS,
    Network,
    stored_type,
    weight_shapes,
    write_network,
)
from models.line_classifier.page_arrays import Floats
from pipeline.transforms.extraction import probabilities


@dataclass(frozen=True)
class Recipe:
    """Every number of the training.

    Attributes:
        epochs: passes over all pages.
        batch_pages: pages in a step.
        learning_rate: at its greatest; it rises over a tenth of the steps and falls to zero.
        weight_decay: of all weights but the biases.
        dropout: of features and of inner values.
        word_dropout: share of words left out of the lines.
        wordless_pages: share of pages shown without any words, since words are of a site.
        site_pages: pages of a site, at most.
        site_power: a page of a site with n pages weighs n ** -site_power.
        members: networks whose logits are averaged.
        seed: of all chance of the first member; the next has the next.
    """

    epochs: int = 12
    batch_pages: int = 8
    learning_rate: float = 3e-3
    weight_decay: float = 1e-2
    dropout: float = 0.2
    word_dropout: float = 0.3
    wordless_pages: float = 0.2
    site_pages: int = 30
    site_power: float = 0.6
    members: int = 3
    seed: int = 11


def fit_members(examples: list[Example], recipe: Recipe) -> tuple[dict[str, Floats], ...]:
    """Weights of several networks that differ by their seed alone."""
    seeds = range(recipe.seed, recipe.seed + recipe.members)
    return tuple(fit(examples, replace(recipe, seed=seed)) for seed in seeds)


def fit(examples: list[Example], recipe: Recipe) -> dict[str, Floats]:
    """Weights of a network trained on the examples."""
    import torch  # noqa: PLC0415

    torch.manual_seed(recipe.seed)
    torch.set_num_threads(1)
    weights = _start(examples)
    trained = [tensor for tensor in weights.values() if tensor.requires_grad]
    optimizer = torch.optim.AdamW(trained, weight_decay=recipe.weight_decay)
    shares = page_weights(examples, recipe)
    batches = list(_batches(len(examples), recipe))
    for step, batch in enumerate(batches):
        for group in optimizer.param_groups:
            group["lr"] = recipe.learning_rate * _pace(step / len(batches))
        optimizer.zero_grad()
        losses = [shares[at] * _loss(weights, examples[at], recipe) for at in batch]
        (sum(losses) / sum(shares[at] for at in batch)).backward()
        torch.nn.utils.clip_grad_norm_(trained, 1.0)
        optimizer.step()
    found = {name: tensor.detach().numpy() for name, tensor in weights.items()}
    # As they will be stored, so that folds score what would be shipped.
    return {name: w.astype(stored_type(name)).astype(np.float32) for name, w in found.items()}


def page_weights(examples: list[Example], recipe: Recipe) -> list[float]:
    """How much each page counts: a site's template must not count once for every page."""
    pages = Counter(page.site for page in examples)
    return [pages[page.site] ** -recipe.site_power for page in examples]


def _batches(count: int, recipe: Recipe) -> Iterator[list[int]]:
    order = np.random.default_rng(recipe.seed)
    for _ in range(recipe.epochs):
        shuffled = order.permutation(count).tolist()
        for first in range(0, count, recipe.batch_pages):
            yield shuffled[first : first + recipe.batch_pages]


def _pace(done: float) -> float:
    """Share of the learning rate when this share of the steps is done."""
    return min(done * 10, 1.0) * (1 - done)


def _start(examples: list[Example]) -> dict[str, Any]:
    """Weights before the first step; mean and scale are those of the examples' features."""
    import torch  # noqa: PLC0415

    rows = np.concatenate([page.features.dense for page in examples])
    weights: dict[str, Any] = {}
    for name, shape in weight_shapes().items():
        if name == "mean":
            weights[name] = torch.from_numpy(rows.mean(0))
        elif name == "scale":
            weights[name] = torch.from_numpy(1 / np.maximum(rows.std(0), 1e-3))
        else:
            spread = 0.0 if name.endswith("bias") else (2 / np.prod(shape[:-1])) ** 0.5
            spread = 0.1 if name == "word_vectors" else spread
            spread *= 0.3 if name.startswith("context") else 1
            weights[name] = (torch.randn(shape) * spread).requires_grad_()
    return weights


def _loss(weights: dict[str, Any], page: Example, recipe: Recipe) -> Any:
    """Cross entropy of a page's labelled lines, longer lines counting more."""
    import torch  # noqa: PLC0415

    known = np.flatnonzero(~np.isnan(page.labels))
    if not known.size:
        return torch.zeros(())
    logits = _logits(weights, page, recipe)[torch.from_numpy(known)]
    return torch.nn.functional.binary_cross_entropy_with_logits(
        logits,
        torch.from_numpy(page.labels[known]),
        torch.from_numpy(np.sqrt(page.sizes[known]).astype(np.float32)),
    ) / max(float(np.sqrt(page.sizes[known]).mean()), 1.0)


def _logits(weights: dict[str, Any], page: Example, recipe: Recipe) -> Any:
    """`network.line_logits` in torch, with dropout."""
    import torch  # noqa: PLC0415
    from torch.nn.functional import dropout, relu  # noqa: PLC0415

    dense = torch.from_numpy(page.features.dense)
    dense = ((dense - weights["mean"]) * weights["scale"]).clamp(-5, 5)
    line = torch.cat([dropout(dense, recipe.dropout), _words(weights, page, recipe)], 1)
    hidden = relu(line @ weights["line_weight"] + weights["line_bias"])
    whole = torch.cat([hidden.mean(0), hidden.max(0).values])
    hidden = hidden + relu(whole @ weights["page_weight"] + weights["page_bias"])
    for dilation in DILATIONS:
        before, here, after = weights[f"context{dilation}_weight"]
        given = dropout(hidden, recipe.dropout)
        apart = given.new_zeros(min(dilation, len(given)), given.shape[1])
        found = given @ here + weights[f"context{dilation}_bias"]
        found = found + torch.cat([apart, given[:-dilation] @ before])
        hidden = hidden + relu(found + torch.cat([given[dilation:] @ after, apart]))
    given = dropout(hidden, recipe.dropout)
    seen = (torch.softmax(given @ weights["glance_weight"], 0).T @ given).reshape(-1)
    known = seen @ weights["seen_weight"] + weights["again_bias"]
    hidden = hidden + relu(given @ weights["again_weight"] + known)
    return (dropout(hidden, recipe.dropout) @ weights["out_weight"] + weights["out_bias"])[:, 0]


def _words(weights: dict[str, Any], page: Example, recipe: Recipe) -> Any:
    """Mean word vectors of the lines, with words and at times all words left out."""
    import torch  # noqa: PLC0415

    starts = torch.from_numpy(page.features.word_starts)
    buckets = torch.from_numpy(page.features.buckets)
    kept = (torch.rand(len(buckets)) >= recipe.word_dropout).float()
    kept = kept * float(torch.rand(()) >= recipe.wordless_pages)
    sums = torch.nn.functional.embedding_bag(
        buckets, weights["word_vectors"], starts[:-1], mode="sum", per_sample_weights=kept
    )
    line = torch.repeat_interleave(torch.arange(len(starts) - 1), starts.diff())
    counts = torch.zeros(len(starts) - 1).index_add(0, line, kept)
    return sums / counts.clamp(min=1)[:, None]


def folds(pages: list[Page], count: int) -> Iterator[tuple[list[Page], list[Page]]]:
    """Training and scored pages of each fold; sites of one group stay together."""

    def fold(page: Page) -> int:
        key = SITE_GROUPS.get(page.site, page.site)
        return int(hashlib.sha1(f"fold|{key}".encode()).hexdigest(), 16) % count

    for number in range(count):
        yield (
            [page for page in pages if fold(page) != number],
            [page for page in pages if fold(page) == number],
        )


def cross_validated(pages: list[Page], count: int, recipe: Recipe) -> str:
    """A table of figures, each page scored by a network that has not seen its site."""
    scored: list[Page] = []
    found: dict[str, Floats] = {}
    for training, held in folds(pages, count):
        members = fit_members([example(page) for page in training], recipe)
        classifier = EmbeddedClassifier(Network(members, "fold"))
        for page in held:
            found[page.id] = probabilities(classifier.logits([page.markdown])[0])
        scored += held
    return table(scored, [by_lines(found, threshold) for threshold in THRESHOLDS])


def is_training_site(site: str) -> bool:
    """All but the test sites."""
    return not in_test(site)


def main() -> None:
    """Trains, or scores the recipe by folds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--folds", type=int, default=0)
    chosen = parser.parse_args()
    training, skipped = read_pages(chosen.data, chosen.cache, is_training_site, Recipe().site_pages)
    print(f"{len(training)} pages of {len({p.site for p in training})} sites; not used: {skipped}")
    if chosen.folds:
        print(cross_validated(training, chosen.folds, Recipe()))
    else:
        write_network(chosen.out, fit_members([example(p) for p in training], Recipe()))


if __name__ == "__main__":
    main()
