"""Labels drawn towards what networks say that have not seen the page's site: self-distillation.

Gold of different sources is of several minds on bylines, captions, controls and offers, and a
network that is taught each verdict as certain learns these by heart. So the sites are dealt into
folds, networks are fitted to all folds but one, and what they make of the pages of that one is
mixed into its labels (Hinton et al. 2015, arXiv 1503.02531; Furlanello et al. 2018,
arXiv 1805.04770). Networks fitted to such labels are half as sure as their figures deserve, and
slightly too ready to keep; `sharpened` undoes both in their last layer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from skord.markdown.extraction import probabilities
from skord.models.line_classifier.array_types import Floats
from skord.models.line_classifier.network import Network, network_logits
from skord.models.line_classifier.training.dataset import fold_of
from skord.models.line_classifier.training.examples import Example
from skord.models.line_classifier.training.fitting import Recipe, fit_members

FOLDS = 4
FIRST_TEACHER = 10
"""How far the seed of the first teacher is from the recipe's, so that none is fitted twice."""


def distilled_members(examples: Sequence[Example], recipe: Recipe) -> tuple[dict[str, Floats], ...]:
    """Weights of the recipe's networks, fitted to labels that other networks have softened."""
    if not recipe.teachers:
        return fit_members(examples, recipe)
    members = fit_members(softened(examples, recipe), recipe)
    return tuple(sharpened(member, recipe) for member in members)


def softened(examples: Sequence[Example], recipe: Recipe) -> list[Example]:
    """The examples with labels between the gold's and what its fold's teachers say.

    Lines of unknown label stay unknown.

    Args:
        examples: in any order; the result has the same.
        recipe: of the teachers, of whom there are `recipe.teachers` for each fold.
    """
    folds = np.array([fold_of(page.site, FOLDS) for page in examples])
    taught = list(examples)
    of_teachers = replace(recipe, members=recipe.teachers, seed=recipe.seed + FIRST_TEACHER)
    for fold in np.unique(folds).tolist():
        others = [page for page, its in zip(examples, folds, strict=True) if its != fold]
        if not others:
            raise ValueError("the pages are of one fold of sites; teachers need others to learn of")
        teachers = Network(fit_members(others, of_teachers), "teachers")
        for number in np.flatnonzero(folds == fold).tolist():
            taught[number] = _mixed(examples[number], teachers, recipe)
    return taught


def _mixed(page: Example, teachers: Network, recipe: Recipe) -> Example:
    context = page.context if recipe.with_context else None
    told = probabilities(network_logits(teachers, page.features, context).logits)
    share = np.float32(recipe.teachers_share)
    return page._replace(labels=(1 - share) * page.labels + share * told)


def sharpened(member: dict[str, Floats], recipe: Recipe) -> dict[str, Floats]:
    """The network with its logits less `recipe.lenience`, times `recipe.sharpness`."""
    out_weight = member["out_weight"] * recipe.sharpness
    out_bias = (member["out_bias"] - recipe.lenience) * recipe.sharpness
    return {**member, "out_weight": out_weight, "out_bias": out_bias}
