from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec

import numpy as np
import pytest

from skord.models.line_classifier.network import Network, network_logits
from skord.models.line_classifier.training.dataset import fold_of
from skord.models.line_classifier.training.examples import example_of_page
from skord.models.line_classifier.training.fitting import Recipe, fit_members
from skord.models.line_classifier.training.train import (
    FOLDS,
    distilled_members,
    sharpen_logits,
    soften_labels,
)
from tests.models.line_classifier.training.test_train import member, pages

pytestmark = [
    pytest.mark.skipif(not find_spec("torch"), reason="torch is not installed"),
    pytest.mark.filterwarnings("default"),
]
RECIPE = Recipe(epochs=12, members=1, teachers=1, dropout=0, wordless_pages=0, nameless_pages=0)


def test_a_label_against_what_other_sites_teach_is_drawn_towards_them():
    examples = [example_of_page(page) for page in pages(12)]
    main = int(np.flatnonzero(examples[0].labels == 1)[0])
    wrong = examples[0].labels.copy()
    wrong[main], wrong[0] = 0, np.nan
    examples[0] = examples[0]._replace(labels=wrong)
    (strayed, *others) = soften_labels(examples, RECIPE)
    assert 0.2 < strayed.labels[main] <= RECIPE.teachers_share
    assert np.isnan(strayed.labels[0])
    for page in others:
        kept = page.labels[np.flatnonzero(page.labels > 0.5)]
        assert kept.size == 1
        assert kept[0] > 0.8
        assert np.nanmin(page.labels) < 0.2


def test_teachers_have_not_seen_the_site_of_their_pupil():
    examples = [example_of_page(page) for page in pages(12)]
    fold = fold_of(examples[0].site, FOLDS)
    turned = [
        page._replace(labels=1 - page.labels) if fold_of(page.site, FOLDS) == fold else page
        for page in examples
    ]
    recipe = replace(RECIPE, epochs=3)
    plain, changed = soften_labels(examples, recipe), soften_labels(turned, recipe)
    share = RECIPE.teachers_share
    for page, as_was, as_is in zip(examples, plain, changed, strict=True):
        if fold_of(page.site, FOLDS) == fold:
            told = [soft.labels - (1 - share) * y for soft, y in
                    ((as_was, page.labels), (as_is, 1 - page.labels))]  # fmt: skip
            assert np.allclose(*told, atol=1e-6)


def test_pages_of_one_fold_have_nobody_to_learn_from():
    alone = [example_of_page(page) for page in pages(1)]
    with pytest.raises(ValueError, match="one fold"):
        soften_labels(alone, RECIPE)


@pytest.mark.parametrize("with_context", [True, False])
def test_sharpening_stretches_logits_once_lenience_is_off(with_context):
    page = example_of_page(pages(30)[-1])
    recipe = Recipe(sharpness=2.0, lenience=0.5)
    context = page.context if with_context else None
    made = member(with_context)
    before, after = (
        network_logits(Network((weights,), ""), page.features, context).logits
        for weights in (made, sharpen_logits(made, recipe))
    )
    assert np.ptp(before) > 0.1
    # At the temperature of the page's type the lenience is as much less.
    gaps = after - 2 * before
    assert -2 * recipe.lenience - 1 / 64 <= gaps.mean() <= -2 * recipe.lenience / 3 + 1 / 64
    assert np.ptp(gaps) <= 3 / 64


def test_without_teachers_the_labels_are_the_golds():
    examples = [example_of_page(page) for page in pages(4)]
    recipe = replace(RECIPE, epochs=2, teachers=0)
    (plain,), (distilled,) = fit_members(examples, recipe), distilled_members(examples, recipe)
    assert all(np.array_equal(plain[name], distilled[name]) for name in plain)
    recipe = replace(RECIPE, epochs=2)
    (student,) = distilled_members([*examples, *map(example_of_page, pages(9)[4:])], recipe)
    assert student.keys() == plain.keys()
