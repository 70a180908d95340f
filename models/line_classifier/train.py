"""The recipe of the shipped weights.

    python -m models.line_classifier.train --data FOLDER --cache FOLDER --out FOLDER
    python -m models.line_classifier.train --data FOLDER --cache FOLDER --folds 4
    python -m models.line_classifier.train --data FOLDER --cache FOLDER --out FOLDER --base MODEL

Needs torch (`pip install skord[transformers]`) for the gradients; the network itself is that
of `network.py`, and the weights are written under its names: `context_weights.npz` for pages
with their HTML, `weights.npz` for Markdown alone. With --folds nothing is written: the training
sites are dealt into folds, and each fold is scored by a network that has not seen its sites.
The test sites are never read. With --base a model of the transformers library is
fine-tuned instead (`finetune`).
"""

from __future__ import annotations

import argparse
import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from models.line_classifier.dataset import SITE_GROUPS, Page, in_test, read_pages
from models.line_classifier.embedded import EmbeddedClassifier
from models.line_classifier.evaluate import THRESHOLDS, by_lines, table
from models.line_classifier.examples import Example, example, page_context
from models.line_classifier.interface import CONTEXT_WEIGHTS, WEIGHTS
from models.line_classifier.network import Network, stored_type, write_network
from models.line_classifier.page_arrays import Floats
from pipeline.transforms.extraction import probabilities


@dataclass(frozen=True)
class Recipe:
    """Every number of the training.

    Attributes:
        with_context: whether the network sees the HTML elements around each line.
        epochs: passes over all pages.
        batch_pages: pages in a step.
        learning_rate: at its greatest; it rises over a tenth of the steps and falls to zero.
        weight_decay: of all weights but the biases.
        dropout: of features and of inner values.
        word_dropout: share of words left out of the lines.
        wordless_pages: share of pages shown without any words, since words are of a site.
        name_dropout: share of tags, classes and ids that a page is shown without.
        nameless_pages: share of pages shown without any, since these are of a site too.
        site_pages: pages of a site, at most.
        site_power: a page of a site with n pages weighs n ** -site_power.
        members: networks whose logits are averaged.
        temperature: by which logits are divided, so that probabilities are calibrated.
        seed: of all chance of the first member; the next has the next.
    """

    with_context: bool = True
    epochs: int = 12
    batch_pages: int = 8
    learning_rate: float = 3e-3
    weight_decay: float = 1e-2
    dropout: float = 0.2
    word_dropout: float = 0.3
    wordless_pages: float = 0.2
    name_dropout: float = 0.3
    nameless_pages: float = 0.2
    site_pages: int = 30
    site_power: float = 0.6
    members: int = 3
    temperature: float = 1.8
    seed: int = 11


MARKDOWN_RECIPE = Recipe(with_context=False)
"""For pages of which only the Markdown is known."""


def fit_members(examples: Sequence[Example], recipe: Recipe) -> tuple[dict[str, Floats], ...]:
    """Weights of several networks that differ by their seed alone."""
    seeds = range(recipe.seed, recipe.seed + recipe.members)
    return tuple(fit(examples, replace(recipe, seed=seed)) for seed in seeds)


def fit(examples: Sequence[Example], recipe: Recipe) -> dict[str, Floats]:
    """Weights of a network trained on the examples."""
    import torch  # noqa: PLC0415

    from models.line_classifier import torch_network  # noqa: PLC0415

    torch.manual_seed(recipe.seed)
    torch.set_num_threads(1)
    weights = torch_network.start(examples, recipe.with_context)
    trained = [tensor for tensor in weights.values() if tensor.requires_grad]
    optimizer = torch.optim.AdamW(trained, weight_decay=recipe.weight_decay)
    shares = page_weights(examples, recipe)
    batches = list(_batches(len(examples), recipe))
    for step, batch in enumerate(batches):
        for group in optimizer.param_groups:
            group["lr"] = recipe.learning_rate * _pace(step / len(batches))
        optimizer.zero_grad()
        _loss(weights, [examples[at] for at in batch], [shares[at] for at in batch], recipe)
        torch.nn.utils.clip_grad_norm_(trained, 1.0)
        optimizer.step()
    return _as_stored(weights, recipe)


def _as_stored(weights: dict[str, Any], recipe: Recipe) -> dict[str, Floats]:
    """Weights in the precision of the file, so that folds score what would be shipped."""
    found = {name: tensor.detach().numpy() for name, tensor in weights.items()}
    for name in ("out_weight", "out_bias"):
        found[name] = found[name] / np.float32(recipe.temperature)
    return {name: w.astype(stored_type(name)).astype(np.float32) for name, w in found.items()}


def _loss(
    weights: dict[str, Any], pages: Sequence[Example], shares: Sequence[float], recipe: Recipe
) -> None:
    """Adds the gradients of the cross entropy of labelled lines; longer lines count more."""
    import torch  # noqa: PLC0415

    from models.line_classifier import torch_batch, torch_network  # noqa: PLC0415

    chance = torch_batch.Chance(
        recipe.dropout,
        recipe.word_dropout,
        recipe.wordless_pages,
        recipe.name_dropout,
        recipe.nameless_pages,
    )
    batch = torch_batch.batch_of(pages, recipe.with_context, chance)
    labels = np.concatenate([page.labels for page in pages])
    counts = [
        _line_weights(page) * np.float32(share) for page, share in zip(pages, shares, strict=True)
    ]
    loss = torch.nn.functional.binary_cross_entropy_with_logits(
        torch_network.logits(weights, batch, recipe.dropout),
        torch.from_numpy(np.nan_to_num(labels)),
        torch.from_numpy(np.concatenate(counts)),
        reduction="sum",
    )
    (loss / sum(shares)).backward()  # type: ignore[no-untyped-call]


def _line_weights(page: Example) -> Floats:
    """Square root of each labelled line's words, 0 for others; about 1 in all for a page."""
    known = ~np.isnan(page.labels)
    weights = np.sqrt(page.features.words) * known
    count = max(int(known.sum()), 1)
    return (weights / count / max(float(weights.sum()) / count, 1.0)).astype(np.float32)


def page_weights(examples: Sequence[Example], recipe: Recipe) -> list[float]:
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
        network = Network(fit_members([example(page) for page in training], recipe), "fold")
        classifier = EmbeddedClassifier(network, network if recipe.with_context else None)
        for page in held:
            contexts = [page_context(page)] if recipe.with_context else None
            found[page.id] = probabilities(classifier.logits([page.markdown], contexts)[0])
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
    parser.add_argument("--out", type=Path, default=WEIGHTS.parent)
    parser.add_argument("--folds", type=int, default=0)
    parser.add_argument("--only", help="name of the one weights file to make")
    parser.add_argument("--base", help="folder or hub id of a model to fine-tune instead")
    chosen = parser.parse_args()
    training, skipped = read_pages(chosen.data, chosen.cache, is_training_site, Recipe().site_pages)
    print(f"{len(training)} pages of {len({p.site for p in training})} sites; not used: {skipped}")
    if chosen.base:
        from models.line_classifier.finetune import FineTuning, fine_tune  # noqa: PLC0415

        print(f"loss {fine_tune(chosen.base, training, chosen.out, FineTuning()):.4f}")
        return
    recipes = {CONTEXT_WEIGHTS.name: Recipe(), WEIGHTS.name: MARKDOWN_RECIPE}
    examples = [] if chosen.folds else [example(page) for page in training]
    for name, recipe in recipes.items():
        if chosen.only not in (None, name):
            continue
        if chosen.folds:
            print(f"{name}\n{cross_validated(training, chosen.folds, recipe)}")
        else:
            write_network(chosen.out / name, fit_members(examples, recipe))


if __name__ == "__main__":
    main()
