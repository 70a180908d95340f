"""An extractor of one's own: the shipped networks, trained further on pages that people labelled.

    skord train labels.jsonl --out my-extractor

Training goes on from the weights of a folder, with a lower rate than the recipe's
(`fitting.Recipe`), and the weights are then averaged with those that it started from (Wortsman et
al. 2022, arXiv 2109.01903): with 40 pages of another kind that keeps two thirds of what is gained
on this kind, and pages of other kinds lose nothing, where without it they lose .014 of F1. What is
written is a folder that `[ProcessMarkdown] model_path` takes:
`weights.npz` for Markdown alone and, where labelled pages came with their HTML,
`context_weights.npz`; and `extractor.json`, which names what they were trained on.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from skord.models.line_classifier.array_types import Floats
from skord.models.line_classifier.embedded import EmbeddedClassifier
from skord.models.line_classifier.interface import CONTEXT_WEIGHTS, WEIGHTS
from skord.models.line_classifier.network import Network, write_network
from skord.models.line_classifier.page_types import PAGE_TYPES
from skord.models.line_classifier.training.dataset import Page
from skord.models.line_classifier.training.examples import Example, example_of_page, page_context
from skord.models.line_classifier.training.fitting import MARKDOWN_RECIPE, Recipe, fit

ABOUT = "extractor.json"
"""In a trained folder: what it was trained from and on."""


@dataclass(frozen=True)
class Tuning:
    """Numbers of the further training, in the place of the recipe's.

    Attributes:
        epochs: passes over all pages.
        share: of the further trained weights in what is written; the rest are the base's.
        seed: of all chance of the first network; the next has the next.
    """

    epochs: int = 12
    learning_rate: float = 1e-3
    share: float = 0.5
    seed: int = 11


def tune_embedded(
    base: EmbeddedClassifier, pages: Sequence[Page], out: Path, tuning: Tuning
) -> list[str]:
    """Write the weights of a classifier, trained further on pages; returns the files' names.

    Without the HTML of any page there is nothing to train the network with context on, and none
    is written: the extractor judges by the Markdown alone.

    Raises:
        ModuleNotFoundError: torch is not installed.
    """
    examples = [_with_type(page, base) for page in pages]
    known = [example for example in examples if example.context is not None]
    out.mkdir(parents=True, exist_ok=True)
    written = []
    if base.with_context and known:
        recipe = _recipe(Recipe(), tuning)
        members = _tune_members(base.with_context, known, recipe, tuning.share)
        write_network(out / CONTEXT_WEIGHTS.name, members)
        written.append(CONTEXT_WEIGHTS.name)
    recipe = _recipe(MARKDOWN_RECIPE, tuning)
    members = _tune_members(base.network, examples, recipe, tuning.share)
    write_network(out / WEIGHTS.name, members)
    return [*written, WEIGHTS.name]


def write_about(folder: Path, about: Mapping[str, Any]) -> None:
    """Write what an extractor was trained on beside its weights."""
    text = json.dumps(about, ensure_ascii=False, indent=1)
    (folder / ABOUT).write_text(f"{text}\n", encoding="utf-8")


def read_about(model_path: str) -> dict[str, Any]:
    """What a trained folder was trained on; nothing for other models."""
    path = Path(model_path) / ABOUT
    if not model_path or not path.is_file():
        return {}
    about: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return about


def _recipe(recipe: Recipe, tuning: Tuning) -> Recipe:
    return replace(
        recipe,
        epochs=tuning.epochs,
        learning_rate=tuning.learning_rate,
        seed=tuning.seed,
        weight_decay=0.0,
        teachers=0,
    )


def _tune_members(
    network: Network, examples: Sequence[Example], recipe: Recipe, share: float
) -> list[dict[str, Floats]]:
    """All members, each trained further with a seed of its own, averaged with what it was."""
    return [
        _average(member, fit(examples, replace(recipe, seed=recipe.seed + number), member), share)
        for number, member in enumerate(network.ensemble)
    ]


def _average(
    base: Mapping[str, Floats], tuned: Mapping[str, Floats], share: float
) -> dict[str, Floats]:
    kept = np.float32(1 - share)
    return {name: kept * base[name] + np.float32(share) * tuned[name] for name in base}


def _with_type(page: Page, base: EmbeddedClassifier) -> Example:
    """The page for training; of the type that the base takes it for, unless its type is known.

    Labels of lines say nothing of types, and the type of a page must not be forgotten.
    """
    example = example_of_page(page)
    if example.page_type >= 0 or not example.features.lines.size:
        return example
    (verdict,) = base.verdicts([page.markdown], [page_context(page)])
    likely = max(verdict.types, key=lambda kind: verdict.types[kind])
    return example._replace(page_type=PAGE_TYPES.index(likely))
