"""The recipe of the shipped weights.

    python -m skord.models.line_classifier.training.train --data FOLDER --cache FOLDER --out FOLDER
    python -m skord.models.line_classifier.training.train --data FOLDER --cache FOLDER --folds 4
    python -m skord.models.line_classifier.training.train --data FOLDER --cache FOLDER --out FOLDER \\
        --base MODEL

Needs torch (pip install 'skord[transformers]') for the gradients; the network itself is that
of `network.py`, and the weights are written under its names: `context_weights.npz` for pages
with their HTML, `weights.npz` for Markdown alone. With --folds nothing is written: the training
sites are split into folds, and each fold is scored by networks that have not seen its sites. The
test sites are never read. With --base a model of the transformers library is fine-tuned instead
(`finetune`).
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from skord.markdown.extraction import probabilities
from skord.models.line_classifier.array_types import Floats
from skord.models.line_classifier.embedded import EmbeddedClassifier
from skord.models.line_classifier.interface import CONTEXT_WEIGHTS, WEIGHTS
from skord.models.line_classifier.network import Network, network_logits, write_network
from skord.models.line_classifier.training import evaluate
from skord.models.line_classifier.training.dataset import (
    Page,
    Unusable,
    fold_of,
    in_test,
    read_pages,
    read_reviewed,
)
from skord.models.line_classifier.training.examples import Example, example_of_page, page_context
from skord.models.line_classifier.training.finetune import FineTuning, fine_tune
from skord.models.line_classifier.training.fitting import MARKDOWN_RECIPE, Recipe, fit_members
from skord.models.line_classifier.training.more_pages import (
    changed_pages,
    read_by_people,
)

FOLDS = 4
FIRST_TEACHER = 10
"""How far the seed of the first teacher is from the recipe's, so that none is fitted twice."""


def distilled_members(examples: Sequence[Example], recipe: Recipe) -> tuple[dict[str, Floats], ...]:
    """Weights of the recipe's networks, fitted to labels that other networks have softened."""
    if not recipe.teachers:
        return fit_members(examples, recipe)
    members = fit_members(soften_labels(examples, recipe), recipe)
    return tuple(sharpen_logits(member, recipe) for member in members)


def soften_labels(examples: Sequence[Example], recipe: Recipe) -> list[Example]:
    """The examples with labels between the gold's and those that networks of other sites predict.

    Gold of different sources is of several minds on bylines, captions, controls and offers, and a
    network that is trained on each label as certain learns these by heart. So the sites are
    sharded into folds, networks are fitted to all folds but one, and their predictions for that
    one are mixed into its labels (self-distillation: Hinton et al. 2015, arXiv 1503.02531;
    Furlanello et al. 2018, arXiv 1805.04770). Lines of unknown label stay unknown.

    Args:
        examples: in any order; the result has the same.
        recipe: of the teachers, of whom there are `recipe.teachers` for each fold.
    """
    folds = np.array([fold_of(page.site, FOLDS) for page in examples])
    mixed = list(examples)
    of_teachers = replace(recipe, members=recipe.teachers, seed=recipe.seed + FIRST_TEACHER)
    for fold in np.unique(folds).tolist():
        others = [page for page, its in zip(examples, folds, strict=True) if its != fold]
        if not others:
            raise ValueError("the pages are of one fold of sites; teachers need pages of others")
        teachers = Network(fit_members(others, of_teachers), "teachers")
        for number in np.flatnonzero(folds == fold).tolist():
            mixed[number] = _mix_labels(examples[number], teachers, recipe)
    return mixed


def _mix_labels(page: Example, teachers: Network, recipe: Recipe) -> Example:
    context = page.context if recipe.with_context else None
    predicted = probabilities(network_logits(teachers, page.features, context).logits)
    share = np.float32(recipe.teachers_share)
    return page._replace(labels=(1 - share) * page.labels + share * predicted)


def sharpen_logits(member: dict[str, Floats], recipe: Recipe) -> dict[str, Floats]:
    """The network with its logits less `recipe.lenience`, times `recipe.sharpness`.

    Networks fitted to softened labels are half as sure as their figures deserve, and slightly too
    ready to keep; this undoes both in the last layer.
    """
    out_weight = member["out_weight"] * recipe.sharpness
    out_bias = (member["out_bias"] - recipe.lenience) * recipe.sharpness
    return {**member, "out_weight": out_weight, "out_bias": out_bias}


SITE_PAGES = 30
"""Pages of a site, at most, of those with gold."""
LEAST_RECOVERED = 0.5
"""F1 that a page's labelled lines have against its gold, if it is to be trained on."""


class TrainingPages(NamedTuple):
    """What is trained on, and what of it is scored by folds.

    Attributes:
        scored: pages with gold, as they are.
        labelled: these with what is put in and taken out, and those labelled by reading.
    """

    scored: list[Page]
    labelled: list[Page]

    def fold(self, number: int, count: int) -> TrainingPages:
        """Only the pages of a fold to score, and only those of others to train on."""
        scored = [page for page in self.scored if fold_of(page.site, count) == number]
        return TrainingPages(
            scored, [page for page in self.labelled if fold_of(page.site, count) != number]
        )


def read_training(data: Path, cache: Path) -> tuple[TrainingPages, Counter[Unusable]]:
    """All pages of the training sites, and how many are not used."""
    scored, skipped = read_pages(data, cache, lambda site: not in_test(site), SITE_PAGES)
    scored += read_reviewed(data, cache)
    read = read_by_people(data)
    known = {page.html for page in read}
    usable = [page for page in scored if page.html not in known and recovers_gold(page)]
    return TrainingPages(scored, changed_pages(usable) + read), skipped


def recovers_gold(page: Page) -> bool:
    """Whether the lines that a page's gold labels keep hold what the gold holds."""
    return evaluate.score_method([page], evaluate.labelled_lines()).f1 >= LEAST_RECOVERED


def cross_validated(pages: TrainingPages, count: int, recipes: Sequence[Recipe]) -> str:
    """Tables of figures, each page scored by a network that has not seen its site."""
    logits_by_page: list[dict[str, Floats]] = [{} for _ in recipes]
    for number in range(count):
        fold = pages.fold(number, count)
        examples = list(map(example_of_page, fold.labelled))
        for recipe, scores in zip(recipes, logits_by_page, strict=True):
            network = Network(distilled_members(examples, recipe), "fold")
            classifier = EmbeddedClassifier(network, network if recipe.with_context else None)
            for page in fold.scored:
                contexts = [page_context(page)] if recipe.with_context else None
                scores[page.id] = probabilities(classifier.logits([page.markdown], contexts)[0])
    tables = (
        evaluate.score_table(
            pages.scored, [evaluate.by_lines(scores, cut) for cut in evaluate.CUTS]
        )
        for scores in logits_by_page
    )
    return "\n\n".join(tables)


def main() -> None:
    """Trains, or scores the recipe by folds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=WEIGHTS.parent)
    parser.add_argument("--folds", type=int, default=0)
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--only", help="name of the one weights file to make")
    parser.add_argument("--base", help="folder or hub id of a model to fine-tune instead")
    chosen = parser.parse_args()
    pages, skipped = read_training(chosen.data, chosen.cache)
    sites = len({page.site for page in pages.scored})
    print(f"{len(pages.scored)} pages of {sites} sites; not used: {skipped}")
    print(f"{len(pages.labelled)} to train on", flush=True)
    if chosen.base:
        print(f"loss {fine_tune(chosen.base, pages.scored, chosen.out, FineTuning()):.4f}")
        return
    recipes = {CONTEXT_WEIGHTS.name: Recipe(), WEIGHTS.name: MARKDOWN_RECIPE}
    recipes = {
        name: replace(recipe, device=chosen.device)
        for name, recipe in recipes.items()
        if chosen.only in (None, name)
    }
    if chosen.folds:
        print(cross_validated(pages, chosen.folds, list(recipes.values())))
        return
    examples = list(map(example_of_page, pages.labelled))
    for name, recipe in recipes.items():
        write_network(chosen.out / name, distilled_members(examples, recipe))


if __name__ == "__main__":
    main()
