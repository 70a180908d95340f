"""The recipe of the shipped weights.

    python -m skord.models.line_classifier.training.train --data FOLDER --cache FOLDER --out FOLDER
    python -m skord.models.line_classifier.training.train --data FOLDER --cache FOLDER --folds 4
    python -m skord.models.line_classifier.training.train --data FOLDER --cache FOLDER --out FOLDER \\
        --base MODEL

Needs torch (`pip install skord[transformers]`) for the gradients; the network itself is that
of `network.py`, and the weights are written under its names: `context_weights.npz` for pages
with their HTML, `weights.npz` for Markdown alone. With --folds nothing is written: the training
sites are dealt into folds, and each fold is scored by networks that have not seen its sites. The
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

from skord.markdown.extraction import probabilities
from skord.models.line_classifier.array_types import Floats
from skord.models.line_classifier.embedded import EmbeddedClassifier
from skord.models.line_classifier.interface import CONTEXT_WEIGHTS, WEIGHTS
from skord.models.line_classifier.network import Network, write_network
from skord.models.line_classifier.training import evaluate
from skord.models.line_classifier.training.dataset import (
    Page,
    Unusable,
    fold_of,
    in_test,
    read_pages,
    read_reviewed,
)
from skord.models.line_classifier.training.distillation import distilled_members
from skord.models.line_classifier.training.examples import example_of_page, page_context
from skord.models.line_classifier.training.finetune import FineTuning, fine_tune
from skord.models.line_classifier.training.fitting import MARKDOWN_RECIPE, Recipe
from skord.models.line_classifier.training.more_pages import (
    changed_pages,
    read_by_people,
)

SITE_PAGES = 30
"""Pages of a site, at most, of those with gold."""
LEAST_RECOVERED = 0.5
"""F1 that a page's labelled lines have against its gold, if it is to be learnt from."""


class TrainingPages(NamedTuple):
    """What is learnt from, and what of it is scored by folds.

    Attributes:
        scored: pages with gold, as they are.
        labelled: these with what is put in and taken out, and those labelled by reading.
    """

    scored: list[Page]
    labelled: list[Page]

    def fold(self, number: int, count: int) -> TrainingPages:
        """Only the pages of a fold to score, and only those of others to learn from."""
        scored = [page for page in self.scored if fold_of(page.site, count) == number]
        return TrainingPages(
            scored, [page for page in self.labelled if fold_of(page.site, count) != number]
        )


def read_training(data: Path, cache: Path) -> tuple[TrainingPages, Counter[Unusable]]:
    """All pages of the training sites, and how many are not used."""
    scored, skipped = read_pages(data, cache, is_training_site, SITE_PAGES)
    scored += read_reviewed(data, cache)
    read = read_by_people(data)
    known = {page.html for page in read}
    learnt = [page for page in scored if page.html not in known and recovers_gold(page)]
    return TrainingPages(scored, changed_pages(learnt) + read), skipped


def recovers_gold(page: Page) -> bool:
    """Whether the lines that a page's gold labels keep say what the gold says."""
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
    parser.add_argument("--members", type=int, help="instead of what the recipe has")
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--only", help="name of the one weights file to make")
    parser.add_argument("--base", help="folder or hub id of a model to fine-tune instead")
    chosen = parser.parse_args()
    pages, skipped = read_training(chosen.data, chosen.cache)
    sites = len({page.site for page in pages.scored})
    print(f"{len(pages.scored)} pages of {sites} sites; not used: {skipped}")
    print(f"{len(pages.labelled)} to learn from", flush=True)
    if chosen.base:
        print(f"loss {fine_tune(chosen.base, pages.scored, chosen.out, FineTuning()):.4f}")
        return
    recipes = {CONTEXT_WEIGHTS.name: Recipe(), WEIGHTS.name: MARKDOWN_RECIPE}
    recipes = {
        name: replace(recipe, members=chosen.members or recipe.members, device=chosen.device)
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
