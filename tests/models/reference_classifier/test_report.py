"""The tables of the reference classifier's evaluation, on pages whose figures are known."""

import math

import numpy as np
import pytest

from skord.models.hashed_text.features import BLOCKS, normalised_buckets, text_features
from skord.models.hashed_text.linear import Weights
from skord.models.reference_classifier.dataset import Page
from skord.models.reference_classifier.interface import BUCKETS, ReferenceClassifier
from skord.models.reference_classifier.train import by_language, evaluation_report

HIGH, LOW = "report", "shop"


@pytest.fixture
def classifier():
    """Knows one text, to which it gives three quarters; to any other a quarter."""
    size = BLOCKS * BUCKETS
    (known,) = text_features([HIGH], BUCKETS)
    rarity, rows = np.ones(size, np.float32), np.zeros((size, 1), np.float32)
    values = normalised_buckets(known, rarity)
    rows[known.buckets, 0] = 2 * math.log(3) * values / (values**2).sum()
    shares = np.full(1, -math.log(3), np.float32)
    weights = Weights(rarity, rows, shares, np.ones(1, np.float32))
    return ReferenceClassifier(weights)


def page(text, site, language, *, cited):
    return Page(text, f"https://{site}/", site, language, cited)


PAGES = [
    page(HIGH, "a.is", "is", cited=True),
    page(LOW, "a.is", "is", cited=False),
    page(LOW, "b.is", "is", cited=True),
    page(HIGH, "c.se", "sv", cited=True),
    page(HIGH, "d.se", "", cited=False),
]


def test_pages_are_counted_together_and_by_each_language_that_is_known():
    assert by_language(PAGES) == {"all": [0, 1, 2, 3, 4], "is": [0, 1, 2], "sv": [3]}
    assert by_language([]) == {"all": []}


def test_a_report_counts_pages_sites_and_what_is_right(classifier):
    lines = evaluation_report(classifier, PAGES).splitlines()

    assert lines[2:5] == [
        "| all | 3 | 2 | 4 | 0.583 | 0.600 |",
        "| is | 2 | 1 | 2 | 0.750 | 0.667 |",
        "| sv | 1 | 0 | 1 | nan | 1.000 |",
    ]
