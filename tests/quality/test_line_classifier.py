"""The shipped line classifier on pages of sites that it was not trained on."""

from __future__ import annotations

import pytest

from models.line_classifier import evaluate
from models.line_classifier.dataset import in_test, read_pages
from models.line_classifier.interface import load_line_classifier

# Pages of a site here; the full test, of CARD.md, has evaluate.SITE_PAGES.
SITE_PAGES = 3
SET_DIGEST = "c09d4ab1a53cc867"
THRESHOLD = 0.4
FLOORS = {"all": 0.86, "Scandinavian": 0.82}  # measured: 0.870, 0.832
LABEL_FLOOR = 0.97


@pytest.fixture(scope="module")
def pages(shared, tmp_path_factory):
    cache = tmp_path_factory.mktemp("converted")
    return read_pages(shared / "data" / "extraction", cache, in_test, SITE_PAGES)[0]


@pytest.mark.shared
@pytest.mark.slow
def test_the_evaluation_set_is_the_pinned_one(pages):
    assert evaluate.set_digest(pages) == SET_DIGEST


@pytest.mark.shared
@pytest.mark.slow
def test_extracted_text_agrees_with_gold_as_well_as_measured(pages):
    (method,) = evaluate.classified(load_line_classifier(""), pages, [THRESHOLD])
    members = evaluate.groups(pages)
    f1 = {group: evaluate.score(members[group], method).f1 for group in FLOORS}
    every_line = evaluate.score(pages, evaluate.everything()).f1
    assert {group: f1[group] for group in FLOORS if f1[group] < FLOORS[group]} == {}
    assert f1["all"] > every_line + 0.2


@pytest.mark.shared
@pytest.mark.slow
def test_labels_recover_the_gold(pages):
    assert evaluate.score(pages, evaluate.labelled()).f1 >= LABEL_FLOOR
